//! A fio job, measured.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::metrics;
use crate::session::Session;
use crate::target::{Ran, Work};
use engine::{Duration, whole};
use metric::{Pattern, State};
use schemars::JsonSchema;
use serde::Deserialize;
use stats::JobResult;
use std::collections::BTreeMap;

/// Shortest and longest measured time on a model where none is given, in seconds.
const RUNTIME_S: (f64, f64) = (1.0, 60.0);

/// A rate that moves by more than this share of it from its first third to its last is not steady;
/// a third has at least so many windows.
const DRIFT: f64 = 0.1;
const LEAST_WINDOWS: usize = 3;

/// Shortest measured time of a point of a sweep on a model, s.
const POINT_S: f64 = 0.2;

/// Shortest measured time of a brief run on a model, s.
const BRIEF_S: f64 = 0.02;

/// Runs a fio job and measures it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The job; the uniform one if it is not said.
    pub job: Option<String>,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Measured time. On a model it is an upper limit for a state that does not change, and a
    /// volume for one that does.
    pub time: Option<String>,
    /// A small region keeps its true size on a drive at a fraction of its capacity, because what it
    /// measures (a cache, a test file) does; otherwise it stays the share of the drive that it is.
    #[serde(default)]
    pub keep_size: bool,
    /// Whether the time means a volume and shrinks with the scale of a model; without it this
    /// follows from the state the drive is in.
    pub volume: Option<bool>,
    /// Time before anything is measured; that of the kind of measurement if it is not said.
    pub ramp: Option<String>,
    /// The job ends by itself, by its I/Os or bytes: it is measured from its first I/O to its last.
    #[serde(default)]
    pub whole: bool,
    /// Keep the distributions of its latencies, by the point of the sweeps under way.
    #[serde(default)]
    pub histograms: bool,
    /// It is one of many runs that follow each other, as the minutes of a long test: its time means
    /// a volume, however short that is on a part of a drive, and on such a part the first quarter,
    /// which goes into a write buffer that the run before would have left full, is not measured.
    #[serde(default)]
    pub one_of_many: bool,
    /// A job of one worker in order that goes on where the last one of its name ended, and from
    /// the beginning when less is left than that one moved. Without it each run begins at the
    /// first address, and repeated ones write the same place again and again.
    #[serde(default)]
    pub go_on: bool,
}

