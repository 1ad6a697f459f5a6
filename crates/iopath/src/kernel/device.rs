//! The interface of everything that takes commands.

use super::Context;
use super::command::CommandId;
use super::payload::Payload;
use super::probe::Probe;
use engine::{Event, Instant};

/// A range of bytes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Address of the node.
    pub address: u16,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
}

/// A node that takes commands: a device, or a volume or path that sends its own to others below.
///
/// Time passes between the calls. A node never calls another: it sends commands with
/// [`Context::send`] and hears of their ends as events [`super::COMPLETED`].
pub trait Device<P: Payload> {
    /// Bytes that commands can address in its namespace 0.
    fn capacity(&self) -> u64;

    /// A command arrives from the parent node.
    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId);

    /// An event of this node.
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event);

    /// The host leaves the node alone from now on: work that waits for that may begin.
    fn idle<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// Time is about to stop: no more idle-time work.
    fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// Power fails and is back at once; events come to `node` from now on. Returns how much
    /// acknowledged data is lost: a flash drive counts mapping units, everything else bytes.
    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64;

    /// The node dies: what is inside completes as gone, and nothing works from now on.
    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>);

    /// Takes a write of a range in zero time, as hours of prewriting would leave it. What nodes
    /// below get of it is added to `below`.
    fn write_untimed(&mut self, _start: u64, _len: u64, _below: &mut Vec<Range>) {}

    /// The ranges of nodes below at which a write of a range ends in the long run, parity and
    /// mirrors included, are added to `below`. False if it stays in this node.
    fn destinations(&self, _start: u64, _len: u64, _below: &mut Vec<Range>) -> bool {
        false
    }

    /// Energy used until `now`, idle power included, pJ.
    fn energy_pj(&self, _now: Instant) -> u128 {
        0
    }

    /// What the node is doing, in one line, for messages about a machine that makes no progress.
    fn describe(&self) -> String;

    /// Panics unless all bookkeeping agrees; O(n).
    fn audit(&self) {}
}
