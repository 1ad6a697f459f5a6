//! A module of 3D XPoint: dies that are written in place, behind a controller without a buffer.
//!
//! A unit of 4 KiB is striped over all dies, so the dies serve one command after another, as one
//! server. A command passes the controller (a fixed latency, and a least distance from the begin
//! of one command to that of the next, in time and by its bytes), the dies, and at the same time
//! the link: the slowest of them sets the pace. All serve first come, first served and are called
//! in time order, so all is arithmetic; one event a command is left, when the media has done its
//! part. A write is acknowledged then, never earlier: loss of power loses nothing that was
//! acknowledged. There is nothing to collect and nothing to translate.

mod config;

pub use config::{XPOINT_UNIT, XPointConfig, XPointPowerConfig};

use crate::command::{Command, CommandId, Op, Status};
use crate::data::{Contents, UNIT};
use crate::health::Health;
use crate::machine::Context;
use crate::payload::Payload;
use crate::probe::Probe;
use engine::{Bandwidth, Duration, Event, FifoServer, Instant, Lane};

/// One module.
pub struct XPoint<P: Payload> {
    config: XPointConfig,
    /// Begins of commands in the controller.
    gate: FifoServer,
    dies: FifoServer,
    /// Host to device and device to host.
    link: [FifoServer; 2],
    contents: Contents<P>,
    node: u16,
    address: u16,
    lane: Lane,
    under_way: u32,
    gone: bool,
    health: Health,
    /// Bytes that the dies have read and written.
    media: [u64; 2],
}

impl<P: Payload> XPoint<P> {
    /// A fresh module. Its events go to `node` of the machine that `context` belongs to.
    ///
    /// # Panics
    /// If [`XPointConfig::check`] finds a fault.
    pub fn new<O: Probe<P>>(config: XPointConfig, context: &mut Context<P, O>, node: u16) -> Self {
        if let Err(fault) = config.check() {
            panic!("{}: {}: {}", config.name, fault.key, fault.message);
        }
        XPoint {
            config,
            gate: FifoServer::default(),
            dies: FifoServer::default(),
            link: Default::default(),
            contents: Contents::default(),
            node,
            address: node,
            lane: context.queue.new_lane(),
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

    /// Bytes that the host sees.
    pub fn capacity(&self) -> u64 {
        self.config.user_bytes
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
        (u128::from(self.media[1]) * 1_000_000 / u128::from(self.config.endurance_bytes)) as u64
    }

    /// Time that the dies have been in use.
    pub fn busy(&self) -> Duration {
        self.dies.busy()
    }

    /// Energy used until `now`, idle power included, in picojoules.
    pub fn energy_pj(&self, now: Instant) -> u128 {
        let p = &self.config.power;
        // Microwatts times picoseconds are 10^-18 J: a millionth of a picojoule.
        let idle = u128::from(p.idle.base()) * u128::from(now.ps()) / 1_000_000;
        let each = |bytes: u64, energy: u64| u128::from(bytes) * u128::from(energy);
        let read = each(self.media[0], p.read_per_byte.base());
        idle + read + each(self.media[1], p.write_per_byte.base())
    }

    /// A command arrives from above.
    #[inline]
    pub fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let now = context.queue.now();
        let command = context.commands.get_mut(id);
        command.submitted = now;
        if self.gone {
            command.status = Status::DeviceGone;
            return context.complete(id, now);
        }
        let own = *command;
        debug_assert!(own.start + u64::from(own.len) <= self.config.user_bytes);
        self.under_way += 1;
        let done = self.serve(now + self.config.link.command_latency, &own);
        let event = Event { node: self.node, kind: 0, argument: id.0 };
        context.queue.push_either(self.lane, done, event);
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

    /// An event of this module: the media has done its part of a command.
    pub fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        let id = CommandId(event.argument);
        let command = *context.commands.get(id);
        let first = command.start / UNIT;
        let units = (command.start + u64::from(command.len)).div_ceil(UNIT) - first;
        match command.op {
            Op::Read => {
                self.health.read_commands += 1;
                self.health.host_read_bytes += u64::from(command.len);
                if P::CARRIED {
                    for i in 0..units {
                        context.data.put(id, i, self.contents.get(first + i));
                    }
                }
            }
            Op::Write => {
                self.health.write_commands += 1;
                self.health.host_write_bytes += u64::from(command.len);
                if P::CARRIED {
                    for i in 0..units {
                        let tag = context.data.get(id, i).unwrap_or(command.payload);
                        self.contents.set(first + i, tag);
                    }
                }
            }
            Op::Trim | Op::Flush => {}
        }
        self.under_way -= 1;
        let now = context.queue.now();
        context.complete(id, now + self.config.link.completion_latency);
    }

    /// Power fails: what is under way ends as gone. Nothing acknowledged is lost.
    pub fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        self.health.unsafe_shutdowns += 1;
        self.stop(context);
        self.node = node;
        0
    }

    /// The module dies: what is under way ends as gone, and nothing works from now on.
    pub fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.stop(context);
        self.gone = true;
    }

    /// Gives up all that is under way; the dies and wires are free again.
    fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.under_way = 0;
        for server in [&mut self.gate, &mut self.dies] {
            *server = FifoServer::default();
        }
        self.link = Default::default();
    }

    /// Does nothing in the background.
    pub fn idle<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// Does nothing in the background.
    pub fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// True if nothing is under way.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.under_way == 0
    }

    /// What it is doing, for messages.
    pub fn describe(&self) -> String {
        format!("{}: {} commands under way", self.config.name, self.under_way)
    }

    /// Panics unless all bookkeeping agrees.
    pub fn audit(&self) {
        let h = &self.health;
        assert!(self.media[0] >= h.modify_bytes, "units were modified and not read");
    }
}