impl Action for Job {
    fn said(&self) -> String {
        let with = self.with.iter().map(|(name, value)| format!("{name} {value}"));
        let time = self.time.iter().map(|time| format!("for {time}"));
        let all: Vec<String> = with.chain(time).collect();
        match all.is_empty() {
            true => format!("job `{}`", self.name),
            false => format!("job `{}`: {}", self.name, all.join(", ")),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        let params = session.with(&self.with)?;
        let load = session.load(self.job.as_deref(), &params)?;
        let work = Work { keep_size: self.keep_size, ..Work::timed(&load, 0.0, 1.0) };
        session.target.check(&work)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let params = session.with(&self.with)?;
        let mut load = session.load(self.job.as_deref(), &params)?;
        session.tell(&self.name, 0.0);
        let start = if self.go_on { self.place_in(session, &load)? } else { 0 };
        if start > 0 {
            load.start_at(start, session.target.capacity());
        }
        if self.whole {
            return self.run_whole(session, &load);
        }
        let asked = match &self.time {
            Some(written) => session.seconds(written)?,
            None => None,
        };
        let writes = load.read < 1.0;
        let moving = session.written || session.state == State::Fresh && writes;
        let volume = self.volume.unwrap_or(self.one_of_many || moving);
        let (seconds, rate) =
            runtime(session, &load, asked, (volume, self.one_of_many), self.keep_size)?;
        if let (false, Some(written), Some(asked)) = (volume, &self.time, asked) {
            session.cut_short(written, asked, seconds);
        }
        // Time to fill the buffer and for collection to find its pace; a volume counts whole.
        let (ramp, seconds) = match (&self.ramp, self.volume) {
            (Some(written), _) => (session.seconds(written)?.unwrap_or(0.0), seconds),
            (None, _) if self.one_of_many => in_volume(session, seconds),
            (None, Some(true)) => (0.0, seconds),
            (None, _) => {
                let least = if session.options.brief { seconds.min(0.1) } else { 0.1 };
                let ramp = (seconds * 0.25).clamp(least, 1.0);
                (ramp.max(fill_time(session, &load, rate)), seconds)
            }
        };
        let window_s = if seconds >= 10.0 { 1.0 } else { seconds / 20.0 };
        let told = |name: &String| name == "all" || name == "iops_cv";
        if window_s < 1.0 && session.formulas.keys().any(told) {
            session.warn("iops_cv is over windows shorter than 1 s");
        }
        let window = Duration::from_ps(whole(window_s * 1e12));
        let (keep_size, tried) = (self.keep_size, session.trying);
        let work = Work { window, keep_size, volume, tried, ..Work::timed(&load, ramp, seconds) };
        let ran = session.measure(&work)?;
        let rates = ran.windows.as_ref().map(|windows| windows.iops(None)).unwrap_or_default();
        if let (false, Some((first, last))) = (volume, drift(&rates)) {
            session.warn(format!(
                "`{}` is not steady: {first:.0} IOPS in the first third of its time, {last:.0} in \
                 the last; the mean depends on how long it is measured",
                self.name
            ));
        }
        session.follow(&self.name, Some(&ran), volume);
        if self.histograms {
            let jobs: Vec<_> = ran.run.jobs.iter().collect();
            session.keep_histograms(&session.point(), &jobs);
        }
        // Random writing scatters what a fill had put in order.
        session.written |= writes && volume;
        self.note_volume(session, &ran, start, 1.0 + ramp / seconds.max(1e-9));
        session.results.insert(self.name.clone(), metrics::of(&ran));
        Ok(())
    }
}

impl Job {
    /// Where a load that goes on starts, bytes: where the last one ended, or the first byte if what
    /// is left of the target is too small a region for it.
    fn place_in(&self, session: &Session<'_>, load: &Load) -> Result<u64, Failure> {
        let end = session.ends.get(&self.name).copied().unwrap_or(0);
        let left = session.target.capacity().saturating_sub(end);
        let least = session.target.least_region(&Work::timed(load, 0.0, 1.0))?;
        Ok(if left < least { 0 } else { end })
    }

    /// Takes note of what a run has written, `all` times what was measured of it, and of where it
    /// ended.
    fn note_volume(&self, session: &mut Session<'_>, ran: &Ran, start: u64, all: f64) {
        let level = all / session.target.scale();
        let sum = |bytes: fn(&JobResult) -> u64| -> f64 {
            ran.run.jobs.iter().map(|job| bytes(job) as f64).sum::<f64>() * level
        };
        let (read, written) = (sum(|job| job.read().io_bytes), sum(|job| job.write().io_bytes));
        session.host_written += written;
        if self.go_on {
            let (end, capacity) = (start as f64 + read + written, session.target.capacity() as f64);
            let next = if end + read + written <= capacity { end } else { 0.0 };
            session.ends.insert(self.name.clone(), whole(next) >> 20 << 20);
        }
    }

