//! The server: one thread that waits for sockets and for the model, whichever is first.

mod clients;
mod connection;
mod listener;
mod nbd_front;
mod nvme_front;
mod orders;
mod poll;
mod room;
mod vhost_front;

pub use listener::Listener;
pub(crate) use poll::exact_timers;
pub use room::{Limits, raise_descriptors};

use crate::clock::Clock;
use crate::control::LastCut;
use crate::controller::About;
use crate::drive::{Arrival, End, LiveDrive};
use crate::lateness::Lateness;
use crate::recorder::Recorder;
use connection::Connection;
use engine::{Duration, Instant};
use nvme_front::NvmeFront;
use poll::Poll;
use room::Room;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A look at whether the user wants an end, at least so often.
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// How a drive is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of each device for its clients.
    pub names: Vec<String>,
    /// What people are told about it.
    pub description: String,
    /// What its Record says of it: the result without what comes out.
    pub about: stats::Outcome,
    /// The medium rotates.
    pub rotational: bool,
    /// Least size and alignment of a request, bytes.
    pub sector: u32,
    /// How many times slower than the clock the model runs.
    pub slower: NonZeroU32,
    /// Fixed cost of the transport: answers leave so much before they are due.
    pub early: std::time::Duration,
    /// How late a thread wakes: so much before an answer leaves the server no longer sleeps.
    pub wake: std::time::Duration,
    /// Wait by asking again and again: the timer is exact, and a processor is busy.
    pub spin: bool,
}

/// What clients of a socket speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// NBD.
    Nbd,
    /// NVMe over TCP.
    Nvme,
    /// vhost-user, for the device of this number.
    VhostUser(usize),
    /// Lines of JSON.
    Control,
}

/// Something that the user may want to know while a drive is served.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// A client has attached to the device of this name.
    Attached(String),
    /// A client is gone, and why if it did not say so itself.
    Left(Option<String>),
    /// A client was refused, and why; not each of many.
    Refused(String),
    /// Power was cut.
    Cut(LastCut),
    /// Power is back.
    Restored,
    /// Something else has befallen the drive.
    Befell(String),
}

/// Whose a request is that the model has.
enum Asker {
    /// An NBD client's.
    Nbd { client: u64, request: nbd::Request },
    /// An NVMe host's: a part of the command of this ticket.
    Nvme { client: u64, ticket: u64, is_write: bool, owed: usize },
    /// A guest's: a piece of the request of this tag.
    Vhost { client: u64, tag: virtio::Tag, is_write: bool },
    /// The controller's own.
    Controller,
}

impl Asker {
    fn is_write(&self) -> bool {
        match self {
            Asker::Nbd { request, .. } => {
                matches!(request.op, nbd::Op::Write | nbd::Op::WriteZeroes { .. })
            }
            Asker::Nvme { is_write, .. } | Asker::Vhost { is_write, .. } => *is_write,
            Asker::Controller => false,
        }
    }
}

/// A drive that is served.
pub struct Server<'a> {
    drive: LiveDrive,
    clock: Clock,
    options: Options,
    exports: Arc<[nbd::Export]>,
    poll: Poll,
    listeners: Vec<(Listener, Front)>,
    clients: BTreeMap<u64, Connection>,
    next_client: u64,
    room: Room,
    /// Clients that have not chosen a device or are about to leave, since when, oldest first.
    silent: VecDeque<(u64, std::time::Instant)>,
    /// Clients of which something has been read that waits.
    turns: Vec<u64>,
    /// Clients with answers that have not been sent.
    answered: Vec<u64>,
    asked: FxHashMap<u64, Asker>,
    nvme: Option<NvmeFront>,
    next_ticket: u64,
    lateness: Lateness,
    recorder: Recorder,
    /// Writes that are still acknowledged before power is cut.
    cut_after: Option<u64>,
    /// When power is cut at random.
    moments: engine::Stream,
    last_cut: Option<LastCut>,
    ending: bool,
    /// What was read last from a client.
    buffer: Vec<u8>,
    tell: Box<dyn FnMut(Notice) + 'a>,
}

