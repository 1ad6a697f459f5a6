//! What the array's own work costs: threads, parity rates, the memory of a controller.

use super::config::{PAGE, StripeEngine};
use crate::kernel::Context;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Duration, FifoServers, Instant};

/// The work of one operation.
#[derive(Clone, Copy, Default, Debug)]
pub struct Work {
    /// Rows of bytes of a stripe that are handled.
    pub rows: u64,
    /// Commands to members.
    pub commands: u64,
    /// Bytes that go into P, and into Q.
    pub xor: u64,
    pub syndrome: u64,
    /// Bytes through the memory.
    pub moved: u64,
}

/// Which processors do the work.
pub struct Engine {
    config: StripeEngine,
    threads: Option<FifoServers>,
    /// Nothing costs anything.
    free: bool,
}

impl Engine {
    /// Idle threads.
    pub fn new(config: &StripeEngine) -> Self {
        let free = config.threads == 0 && config.pool.is_none() && config.memory.is_none();
        let threads =
            (config.threads > 0 && config.pool.is_none()).then(|| FifoServers::new(config.threads));
        Engine { config: config.clone(), threads, free }
    }

    /// Busy time and number of its own threads.
    pub fn busy(&self) -> Option<(Duration, u32)> {
        self.threads.as_ref().map(|threads| (threads.busy(), self.config.threads))
    }

    /// Power was cut: nothing is in flight.
    pub fn reset(&mut self) {
        *self = Engine::new(&self.config);
    }

    /// When a command from above is taken note of and `bytes` of it have moved.
    #[inline]
    pub fn command<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        bytes: u64,
    ) -> Instant {
        if self.free {
            return context.queue.now();
        }
        self.spend(context, self.config.command, bytes)
    }

    /// When the work of an operation is done.
    #[inline]
    pub fn operation<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        work: Work,
    ) -> Instant {
        if self.free {
            return context.queue.now();
        }
        let c = &self.config;
        let mut cost = c.row * work.rows.div_ceil(PAGE as u64) + c.member * work.commands;
        if let (Some(rate), true) = (c.xor, work.xor > 0) {
            cost += rate.time_for(work.xor);
        }
        if let (Some(rate), true) = (c.syndrome, work.syndrome > 0) {
            cost += rate.time_for(work.syndrome);
        }
        self.spend(context, cost, work.moved)
    }

    fn spend<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        cost: Duration,
        moved: u64,
    ) -> Instant {
        let now = context.queue.now();
        let mut at = now;
        if cost > Duration::ZERO {
            at = match (&mut self.threads, self.config.pool) {
                (Some(threads), _) => threads.serve(now, cost),
                (None, Some(pool)) => context.shared.pools[pool].serve(now, cost),
                (None, None) => now,
            };
        }
        if let (Some((pool, rate)), true) = (self.config.memory, moved > 0) {
            at = at.max(context.shared.pools[pool].serve(now, rate.time_for(moved)));
        }
        at
    }
}