    fn run_whole(&self, session: &mut Session<'_>, load: &Load) -> Result<(), Failure> {
        let values = session.measure_whole(&self.name, load, self.keep_size)?;
        session.written |= load.read < 1.0;
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// Share of a volume on a part of a drive that is written before the rate is measured. Each run
/// finds the write buffer empty, which holds little of the minutes of a real drive and much of the
/// part of them that is simulated.
const UNMEASURED: f64 = 0.25;

/// Time before anything is measured and measured time, s, of a volume that takes so many seconds.
fn in_volume(session: &Session<'_>, seconds: f64) -> (f64, f64) {
    match session.target.scale() < 1.0 {
        true => (seconds * UNMEASURED, seconds * (1.0 - UNMEASURED)),
        false => (0.0, seconds),
    }
}

/// What the first and the last third of some rates are, if they are apart by more than a tenth.
fn drift(rates: &[f64]) -> Option<(f64, f64)> {
    // The first and the last window may be cut by the measured time.
    let whole = rates.get(1..rates.len().saturating_sub(1))?;
    let third = whole.len() / 3;
    if third < LEAST_WINDOWS {
        return None;
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (first, last) = (mean(&whole[..third]), mean(&whole[whole.len() - third..]));
    ((last - first).abs() > DRIFT * first.max(last)).then_some((first, last))
}

/// Superblocks that a pilot run writes at least, and the shortest and longest, in microseconds.
const LEAST_SUPERBLOCKS: f64 = 6.0;
const SHORTEST_PILOT_US: u64 = 50_000;
const LONGEST_PILOT_US: u64 = 6_400_000;
/// Spare areas that writing in order uses up before it is measured, and the longest run that does,
/// in microseconds.
const SPARES: f64 = 1.2;
const LONGEST_TURNOVER_US: u64 = 30_000_000;
/// What volume caches hold is written so many times over before anything is measured, in so many
/// seconds at most: until they are full, writes are as fast as they are.
const CACHES: f64 = 4.0;
const LONGEST_FILL_S: f64 = 60.0;
/// Share of a region that writing in order to a filled drive measures at most: the few hundredths
/// that a review writes in its minutes, and more than a superblock at small scales.
const OF_A_PASS: f64 = 0.1;
/// Bytes of flash for a byte of the host's above which an array writes parity or copies as well.
const REDUNDANT: f64 = 1.1;

/// Least time that stands for a volume, s: less has too few I/Os for a mean. Of what an SLC cache
/// takes in that time the real drive would have to be written for minutes.
const LEAST_VOLUME_S: f64 = 0.5;
const LEAST_CACHED_S: f64 = 0.02;

/// Time until the volume caches of a model are full, s, at a rate of I/Os a second: each run finds
/// them as they were left at rest.
fn fill_time(session: &Session<'_>, load: &Load, rate: f64) -> f64 {
    let bytes = session.target.cache_bytes() * CACHES;
    let written = written_a_second(load, rate);
    if written > 0.0 { (bytes / written).min(LONGEST_FILL_S) } else { 0.0 }
}

/// Bytes that a load writes a second at a rate of I/Os a second.
fn written_a_second(load: &Load, rate: f64) -> f64 {
    rate * load.block as f64 * (1.0 - load.read)
}

/// Seconds of the target's time to measure, and its I/Os a second where they are known. On a model
/// a short pilot run says how fast it is. `many`: more than its share of the volume in this run
/// would leave another drive to the next.
fn runtime(
    session: &mut Session<'_>,
    load: &Load,
    asked: Option<f64>,
    (volume, many): (bool, bool),
    keep_size: bool,
) -> Result<(f64, f64), Failure> {
    if !session.target.modelled() {
        return Ok((asked.unwrap_or(RUNTIME_S.1), 0.0));
    }
    if volume {
        // The state moves with what is written: a time means a volume.
        let seconds = asked.unwrap_or(60.0) * session.target.scale();
        // An SLC cache of a part of a drive is full before long.
        let cached = session.target.slc_bytes() > 0.0;
        let least = if cached || many { LEAST_CACHED_S } else { LEAST_VOLUME_S };
        return Ok((seconds.clamp(least, seconds.max(RUNTIME_S.1)), 0.0));
    }
    let Pilot { rate, seconds: seen, flash } = pilot(session, load, keep_size)?;
    let seconds = session.options.ios as f64 / rate;
    let longest = asked.unwrap_or(RUNTIME_S.1).max(RUNTIME_S.0);
    // A sweep has many points, and each is the same drive in the same state.
    let shortest = match (session.options.brief, session.at.is_empty()) {
        (true, _) => BRIEF_S,
        (false, true) => RUNTIME_S.0.max(2.0 * seen),
        (false, false) => POINT_S.max(2.0 * seen),
    };
    let mut longest = longest.min(RUNTIME_S.1);
    if fills_again(session, load) {
        longest = longest.min(part_of_a_pass(session, load, keep_size, asked, rate));
        longest = longest.min(part_of_the_spare(session, written_a_second(load, rate), flash));
    }
    Ok((seconds.clamp(shortest.min(longest), longest), rate))
}

/// Whether a load writes in order over what a filled drive holds.
fn fills_again(session: &Session<'_>, load: &Load) -> bool {
    session.state == State::Filled && load.read < 1.0 && load.pattern == Pattern::Sequential
}

/// Seconds of writing in order that are a small part of a pass over the region, or the time asked
/// for if that is longer on the real drive. On a drive of a fraction of the capacity the same time
/// would be passes: parity that was written more than once takes spare area then, and an array is
/// collected that on real drives is not before hours.
fn part_of_a_pass(
    session: &Session<'_>,
    load: &Load,
    keep_size: bool,
    asked: Option<f64>,
    rate: f64,
) -> f64 {
    let scale = session.target.scale();
    let kept = if keep_size { 1.0 } else { scale };
    let devices = session.target.devices().len().max(1) as f64;
    let each = load.span.unwrap_or_else(|| session.target.capacity()) as f64;
    let region = each * devices * kept;
    let written = written_a_second(load, rate);
    (OF_A_PASS * region / written.max(1.0)).max(asked.unwrap_or(0.0) * scale)
}

/// Seconds of writing in order, so many bytes a second, that use up part of the spare area: parity
/// that is written more than once for a stripe leaves stale copies, up to half of what is written.
/// The turnover before the measurement took one spare area of writes, the measurement takes one
/// more. A real array of terabytes meets no collection in the minutes of a test; a small part of it
/// did in a second, the sooner the smaller it was.
fn part_of_the_spare(session: &Session<'_>, written: f64, flash: f64) -> f64 {
    let array = session.target.members() as usize > session.target.devices().len();
    match session.target.spare_bytes() {
        Some(spare) if array && flash > REDUNDANT && written > 0.0 => spare / (written * flash),
        _ => f64::INFINITY,
    }
}

/// What a short run tells of a load.
struct Pilot {
    /// I/Os a second.
    rate: f64,
    /// How long it was, s.
    seconds: f64,
    /// Bytes of flash for a byte of the host's.
    flash: f64,
}

/// A short run. In a steady state collection comes in waves as long as it takes to write a
/// superblock: a run that writes less than a few says nothing of the mean. Writes in order to a
/// filled drive meet no collection before its spare area is used up once, so that much is written
/// first.
fn pilot(session: &mut Session<'_>, load: &Load, keep_size: bool) -> Result<Pilot, Failure> {
    let window = Duration::from_s(1);
    let (mut us, mut programmed) = (SHORTEST_PILOT_US, 0.0);
    loop {
        let (ramp_us, runtime_us) = (us, us);
        let pilot =
            Work { ramp_us, runtime_us, pilot: true, keep_size, ..Work::pass(load, window) };
        let ran = session.target.run(&pilot)?;
        let ios: u64 = ran.run.jobs.iter().map(|j| j.total_ios()).sum();
        let rate = (ios as f64 / ran.measured_s.max(1e-9)).max(1.0);
        let written: u64 = ran.run.jobs.iter().map(|j| j.write().io_bytes).sum();
        let amplification = ran.write_amplification.unwrap_or(1.0);
        let flash = written as f64 * amplification;
        programmed += 2.0 * flash;
        let told = |us: u64| Pilot { rate, seconds: us as f64 / 1e6, flash: amplification };
        if load.read == 1.0 || session.state == State::Fresh {
            return Ok(told(us));
        }
        if fills_again(session, load) {
            let missing = session.target.spare_bytes().unwrap_or(0.0) * SPARES - programmed;
            if flash == 0.0 || missing <= 0.0 {
                return Ok(told(SHORTEST_PILOT_US));
            }
            us = whole(missing / flash * us as f64 / 2.0)
                .clamp(SHORTEST_PILOT_US, LONGEST_TURNOVER_US);
            continue;
        }
        let enough = LEAST_SUPERBLOCKS * session.target.superblock_bytes().unwrap_or(0.0);
        let spent = session.options.brief && ios >= session.options.ios / 4;
        if session.state != State::Steady || flash >= enough || us >= LONGEST_PILOT_US || spent {
            return Ok(told(us));
        }
        us *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_falls_is_not_steady() {
        let falling: Vec<f64> = (0..20).map(|i| 1000.0 - 20.0 * f64::from(i)).collect();
        let (first, last) = drift(&falling).unwrap();
        assert!(first > last && (first - 930.0).abs() < 1.0, "{first} {last}");
        let rising: Vec<f64> = falling.iter().rev().copied().collect();
        assert!(drift(&rising).is_some());
        // Noise is no drift, and a few windows say nothing.
        let noisy: Vec<f64> = (0..20).map(|i| 1000.0 + f64::from(i % 2) * 150.0).collect();
        assert_eq!(drift(&noisy), None);
        assert_eq!(drift(&falling[..9]), None);
        assert_eq!(drift(&[]), None);
    }
}
