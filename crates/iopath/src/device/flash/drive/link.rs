//! The interface: two directions that each serve in order, or one wire for both.

use crate::device::flash::config::{ControllerConfig, LinkConfig};
use engine::{Bandwidth, Duration, FifoServer, Instant};

/// The link of one drive.
pub(super) struct Link {
    config: LinkConfig,
    down: FifoServer,
    up: FifoServer,
    write_path: Path,
    read_path: Path,
}

/// What the controller does with the data behind the link, at a rate of its own (encryption,
/// parity, checks). It works while data streams through, so the slower of both sets the pace.
struct Path {
    rate: Option<Bandwidth>,
    server: FifoServer,
}

impl Path {
    fn new(rate: Option<Bandwidth>) -> Self {
        Path { rate, server: FifoServer::default() }
    }

    #[inline]
    fn through(&mut self, now: Instant, bytes: u64, at: Instant) -> Instant {
        match self.rate {
            None => at,
            Some(rate) => at.max(self.server.serve(now, rate.time_for(bytes))),
        }
    }
}

impl Link {
    pub(super) fn new(config: LinkConfig, controller: &ControllerConfig) -> Self {
        Link {
            config,
            down: FifoServer::default(),
            up: FifoServer::default(),
            write_path: Path::new(controller.write_path),
            read_path: Path::new(controller.read_path),
        }
    }

    /// When `bytes` of write data that can start `now` are in the controller, of which `stored`
    /// are kept.
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, bytes: u64, stored: u64) -> Instant {
        let cost = self.config.down.time_for(bytes);
        let wire = if self.config.half_duplex { &mut self.up } else { &mut self.down };
        let at = wire.serve(now, cost);
        self.write_path.through(now, stored, at)
    }

    /// When `bytes` of read data that are there `now` have reached the host. Data that is there a
    /// fixed time later is sent as if it were there now, and the fixed time is added to the result:
    /// a first-come-first-served wire behind a constant delay ends each transfer at the same time
    /// either way, and the calls stay in time order when the wire serves both directions.
    #[inline]
    pub(super) fn send(&mut self, now: Instant, bytes: u64) -> Instant {
        let at = self.up.serve(now, self.config.up.time_for(bytes));
        self.read_path.through(now, bytes, at)
    }

    /// Time that the controller's data paths have been in use: for writes, and for reads.
    pub(super) fn paths_busy(&self) -> (Duration, Duration) {
        (self.write_path.server.busy(), self.read_path.server.busy())
    }

    /// Time that the two directions have been in use.
    pub(super) fn busy(&self) -> (Duration, Duration) {
        (self.down.busy(), self.up.busy())
    }
}
