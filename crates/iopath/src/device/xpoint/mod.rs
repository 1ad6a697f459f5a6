//! A module of 3D XPoint: dies that are written in place, behind a controller without a buffer.
//!
//! A unit of 4 KiB is striped over all dies, so the dies serve one command after another, as one
//! server. A command passes the controller (a fixed latency, and a least distance from the begin of
//! one command to that of the next, in time and by its bytes), the dies, and at the same time the
//! link: the slowest of them sets the pace. All serve first come, first served and are called in
//! time order, so all is arithmetic; one event a command is left, when the media has done its part.
//! A write is acknowledged then, never earlier: power loss loses nothing that was acknowledged.
//! There is nothing to collect and nothing to translate.

mod config;
mod device;

pub use config::{XPOINT_UNIT, XPointConfig, XPointPowerConfig};

use crate::device::completion::Completion;
use crate::device::health::Health;
use crate::kernel::Context;
use crate::kernel::command::{Command, Op};
use crate::kernel::data::Contents;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Bandwidth, Duration, FifoServer, Instant, saturated};

/// One module.
pub struct XPoint<P: Payload> {
    config: XPointConfig,
    completion: Completion,
    /// Begins of commands in the controller.
    gate: FifoServer,
    dies: FifoServer,
    /// Host to device and device to host.
    link: [FifoServer; 2],
    contents: Contents<P>,
    node: u16,
    address: u16,
    under_way: u32,
    gone: bool,
    health: Health,
    /// Bytes that the dies have read and written.
    media: [u64; 2],
}

impl<P: Payload> XPoint<P> {
    /// A fresh module. Its events go to `node`.
    ///
    /// # Panics
    /// If [`XPointConfig::check`] finds a fault.
    pub fn new(config: XPointConfig, seed: u64, node: u16) -> Self {
        if let Err(fault) = config.check() {
            panic!("{}: {}: {}", config.name, fault.key, fault.message);
        }
        XPoint {
            completion: Completion::new(&config.link, seed, &config.name),
            config,
            gate: FifoServer::default(),
            dies: FifoServer::default(),
            link: Default::default(),
            contents: Contents::default(),
            node,
            address: node,
            under_way: 0,
            gone: false,
            health: Health::default(),
            media: [0; 2],
        }
    }

    /// The configuration it was built from.
    pub fn config(&self) -> &XPointConfig {
        &self.config
    }

    /// Its own counters.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Bytes that the dies have written.
    pub fn media_written(&self) -> u64 {
        self.media[1]
    }

    /// Share of its rated life that is used, in millionths; above a million it is past it.
    pub fn used_ppm(&self) -> u64 {
        saturated(u128::from(self.media[1]) * 1_000_000 / u128::from(self.config.endurance_bytes))
    }

    /// Time that the dies have been in use.
    pub fn busy(&self) -> Duration {
        self.dies.busy()
    }

    /// Time in which the controller could begin no other command.
    pub fn gate_busy(&self) -> Duration {
        self.gate.busy()
    }

    /// Time in which the link to the module, and that to the host, was in use.
    pub fn link_busy(&self) -> [Duration; 2] {
        [self.link[0].busy(), self.link[1].busy()]
    }

    /// When the media has done its part of a command that is in the controller at `at`.
    fn serve(&mut self, at: Instant, command: &Command<P>) -> Instant {
        let c = &self.config;
        let (way, interval, rate) = match command.op {
            Op::Read => (1, c.read_interval, c.die_read),
            Op::Write => (0, c.write_interval, c.die_write),
            // Nothing is buffered and nothing mapped: there is nothing to do.
            Op::Trim | Op::Flush => return at + c.overhead,
        };
        let end = command.start + u64::from(command.len);
        let (first, last) = (command.start / XPOINT_UNIT, end.div_ceil(XPOINT_UNIT));
        let bytes = (last - first) * XPOINT_UNIT;
        let apart = interval.max(c.data_path.time_for(bytes));
        let begun = self.gate.serve(at, apart).ps() - apart.ps();
        let ready = Instant::from_ps(begun) + c.overhead;
        let dies = u64::from(c.dies);
        let all = |rate: Bandwidth| Bandwidth::from_base(rate.base() * dies);
        let mut time = all(rate).time_for(bytes);
        if command.op == Op::Write {
            // A unit that is written in part is read first.
            let head = !command.start.is_multiple_of(XPOINT_UNIT);
            let tail = !end.is_multiple_of(XPOINT_UNIT) && (!head || last - first > 1);
            let ragged = u64::from(head) + u64::from(tail);
            let modified = ragged * XPOINT_UNIT;
            time += all(c.die_read).time_for(modified);
            self.media[0] += modified;
            self.health.modify_bytes += modified;
            self.media[1] += bytes;
        } else {
            self.media[0] += bytes;
        }
        let media = self.dies.serve(ready, time);
        let wire = if way == 1 { c.link.up } else { c.link.down };
        let wire = self.link[way].serve(ready, wire.time_for(u64::from(command.len)));
        media.max(wire)
    }

    /// Drops everything in flight; the dies and wires are free again.
    fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.under_way = 0;
        for server in [&mut self.gate, &mut self.dies] {
            *server = FifoServer::default();
        }
        self.link = Default::default();
    }

    /// True if nothing is in flight.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.under_way == 0
    }
}