impl<'a> Server<'a> {
    /// Serves a drive at these sockets; `tell` hears what happens.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(
        drive: LiveDrive,
        options: Options,
        listeners: Vec<(Listener, Front)>,
        tell: impl FnMut(Notice) + 'a,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        for (number, (listener, _)) in listeners.iter().enumerate() {
            poll.watch_listener(listener, number)?;
        }
        Ok(Server {
            clock: Clock::new(drive.now(), options.slower),
            exports: nbd_front::exports(&drive, &options),
            options,
            poll,
            listeners,
            clients: BTreeMap::new(),
            next_client: 0,
            room: Room::default(),
            silent: VecDeque::new(),
            turns: Vec::new(),
            answered: Vec::new(),
            asked: FxHashMap::default(),
            nvme: None,
            next_ticket: 0,
            lateness: Lateness::default(),
            recorder: Recorder::new(&drive, drive.now()),
            cut_after: None,
            moments: engine::Stream::new(drive.seed(), "serve/cuts"),
            last_cut: None,
            ending: false,
            buffer: Vec::new(),
            tell: Box::new(tell),
            drive,
        })
    }

    /// Lets hosts attach by NVMe over TCP, too, at the listeners of [`Front::Nvme`]; they find the
    /// drive at `place`.
    pub fn with_controller(mut self, about: About, place: SocketAddr) -> Self {
        self.nvme = Some(NvmeFront::new(about, place, &self.drive));
        self
    }

    /// Grants clients more or less than [`Limits::default`].
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.room.limits = limits;
        self
    }

    /// Serves until somebody says stop, or `stop` is set.
    ///
    /// # Errors
    /// What the system says of waiting; a client that fails is dropped.
    pub fn run(&mut self, stop: &AtomicBool) -> io::Result<()> {
        poll::exact_timers();
        self.clock.set(self.drive.now());
        self.recorder = Recorder::new(&self.drive, self.drive.now());
        while !self.ending && !stop.load(Ordering::Relaxed) {
            let is_through = self.advance();
            let wait = if is_through { self.wait() } else { std::time::Duration::ZERO };
            self.attend(wait)?;
        }
        self.advance();
        Ok(())
    }

    /// The drive, when it is no longer served.
    pub fn into_drive(self) -> LiveDrive {
        self.drive
    }

    /// How far the model may run now. Nothing arrives while an answer is on its way, so that a
    /// model that runs ahead by this time does not miss what the answer brings about.
    fn horizon(&self) -> Instant {
        self.clock.now() + self.early()
    }

    fn early(&self) -> Duration {
        self.clock.model(self.options.early)
    }

    /// Lets the model run up to now and sends what has ended. False if it has more to do by now.
    fn advance(&mut self) -> bool {
        let is_through = self.drive.run(self.horizon());
        while let Some(end) = self.drive.take_end() {
            self.answer(end);
            if self.is_cut_due() {
                self.cut_power();
            }
        }
        self.advance_nvme();
        self.send_answers();
        let now = self.clock.now();
        if now >= self.recorder.due() {
            self.recorder.sample(&self.drive, now);
        }
        is_through
    }

    /// Gives a request to the drive, at the time at which it came.
    fn submit(&mut self, arrival: Arrival, asker: Asker) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if let Some(nvme) = self.nvme.as_mut().filter(|_| asker.is_write()) {
            nvme.written();
        }
        self.asked.insert(ticket, asker);
        self.drive.submit(Arrival { ticket, ..arrival }, self.clock.now());
    }

    /// Gives a client its answer.
    fn answer(&mut self, end: End) {
        let Some(asker) = self.asked.remove(&end.ticket) else { return };
        if !matches!(asker, Asker::Controller) {
            self.lateness.count(end.due, self.horizon());
        }
        if let Some(left) =
            self.cut_after.as_mut().filter(|_| asker.is_write() && end.result.is_ok())
        {
            *left = left.saturating_sub(1);
        }
        match asker {
            Asker::Nbd { client, request } => self.answer_nbd(client, &request, end.result),
            Asker::Nvme { client, ticket, owed, .. } => {
                self.answer_nvme((client, ticket), owed, end.result);
            }
            Asker::Vhost { client, tag, .. } => self.answer_vhost(client, tag, end.result),
            Asker::Controller => {}
        }
    }

    fn is_cut_due(&self) -> bool {
        self.cut_after == Some(0) && self.drive.is_powered()
    }

    /// How long nothing will happen by itself.
    fn wait(&self) -> std::time::Duration {
        let busy = self.options.spin && self.drive.under_way() > 0;
        if busy || !self.turns.is_empty() {
            return std::time::Duration::ZERO;
        }
        let of_controller = self.nvme.as_ref().and_then(NvmeFront::next);
        let Some(next) = self.drive.next().into_iter().chain(of_controller).min() else {
            return LOOK;
        };
        let horizon = self.horizon();
        let left = self.clock.wall(next.max(horizon).since(horizon));
        let sleep = match self.drive.under_way() {
            0 => left,
            _ => left.saturating_sub(self.options.wake),
        };
        sleep.min(LOOK)
    }

    /// Waits for sockets, and serves those that are ready.
    fn attend(&mut self, wait: std::time::Duration) -> io::Result<()> {
        for ready in self.poll.wait(wait)? {
            match ready {
                poll::Ready::Listener(number) => self.accept(number)?,
                poll::Ready::Client(client, hung_up) => self.hear(client, hung_up),
                poll::Ready::Kick(client, queue) => self.kicked(client, queue),
            }
        }
        self.go_on();
        self.listen_again()?;
        self.drop_silent();
        Ok(())
    }
}
