//! What the machine tells the outside. Models hold no statistics; a probe that is not used costs
//! nothing, because calls are resolved when the program is built.

use crate::command::{Command, CommandId, Op, Status};
use crate::payload::Payload;
use engine::Instant;

/// One I/O of a workload, at its end.
#[derive(Clone, Copy, Debug)]
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
    /// each [`crate::data::UNIT`].
    fn data_read(&mut self, _command: &Command<P>, _units: &[P]) {}
    /// A thread has done all its work.
    fn thread_done(&mut self, _thread: u32, _now: Instant) {}
}

impl<P: Payload> Probe<P> for () {}
