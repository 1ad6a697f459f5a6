//! A device with the socket of its frontend. Nothing here waits.

use crate::config::{Disk, QUEUES};
use crate::device::{Device, Next, Request, Tag};
use crate::fault::Fault;
use crate::request::Status;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::RecvFlags;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use vhost::vhost_user::message::{FrontendReq, MAX_MSG_SIZE};
use vhost::vhost_user::{BackendReqHandler, Error};

/// Bytes of the header of a message: what is asked, flags, bytes behind it.
const HEADER: usize = 12;
/// A message of which a part has come is waited for so long.
const PATIENCE: Duration = Duration::from_millis(100);
/// Requests that are taken before everybody else has a turn.
const AT_ONCE: usize = 1024;

/// What came of listening to a frontend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// There is no whole message.
    Nothing,
    /// A message was obeyed.
    Message,
    /// A message waits until requests have ended: see [`Link::is_waiting`].
    Waits,
    /// The frontend has closed.
    End,
}

/// An event by which a guest kicks a queue: it is to be watched from now on, or no more.
#[derive(Clone, Debug)]
pub enum Change {
    /// Watched, for the queue of this number.
    Watch(usize, Arc<File>),
    /// No more.
    Forget(Arc<File>),
}

/// A device in front of the frontend at a socket.
pub struct Link {
    socket: UnixStream,
    handler: BackendReqHandler<Mutex<Device>>,
    device: Arc<Mutex<Device>>,
    /// The events that were said to be watched.
    watched: Vec<Option<Arc<File>>>,
    /// When the first part of a message came that is not whole.
    since: Option<Instant>,
    /// A message waits until nothing of this queue is under way, or of any.
    waits_for: Option<Option<usize>>,
}

