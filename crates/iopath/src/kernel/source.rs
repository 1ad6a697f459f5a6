//! The interface of everything that issues commands.

use super::Context;
use super::payload::Payload;
use super::probe::Probe;
use engine::Event;

/// A node that receives no commands: it issues its own.
pub trait Source<P: Payload> {
    /// Begins.
    fn start<O: Probe<P>>(&mut self, context: &mut Context<P, O>);

    /// Begins nothing more.
    fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>);

    /// An event of this node.
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event);

    /// Panics unless all bookkeeping agrees; O(n).
    fn audit(&self) {}
}
