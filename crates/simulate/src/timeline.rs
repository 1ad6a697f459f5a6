//! A run over time: counters that exist are read at the ends of samples, and nothing is done for an
//! I/O.
//!
//! The length of a run is not known in advance. Samples begin at a millisecond and are made twice
//! as long, two of them becoming one, whenever there are [`SAMPLES`]: of any run between half and
//! all of that number are left, and reading them costs next to nothing.

use super::observe::Observer;
use engine::Instant;
use iopath::device::flash::drive::Drive;
use iopath::machine::Machine;
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
    /// Bytes that the host had written, if the flash drive knows them.
    accepted: u64,
    flash: u64,
    moved: u64,
    energy_pj: u128,
    /// `None` without flash.
    levels: Option<Levels>,
    celsius: Option<f64>,
}

/// How the flash of all drives is at one time, as simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Levels {
    /// Room in the blocks of the SLC caches, bytes.
    pub slc_used: u64,
    /// What the caches may grow to, bytes.
    pub slc_room: u64,
    /// Share of the logical units that hold data.
    pub mapped: f64,
}

/// Levels of some drives together; `None` of none.
pub(super) fn levels<'a>(drives: impl Iterator<Item = &'a Drive<()>>) -> Option<Levels> {
    let (mut all, mut mapped, mut logical) = (None::<Levels>, 0, 0);
    for drive in drives {
        let (ftl, unit) = (drive.ftl(), u64::from(drive.config().geometry.unit_bytes));
        let levels = all.get_or_insert_default();
        levels.slc_used += ftl.slc_used() * unit;
        levels.slc_room += ftl.slc_budget() * unit;
        mapped += u64::from(ftl.map().mapped());
        logical += u64::from(ftl.map().logical_units());
        levels.mapped = mapped as f64 / logical.max(1) as f64;
    }
    all
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
        reading.levels = levels(flash.iter().map(|&address| machine.drive(address)));
        for &address in flash {
            let drive = machine.drive(address);
            reading.add(drive);
            let celsius = drive.heat(now).map(|heat| heat.celsius());
            let warmest = reading.celsius.into_iter().chain(celsius).reduce(f64::max);
            reading.celsius = warmest;
        }
        reading
    }

    fn add(&mut self, drive: &Drive<()>) {
        let (ftl, unit) = (drive.ftl(), u64::from(drive.config().geometry.unit_bytes));
        let ledger = ftl.ledger();
        self.accepted += ledger.accepted * unit;
        self.flash += ledger.total() * unit;
        self.moved += (ledger.copies + ledger.folding + ledger.levelling + ledger.refresh) * unit;
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
        let moved = self.moved - earlier.moved;
        let accepted = (self.accepted - earlier.accepted) as f64;
        let flash = self.levels.map(|levels| StretchFlash {
            host_bytes: if single { accepted } else { bytes[1] },
            flash_bytes: (self.flash - earlier.flash) as f64,
            moved_bytes: moved as f64,
            moving_s: if moved > 0 { seconds } else { 0.0 },
            slc_used_bytes: levels.slc_used as f64,
            slc_room_bytes: levels.slc_room as f64,
            mapped: levels.mapped,
        });
        let joules = (self.energy_pj - earlier.energy_pj) as f64 / 1e12;
        let (ios, joules, celsius) = (Some(ios), Some(joules), self.celsius);
        Stretch { seconds, bytes, ios, flash, joules, celsius }
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
