//! The interface: two directions that each serve in order, or one wire for both.

use crate::device::flash::config::{ControllerConfig, LinkConfig};
use engine::{Bandwidth, Duration, FifoServer, Instant, TransferTime};

/// The link of one drive.
pub(super) struct Link {
    down_time: TransferTime,
    up_time: TransferTime,
    /// Both directions share the wire of reads.
    half_duplex: bool,
    down: FifoServer,
    up: FifoServer,
    write_path: Option<Path>,
    read_path: Option<Path>,
}

/// What the controller does with the data behind the link, at a rate of its own (encryption,
/// parity, checks). It works while data streams through, so the slower of both sets the pace.
struct Path {
    time: TransferTime,
    server: FifoServer,
}

impl Path {
    fn new(rate: Bandwidth) -> Self {
        Path { time: TransferTime::new(rate), server: FifoServer::default() }
    }

    /// When data is through that can start `now` and is over the link at `at`.
    #[inline]
    fn through(&mut self, now: Instant, bytes: u64, at: Instant) -> Instant {
        at.max(self.server.serve(now, self.time.of(bytes)))
    }
}

impl Link {
    pub(super) fn new(config: &LinkConfig, controller: &ControllerConfig) -> Self {
        Link {
            down_time: TransferTime::new(config.down),
            up_time: TransferTime::new(config.up),
            half_duplex: config.half_duplex,
            down: FifoServer::default(),
            up: FifoServer::default(),
            write_path: controller.write_path.map(Path::new),
            read_path: controller.read_path.map(Path::new),
        }
    }

    /// When `bytes` of write data that can start `now` are in the controller, of which `stored`
    /// are kept.
    #[inline]
    pub(super) fn receive(&mut self, now: Instant, bytes: u64, stored: u64) -> Instant {
        let wire = if self.half_duplex { &mut self.up } else { &mut self.down };
        let at = wire.serve(now, self.down_time.of(bytes));
        self.write_path.as_mut().map_or(at, |path| path.through(now, stored, at))
    }

    /// When `bytes` of read data that are there `now` have reached the host. Data that is there a
    /// fixed time later is sent as if it were there now, and the fixed time is added to the result:
    /// a first-come-first-served wire behind a constant delay ends each transfer at the same time
    /// either way, and the calls stay in time order when the wire serves both directions.
    #[inline]
    pub(super) fn send(&mut self, now: Instant, bytes: u64) -> Instant {
        let at = self.up.serve(now, self.up_time.of(bytes));
        self.read_path.as_mut().map_or(at, |path| path.through(now, bytes, at))
    }

    /// Time that the controller's data paths have been in use: for writes, and for reads.
    pub(super) fn paths_busy(&self) -> (Duration, Duration) {
        let busy = |path: &Option<Path>| path.as_ref().map_or(Duration::ZERO, |p| p.server.busy());
        (busy(&self.write_path), busy(&self.read_path))
    }

    /// Time that the two directions have been in use.
    pub(super) fn busy(&self) -> (Duration, Duration) {
        (self.down.busy(), self.up.busy())
    }
}
