//! Waiting for sockets, with a timeout in nanoseconds.

use super::connection::Connection;
use super::listener::Listener;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::time::Timespec;
use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsFd;

/// Names of listeners have this bit.
const LISTENER: u64 = 1 << 63;
/// Names of kicks have this bit, and the number of the queue above that of the client.
const KICK: u64 = 1 << 62;
const QUEUE_SHIFT: u32 = 48;
/// Sockets that are looked at together.
const AT_ONCE: usize = 64;

/// A socket that can be read from, written to, or has failed.
pub(super) enum Ready {
    /// The listener of a number.
    Listener(usize),
    /// The client of a number, and whether its peer has hung up.
    Client(u64, bool),
    /// A queue of a client's guest.
    Kick(u64, usize),
}

/// What is watched.
pub(super) struct Poll {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl Poll {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        Ok(Poll { epoll, events: Vec::with_capacity(AT_ONCE) })
    }

    pub(super) fn watch_listener(&self, listener: &Listener, number: usize) -> io::Result<()> {
        self.add(listener, LISTENER | number as u64)
    }

    /// Watches a listener, or not for now.
    pub(super) fn listen(&self, listener: &Listener, number: usize, on: bool) -> io::Result<()> {
        let name = EventData::new_u64(LISTENER | number as u64);
        let flags = if on { EventFlags::IN } else { EventFlags::empty() };
        Ok(epoll::modify(&self.epoll, listener, name, flags)?)
    }

    pub(super) fn watch(&self, connection: &Connection, client: u64) -> io::Result<()> {
        self.add(&connection.socket, client)
    }

    pub(super) fn watch_kick(&self, kick: &File, client: u64, queue: usize) -> io::Result<()> {
        self.add(kick, KICK | (queue as u64) << QUEUE_SHIFT | client)
    }

    /// Looks at a kick no more. Closing it would not do: the guest has it open, too.
    pub(super) fn forget(&self, kick: &File) {
        // What was never watched need not be forgotten.
        let _ = epoll::delete(&self.epoll, kick);
    }

    fn add(&self, socket: impl AsFd, name: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(name), EventFlags::IN)?)
    }

    /// Watches a client for what it needs now.
    pub(super) fn update(&self, connection: &mut Connection, client: u64) -> io::Result<()> {
        let wanted = (connection.reads(), connection.unsent() > 0);
        if wanted == connection.watched {
            return Ok(());
        }
        connection.watched = wanted;
        let mut flags = EventFlags::empty();
        flags.set(EventFlags::IN, wanted.0);
        flags.set(EventFlags::OUT, wanted.1);
        Ok(epoll::modify(&self.epoll, &connection.socket, EventData::new_u64(client), flags)?)
    }

    /// Waits so long at most.
    pub(super) fn wait(&mut self, most: std::time::Duration) -> io::Result<Vec<Ready>> {
        let timeout = Timespec {
            tv_sec: i64::try_from(most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: most.subsec_nanos().into(),
        };
        self.events.clear();
        let space = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, space, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.events.iter().map(ready).collect())
    }
}

fn ready(event: &Event) -> Ready {
    // The fields of an event may lie anywhere: they are copied.
    let (name, flags) = (event.data.u64(), event.flags);
    let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    if name & LISTENER != 0 {
        return Ready::Listener(number(name & !LISTENER));
    }
    match name & KICK {
        0 => Ready::Client(name, flags.intersects(EventFlags::HUP | EventFlags::ERR)),
        _ => {
            let client = name & ((1 << QUEUE_SHIFT) - 1);
            Ready::Kick(client, number((name & !KICK) >> QUEUE_SHIFT))
        }
    }
}

/// Timers of this thread end when they are due and not up to 50 us later, which is the default.
pub(crate) fn exact_timers() {
    // Where the system refuses, answers are later, and the lateness says so.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}
