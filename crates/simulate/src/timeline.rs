//! A run over time: counters that exist are read at the ends of samples, and nothing is done for an
//! I/O.
//!
//! The length of a run is not known in advance. Samples begin at a millisecond and are made twice
//! as long, two of them becoming one, whenever there are [`SAMPLES`]: of any run between half and
//! all of that number are left, and reading them costs next to nothing.

use super::observe::Observer;
use engine::Instant;
use iopath::machine::{FlashTotals, Machine};
use stats::{PhaseKind, Stretch, StretchFlash, StretchIos, Timeline};

/// Samples at which they are made longer.
const SAMPLES: usize = 1024;
/// Length of a sample at first, ps.
const FIRST_PS: u64 = 1_000_000_000;

/// Counters and levels at one time.
#[derive(Clone, Copy, Default)]
struct Reading {
    at_ps: u64,
    ios: [u64; 3],
    bytes: [u64; 3],
    latency_ns: [u128; 3],
    energy_pj: u128,
    flash: FlashTotals,
}

impl Reading {
    fn of(machine: &Machine<(), Observer>, flash: &[u16], now: Instant) -> Reading {
        let mut reading = Reading { at_ps: now.ps(), ..Reading::default() };
        let probe = &machine.context.probe;
        for entry in &probe.entries {
            for (side, tally) in entry.directions.iter().enumerate() {
                reading.ios[side] += tally.clat.moments.n;
                reading.bytes[side] += tally.bytes;
                reading.latency_ns[side] += tally.clat.moments.sum;
            }
        }
        for (side, ramp) in probe.ramp.iter().enumerate() {
            reading.ios[side] += ramp.ios;
            reading.bytes[side] += ramp.bytes;
            reading.latency_ns[side] += u128::from(ramp.latency_ns);
        }
        reading.energy_pj = machine.energy_pj(now);
        reading.flash = FlashTotals::of(machine, flash.iter().copied(), now);
        reading
    }

    /// What happened from an earlier reading on. Of one drive its amplification is over what it
    /// accepted, of a system over what the jobs wrote.
    fn since(&self, earlier: &Reading, single: bool) -> Stretch {
        let seconds = (self.at_ps - earlier.at_ps) as f64 / 1e12;
        let sides = |of: fn(&Reading, usize) -> f64| {
            [0, 1, 2].map(|side| of(self, side) - of(earlier, side))
        };
        let bytes = sides(|reading, side| reading.bytes[side] as f64);
        let ios = StretchIos {
            count: sides(|reading, side| reading.ios[side] as f64),
            latency_s: [0, 1, 2]
                .map(|side| (self.latency_ns[side] - earlier.latency_ns[side]) as f64 / 1e9),
        };
        let moved = self.flash.moved - earlier.flash.moved;
        let accepted = (self.flash.accepted - earlier.flash.accepted) as f64;
        let flash = (self.flash.drives > 0).then(|| StretchFlash {
            host_bytes: if single { accepted } else { bytes[1] },
            flash_bytes: (self.flash.programmed - earlier.flash.programmed) as f64,
            moved_bytes: moved as f64,
            moving_s: if moved > 0 { seconds } else { 0.0 },
            slc_used_bytes: self.flash.slc_used as f64,
            slc_room_bytes: self.flash.slc_room as f64,
            mapped: self.flash.mapped_share(),
        });
        let joules = (self.energy_pj - earlier.energy_pj) as f64 / 1e12;
        let (ios, joules, celsius) = (Some(ios), Some(joules), self.flash.celsius);
        Stretch { seconds, bytes, ios, flash, joules, celsius, ..Stretch::default() }
    }
}

/// Reads a run.
pub(super) struct Recorder {
    line: Timeline,
    last: Reading,
    /// When the counters were read last.
    looked: Instant,
    sample_ps: u64,
    due_ps: u64,
    single: bool,
}

impl Recorder {
    /// Begins at `now`; `single`: one flash drive is all there is.
    pub(super) fn new(
        machine: &Machine<(), Observer>,
        flash: &[u16],
        now: Instant,
        single: bool,
    ) -> Recorder {
        let last = Reading::of(machine, flash, now);
        let due_ps = now.ps().saturating_add(FIRST_PS);
        Recorder { line: Timeline::new(), last, looked: now, sample_ps: FIRST_PS, due_ps, single }
    }

    /// When the next sample ends, ps.
    pub(super) fn due_ps(&self) -> u64 {
        self.due_ps
    }

    /// What follows belongs to this phase.
    pub(super) fn begin(&mut self, name: &str, kind: Option<PhaseKind>) {
        self.line.begin(name, kind);
    }

    /// Ends a sample at `now`, or at once if the one before ended later.
    pub(super) fn sample(&mut self, machine: &Machine<(), Observer>, flash: &[u16], now: Instant) {
        // Drives may have been looked at later than the last I/O ended.
        self.looked = now.max(machine.context.queue.now()).max(self.looked);
        let mut reading = Reading::of(machine, flash, self.looked);
        reading.at_ps = now.ps().max(self.last.at_ps);
        self.line.push(reading.since(&self.last, self.single));
        self.last = reading;
        if self.line.len() >= SAMPLES {
            self.line.halve();
            self.sample_ps = self.sample_ps.saturating_mul(2);
        }
        self.due_ps = reading.at_ps.saturating_add(self.sample_ps);
    }

    /// Ends the last sample of a phase. Flash pays for an operation when it begins: over a rest of
    /// microseconds its energy would be hundreds of watts, so a short rest is no sample.
    pub(super) fn end(&mut self, machine: &Machine<(), Observer>, flash: &[u16], now: Instant) {
        self.sample(machine, flash, now);
        self.line.join_rest(self.sample_ps as f64 / 2e12);
    }

    /// All of it.
    pub(super) fn finish(self) -> Timeline {
        self.line
    }
}

/// The drives over an idle time of this many parts: `pass` lets each go by.
pub(super) fn idle(
    machine: &mut Machine<(), Observer>,
    flash: &[u16],
    single: bool,
    pass: impl FnOnce(&mut Machine<(), Observer>, &mut dyn FnMut(&Machine<(), Observer>, Instant)),
) -> Timeline {
    let now = machine.context.queue.now();
    let mut recorder = Recorder::new(machine, flash, now, single);
    recorder.begin("idle", Some(PhaseKind::Idle));
    pass(machine, &mut |machine, now| recorder.sample(machine, flash, now));
    recorder.finish()
}
