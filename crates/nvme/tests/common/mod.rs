//! A drive in memory, and a stream to a target over it.

pub mod drive;

pub use drive::MemoryDrive;

use nvme::initiator::{Connection, InitiatorError, Options, Queue};
use nvme::{Io, IoError, Target};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::rc::Rc;

pub const NAME: &str = "nqn.2026-01.org.example:drive";
pub const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001";
pub const DISCOVERY: &str = "nqn.2014-08.org.nvmexpress.discovery";
pub const BLOCK: u32 = 512;

/// A target, the time, and what commands for data fail with.
pub struct World {
    pub target: Target<MemoryDrive>,
    pub now: u64,
    pub failure: Option<IoError>,
    /// Commands for data are kept, not carried out.
    pub paused: bool,
    pub kept: VecDeque<Io>,
    next_link: u64,
}

pub type Shared = Rc<RefCell<World>>;

pub fn world() -> Shared {
    world_of(MemoryDrive::new(1 << 20))
}

pub fn world_of(drive: MemoryDrive) -> Shared {
    let place = "192.0.2.7:4420".parse().expect("an address");
    let target = Target::new(drive, NAME, place);
    let (failure, kept) = (None, VecDeque::new());
    Rc::new(RefCell::new(World { target, now: 0, failure, paused: false, kept, next_link: 0 }))
}

impl World {
    /// Carries out the commands for data that wait.
    pub fn work(&mut self) {
        self.kept.extend(std::iter::from_fn(|| self.target.next_io()));
        while !self.paused
            && let Some(io) = self.kept.pop_front()
        {
            let result = match self.failure {
                Some(error) => Err(error),
                None => Ok(self.target.back_mut().carry_out(&io)),
            };
            self.target.complete(io.ticket, result);
        }
    }

    /// Time passes.
    pub fn pass(&mut self, time: u64) {
        self.now += time;
        self.target.advance(self.now);
    }
}

/// One end of a connection; the target is the other.
pub struct Stream {
    pub world: Shared,
    pub link: u64,
}

impl Stream {
    pub fn new(world: &Shared) -> Stream {
        Stream::to(world, None)
    }

    /// One whose host has connected to this address.
    pub fn at(world: &Shared, place: SocketAddr) -> Stream {
        Stream::to(world, Some(place))
    }

    fn to(world: &Shared, place: Option<SocketAddr>) -> Stream {
        let mut inner = world.borrow_mut();
        let link = inner.next_link;
        inner.next_link += 1;
        inner.target.open(link, place);
        drop(inner);
        Stream { world: Rc::clone(world), link }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut world = self.world.borrow_mut();
        let now = world.now;
        let mut rest = bytes;
        while !rest.is_empty() {
            let _ = world.target.receive(self.link, &mut rest, now);
            world.work();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut world = self.world.borrow_mut();
        let Some(out) = world.target.output(self.link) else { return Ok(0) };
        let len = out.len().min(bytes.len());
        bytes[..len].copy_from_slice(&out[..len]);
        out.drain(..len);
        Ok(len)
    }
}

pub fn connection(qid: u16, controller: Option<u16>) -> Connection<'static> {
    Connection { qid, entries: 32, controller, subsystem: NAME, host: HOST, keep_alive_ms: 0 }
}

/// A queue of the administrator, enabled, and its controller.
pub fn admin(world: &Shared) -> (Queue<Stream>, u16) {
    admin_with(world, Options::default())
}

pub fn admin_with(world: &Shared, options: Options) -> (Queue<Stream>, u16) {
    let mut queue = Queue::open(Stream::new(world), options).expect("a handshake");
    let controller = queue.connect(&connection(0, None)).expect("a controller");
    queue.enable().expect("it is enabled");
    (queue, controller)
}

/// A queue for data of a controller.
pub fn io(world: &Shared, controller: u16) -> Queue<Stream> {
    io_with(world, controller, Options::default())
}

pub fn io_with(world: &Shared, controller: u16, options: Options) -> Queue<Stream> {
    let mut queue = Queue::open(Stream::new(world), options).expect("a handshake");
    queue.connect(&connection(1, Some(controller))).expect("a queue");
    queue
}

/// The status with which a command failed.
pub fn status<T: std::fmt::Debug>(result: Result<T, InitiatorError>) -> nvme::Status {
    result.expect_err("a command that fails").status().expect("a status")
}

pub fn number(bytes: &[u8], at: usize, len: usize) -> u128 {
    bytes[at..at + len].iter().rev().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}
