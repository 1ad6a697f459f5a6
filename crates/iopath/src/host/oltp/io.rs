//! The guest's disk: what is issued and why, at most this many at once.

use super::config::OltpConfig;
use crate::kernel::Context;
use crate::kernel::command::{Command, Op};
use crate::kernel::payload::Payload;
use crate::kernel::probe::{Cause, Probe};
use std::collections::VecDeque;

/// Bits of a command's tag that hold its recipient; the cause is above.
const OWNER_BITS: u32 = 28;

/// One I/O that is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub cause: Cause,
    /// The recipient: a thread, or a place in a batch.
    pub owner: u32,
    /// First byte on the target.
    pub start: u64,
    pub len: u32,
}

/// I/Os in flight and waiting for a place in the queue of the disk.
#[derive(Debug)]
pub(super) struct Disk {
    target: u16,
    namespace: u16,
    depth: u32,
    in_flight: u32,
    waiting: VecDeque<Asked>,
    written: u32,
}

impl Disk {
    pub(super) fn new(config: &OltpConfig) -> Self {
        Disk {
            target: config.target,
            namespace: config.namespace,
            depth: config.queue_depth,
            in_flight: 0,
            waiting: VecDeque::new(),
            written: 0,
        }
    }

    /// Issues an I/O as soon as there is room.
    #[inline]
    pub(super) fn ask<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        node: u16,
        asked: Asked,
    ) {
        if self.in_flight >= self.depth {
            self.waiting.push_back(asked);
        } else {
            self.issue(context, node, asked);
        }
    }

    /// An I/O has ended; another one may take its place.
    #[inline]
    pub(super) fn ended<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        node: u16,
    ) {
        self.in_flight -= 1;
        if let Some(next) = self.waiting.pop_front() {
            self.issue(context, node, next);
        }
    }

    fn issue<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        node: u16,
        asked: Asked,
    ) {
        self.in_flight += 1;
        let op = asked.cause.op();
        let payload = if op == Op::Write { P::next(&mut self.written) } else { P::default() };
        context.send(Command {
            namespace: self.namespace,
            target: self.target,
            parent: node,
            tag: (asked.cause as u32) << OWNER_BITS | asked.owner,
            issued: context.queue.now(),
            payload,
            ..Command::new(op, asked.start, asked.len)
        });
    }

    /// True if nothing is in flight.
    pub(super) fn is_at_rest(&self) -> bool {
        self.in_flight == 0
    }
}

/// The cause and the recipient of a command.
#[inline]
pub(super) fn read_tag(tag: u32) -> (Cause, u32) {
    let cause = Cause::ALL[(tag >> OWNER_BITS) as usize];
    (cause, tag & ((1 << OWNER_BITS) - 1))
}