impl Link {
    /// A device for the frontend at a socket.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(socket: UnixStream, disk: Disk) -> io::Result<Self> {
        let device = Arc::new(Mutex::new(Device::new(disk)));
        let handler = BackendReqHandler::from_stream(socket.try_clone()?, device.clone());
        let watched = vec![None; QUEUES.into()];
        Ok(Link { socket, handler, device, watched, since: None, waits_for: None })
    }

    /// Nobody else holds it while we do: there is one thread.
    fn device(&self) -> MutexGuard<'_, Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Obeys a message, if a whole one is there. The handler would wait for the rest of one, and
    /// for room for its answer.
    ///
    /// # Errors
    /// What makes an end of the connection.
    pub fn hear(&mut self) -> Result<Heard, Fault> {
        let mut first = [0; HEADER + 4];
        let len = match rustix::net::recv(&self.socket, &mut first[..], RecvFlags::PEEK) {
            Ok((0, _)) => return Ok(Heard::End),
            Ok((len, _)) => len,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(Heard::Nothing),
            Err(error) => return Err(Fault::System(error.into())),
        };
        let there = rustix::io::ioctl_fionread(&self.socket).map_err(io::Error::from)?;
        let (code, behind, index) = (word(&first, 0), word(&first, 8), word(&first, 12));
        if len >= HEADER && behind as usize > MAX_MSG_SIZE {
            return Err(Fault::Message("it is too long".to_owned()));
        }
        if len < HEADER || there < HEADER as u64 + u64::from(behind) {
            return self.wait();
        }
        self.since = None;
        if let Some(queue) = stops(code, index)
            && !self.device().pause(queue)
        {
            self.waits_for = Some(queue);
            return Ok(Heard::Waits);
        }
        self.waits_for = None;
        self.check_room()?;
        match self.handler.handle_request() {
            Ok(()) => Ok(Heard::Message),
            Err(Error::Disconnected) => Ok(Heard::End),
            Err(error) => Err(Fault::Message(error.to_string())),
        }
    }

    /// A part of a message is there.
    #[allow(clippy::disallowed_methods, reason = "a frontend is waited for by the clock")]
    fn wait(&mut self) -> Result<Heard, Fault> {
        let since = *self.since.get_or_insert_with(Instant::now);
        match since.elapsed() < PATIENCE {
            true => Ok(Heard::Nothing),
            false => Err(Fault::Message("the rest of it does not come".to_owned())),
        }
    }

    /// A frontend that takes no answers gets no more of them.
    fn check_room(&self) -> Result<(), Fault> {
        let mut polled = [PollFd::new(&self.socket, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        match rustix::event::poll(&mut polled, Some(&now)) {
            Ok(0) => Err(Fault::Message("answers are not taken".to_owned())),
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Fault::System(error.into())),
        }
    }

    /// Whether its frontend waits until requests have ended. No more is heard of it until then.
    pub fn is_waiting(&self) -> bool {
        let under_way = |queue: Option<usize>| {
            let device = self.device();
            match queue {
                Some(queue) => device.rings.get(queue).is_some_and(|ring| ring.under_way > 0),
                None => device.under_way() > 0,
            }
        };
        self.waits_for.is_some_and(under_way)
    }

    /// Which kicks are to be watched, and which no more, since it was asked before.
    pub fn changes(&mut self) -> Vec<Change> {
        let device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = Vec::new();
        for (queue, watched) in self.watched.iter_mut().enumerate() {
            let wanted = device.kick_of(queue);
            let is_same = match (&*watched, wanted) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                (one, other) => one.is_none() && other.is_none(),
            };
            if !is_same {
                changes.extend(watched.take().map(Change::Forget));
                changes.extend(wanted.map(|kick| Change::Watch(queue, kick.clone())));
                *watched = wanted.cloned();
            }
        }
        changes
    }

    /// The kicks that are watched. It is the end of it.
    pub fn into_watched(self) -> impl Iterator<Item = Arc<File>> {
        self.watched.into_iter().flatten()
    }

    /// Takes a kick of a queue.
    ///
    /// # Errors
    /// Something else than an event.
    pub fn take_kick(&self, queue: usize) -> Result<(), Fault> {
        let Some(kick) = self.watched.get(queue).and_then(Option::as_ref) else { return Ok(()) };
        match (&**kick).read(&mut [0; 8]) {
            Ok(8) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Ok(_) => Err(Fault::Ring { queue, what: "its kicks are no events".to_owned() }),
            Err(error) => Err(Fault::System(error)),
        }
    }

    /// Takes what the guest asks for.
    ///
    /// # Errors
    /// Rings and chains that cannot be.
    pub fn take(&mut self) -> Result<Vec<Request>, Fault> {
        let mut device = self.device();
        let mut requests = Vec::new();
        for _ in 0..AT_ONCE {
            match device.next_request()? {
                Next::Asked(request) => requests.push(request),
                Next::Answered => {}
                Next::Nothing => return Ok(requests),
            }
        }
        device.kick();
        Ok(requests)
    }

    /// A piece of a request has ended.
    ///
    /// # Errors
    /// A place for the status that is not in the memory of the guest.
    pub fn complete(&mut self, tag: Tag, result: Result<Vec<u8>, Status>) -> Result<(), Fault> {
        self.device().complete(tag, result)
    }

    /// Tells the guest of all that has ended.
    ///
    /// # Errors
    /// Rings that are not in its memory.
    pub fn call(&mut self) -> Result<(), Fault> {
        self.device().call()
    }
}

/// Whether a message ends a queue, or all: what is under way there ends before.
fn stops(code: u32, index: u32) -> Option<Option<usize>> {
    match FrontendReq::try_from(code) {
        Ok(FrontendReq::GET_VRING_BASE) => Some(usize::try_from(index).ok()),
        Ok(FrontendReq::RESET_DEVICE | FrontendReq::RESET_OWNER) => Some(None),
        _ => None,
    }
}

/// A number in the byte order of this machine, as both sides have it.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_ne_bytes)
}
