//! A served drive over time: counters that exist are read at the ends of samples.
//!
//! Nobody knows how long a drive will be served. Samples begin at a tenth of a second of the model
//! and are made twice as long, two of them becoming one, whenever there are `SAMPLES`.

use crate::drive::LiveDrive;
use engine::{Duration, Instant};
use iopath::machine::FlashTotals;
use stats::result::{DEFAULT_PERCENTILES, TIMELINE_MOST};
use stats::stretch::ByDirection;
use stats::{
    Direction, DirectionResult, JobResult, LatencyResult, RunResult, Series, Stretch, StretchFlash,
    StretchIos, SyncResult, Timeline,
};

/// Samples at which they are made longer.
const SAMPLES: usize = 1024;
/// Length of a sample at first.
const FIRST: Duration = Duration::from_ms(100);

/// Counters at one time.
#[derive(Clone, Copy, Default)]
struct Reading {
    at: Instant,
    ios: ByDirection,
    bytes: ByDirection,
    latency_s: ByDirection,
    energy_pj: u128,
    flash: FlashTotals,
}

impl Reading {
    fn of(drive: &LiveDrive, now: Instant) -> Self {
        let mut reading = Reading { at: now, ..Reading::default() };
        for (side, tally) in drive.tallies().directions().iter().enumerate() {
            reading.ios[side] = tally.latency().moments.n as f64;
            reading.bytes[side] = tally.bytes() as f64;
            reading.latency_s[side] = tally.latency().moments.sum as f64 / 1e9;
        }
        let machine = drive.machine();
        // The model may be ahead of the clock, never behind it.
        let looked = now.max(drive.now());
        reading.energy_pj = machine.energy_pj(looked);
        reading.flash = FlashTotals::of(machine, drive.flash(), looked);
        reading
    }

    /// What happened from an earlier reading on.
    fn since(&self, earlier: &Reading) -> Stretch {
        let seconds = self.at.since(earlier.at).as_s();
        let sides = |of: fn(&Reading) -> ByDirection| {
            let (now, then) = (of(self), of(earlier));
            [0, 1, 2].map(|side| now[side] - then[side])
        };
        let ios = StretchIos { count: sides(|r| r.ios), latency_s: sides(|r| r.latency_s) };
        let moved = self.flash.moved.saturating_sub(earlier.flash.moved);
        let flash = (self.flash.drives > 0).then(|| StretchFlash {
            host_bytes: self.flash.accepted.saturating_sub(earlier.flash.accepted) as f64,
            flash_bytes: self.flash.programmed.saturating_sub(earlier.flash.programmed) as f64,
            moved_bytes: moved as f64,
            moving_s: if moved > 0 { seconds } else { 0.0 },
            slc_used_bytes: self.flash.slc_used as f64,
            slc_room_bytes: self.flash.slc_room as f64,
            mapped: self.flash.mapped_share(),
        });
        Stretch {
            seconds,
            bytes: sides(|r| r.bytes),
            ios: Some(ios),
            flash,
            joules: Some(self.energy_pj.saturating_sub(earlier.energy_pj) as f64 / 1e12),
            celsius: self.flash.celsius,
            power_state: None,
            others_bytes: None,
        }
    }
}

/// Reads a served drive.
pub struct Recorder {
    line: Timeline,
    last: Reading,
    sample: Duration,
    due: Instant,
}

impl Recorder {
    /// Begins now.
    pub fn new(drive: &LiveDrive, now: Instant) -> Self {
        let mut line = Timeline::new();
        line.begin("served", None);
        Recorder { line, last: Reading::of(drive, now), sample: FIRST, due: now + FIRST }
    }

    /// When the next sample ends.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Ends a sample now.
    pub fn sample(&mut self, drive: &LiveDrive, now: Instant) {
        let reading = Reading::of(drive, now.max(self.last.at));
        self.line.push(reading.since(&self.last));
        self.last = reading;
        if self.line.len() >= SAMPLES {
            self.line.halve();
            self.sample = self.sample + self.sample;
        }
        self.due = reading.at + self.sample;
    }

    /// What follows is after an event of this name.
    pub fn begin(&mut self, name: &str, drive: &LiveDrive, now: Instant) {
        self.sample(drive, now);
        // Flash pays for an operation when it begins: a short rest would show hundreds of watts.
        self.line.join_rest(self.sample.as_s() / 2.0);
        self.line.begin(name, None);
    }

    /// The curve so far, in at most [`TIMELINE_MOST`] stretches.
    pub fn series(&self) -> Series {
        let mut line = self.line.clone();
        line.thin(TIMELINE_MOST);
        line.series("timeline")
    }

    /// Joules and seconds so far.
    pub fn energy(&self) -> (f64, f64) {
        self.line.total().map_or((0.0, 0.0), |all| (all.joules.unwrap_or(0.0), all.seconds))
    }
}

/// What clients asked of a drive in so many seconds, in model time, as a job of fio's would show
/// it: rates are over all of the time, rests included.
pub fn run(drive: &LiveDrive, timeline: Series, seconds: f64) -> RunResult {
    let mut job = JobResult { jobname: "clients".to_owned(), ..JobResult::default() };
    let runtime_ms = engine::whole(seconds * 1e3);
    job.job_runtime_ms = runtime_ms;
    job.elapsed_s = engine::whole(seconds.ceil());
    let tallies = drive.tallies();
    for (direction, tally) in Direction::ALL.into_iter().zip(tallies.directions()) {
        let n = tally.latency().moments.n;
        if n == 0 {
            continue;
        }
        let clat = LatencyResult::from_tally(tally.latency(), &DEFAULT_PERCENTILES);
        *job.direction_mut(direction) = DirectionResult {
            io_bytes: tally.bytes(),
            total_ios: n,
            runtime_ms,
            bw_bytes_s: engine::whole(tally.bytes() as f64 / seconds.max(1e-9)),
            iops: n as f64 / seconds.max(1e-9),
            lat: LatencyResult::from_moments(&tally.latency().moments),
            clat,
            ..DirectionResult::default()
        };
    }
    let flushes = tallies.flushes().latency();
    job.sync = SyncResult {
        total_ios: flushes.moments.n,
        lat: LatencyResult::from_tally(flushes, &DEFAULT_PERCENTILES),
    };
    RunResult { jobs: vec![job], timeline: Some(timeline), ..RunResult::default() }
}
