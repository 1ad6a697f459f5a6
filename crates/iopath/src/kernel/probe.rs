//! What the machine reports to the outside. Models hold no statistics; a probe that is not used
//! costs nothing, because calls are resolved when the program is built.

use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use engine::{Duration, Instant};

/// One I/O of a workload, at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoDone {
    /// The thread that issued it.
    pub thread: u32,
    /// What it was.
    pub op: Op,
    /// First byte, relative to the target.
    pub start: u64,
    /// Bytes.
    pub len: u32,
    /// When the thread began to submit it.
    pub issued: Instant,
    /// When the submission was done.
    pub submitted: Instant,
    /// When the thread saw it done.
    pub completed: Instant,
    /// How it ended.
    pub status: Status,
}

/// Why a database server issued an I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Cause {
    /// A page that was not in the pool.
    PageRead,
    /// The redo log.
    LogWrite,
    /// Making it durable.
    LogFlush,
    /// Dirty pages on their way to the doublewrite buffer.
    DoubleWrite,
    /// Making these durable.
    DoubleFlush,
    /// A dirty page in its place.
    PageWrite,
    /// Making a data file durable.
    FileFlush,
}

impl Cause {
    /// All of them, in order.
    pub const ALL: [Cause; 7] = [
        Cause::PageRead,
        Cause::LogWrite,
        Cause::LogFlush,
        Cause::DoubleWrite,
        Cause::DoubleFlush,
        Cause::PageWrite,
        Cause::FileFlush,
    ];

    /// What is asked of the disk.
    pub fn op(self) -> Op {
        match self {
            Cause::PageRead => Op::Read,
            Cause::LogWrite | Cause::DoubleWrite | Cause::PageWrite => Op::Write,
            Cause::LogFlush | Cause::DoubleFlush | Cause::FileFlush => Op::Flush,
        }
    }
}

/// One I/O of a database server, at its end.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseIo {
    /// The server's node.
    pub server: u16,
    /// What it was for.
    pub cause: Cause,
    /// Bytes; 0 for a flush.
    pub len: u32,
    /// When the disk got it, after waiting in the guest.
    pub issued: Instant,
    /// When it was done.
    pub completed: Instant,
    /// How it ended.
    pub status: Status,
}

/// What a transaction spends its time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Part {
    /// Computing, and waiting for a processor.
    Processor,
    /// Reading pages, and waiting for the disk.
    Page,
    /// Waiting until dirty pages are written, so that there is room for others or in the log.
    Frame,
    /// Making the log durable.
    Log,
}

impl Part {
    /// How many there are.
    pub const COUNT: usize = 4;
}

/// Time by [`Part`].
pub type Parts = [Duration; Part::COUNT];

/// One transaction, at its end.
#[derive(Clone, Copy, Debug)]
pub struct TransactionDone {
    /// The server's node.
    pub server: u16,
    /// The client that sent it.
    pub client: u32,
    /// When it began.
    pub began: Instant,
    /// When its commit was answered.
    pub ended: Instant,
    /// Where the time between went; the sum is all of it.
    pub parts: Parts,
}

/// What the search for the queue depth of a thread has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The next depth is tried.
    Next(u32),
    /// This one is the greatest; what follows is its measurement.
    Greatest(u32),
    /// Not even one I/O at a time stays within the limit.
    Nothing,
}

/// Sees what happens. Every method has an empty default.
pub trait Probe<P: Payload> {
    /// A thread begins to submit an I/O.
    fn io_issued(&mut self, _thread: u32, _now: Instant) {}
    /// An I/O has ended.
    fn io_done(&mut self, _io: &IoDone) {}
    /// A read found this payload in a logical unit (the default payload if never written).
    fn unit_read(&mut self, _unit: u64, _payload: P) {}
    /// A command that was issued from outside the machine has ended.
    fn command_done(&mut self, _id: CommandId, _command: &Command<P>, _now: Instant) {}
    /// A read that was issued from outside the machine has ended well with this data, one tag for
    /// each [`crate::kernel::data::UNIT`].
    fn data_read(&mut self, _command: &Command<P>, _units: &[P]) {}
    /// A client of a database server has ended a transaction.
    fn transaction_done(&mut self, _done: &TransactionDone) {}
    /// A database server uses a page, which was in its pool or not.
    fn page_used(&mut self, _server: u16, _found: bool) {}
    /// An I/O of a database server has ended.
    fn database_io(&mut self, _io: &DatabaseIo) {}
    /// The search for the queue depth of a thread has got so far.
    fn depth_found(&mut self, _thread: u32, _found: Found, _now: Instant) {}
    /// A thread has done all its work.
    fn thread_done(&mut self, _thread: u32, _now: Instant) {}
}

impl<P: Payload> Probe<P> for () {}
