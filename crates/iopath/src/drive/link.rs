//! The interface: two directions that each serve in order, or one wire for both.

use crate::config::LinkConfig;
use engine::{Duration, FifoServer, Instant};

/// The link of one drive.
pub(super) struct Link {
    config: LinkConfig,
    down: FifoServer,
    up: FifoServer,
}

impl Link {
    pub(super) fn new(config: LinkConfig) -> Self {
        Link { config, down: FifoServer::default(), up: FifoServer::default() }
    }

    /// When `bytes` of write data that can start `now` are in the controller.
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, bytes: u64) -> Instant {
        let cost = self.config.down.time_for(bytes);
        if self.config.half_duplex { self.up.serve(now, cost) } else { self.down.serve(now, cost) }
    }

    /// When `bytes` of read data that are there `now` have reached the host. Data that is there a
    /// fixed time later is sent as if it were there now, and the fixed time is added to the result:
    /// a first-come-first-served wire behind a constant delay ends each transfer at the same time
    /// either way, and the calls stay in time order when the wire serves both directions.
    #[inline]
    pub(super) fn send(&mut self, now: Instant, bytes: u64) -> Instant {
        self.up.serve(now, self.config.up.time_for(bytes))
    }

    /// Time that the two directions have been in use.
    pub(super) fn busy(&self) -> (Duration, Duration) {
        (self.down.busy(), self.up.busy())
    }
}
