//! A fio job, measured.

mod length;
mod pilot;

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::metrics;
use crate::session::Session;
use crate::target::{Ran, Work};
use engine::{Duration, whole};
use length::Length;
use metric::State;
use schemars::JsonSchema;
use serde::Deserialize;
use simulate::Enough;
use stats::JobResult;
use std::collections::BTreeMap;

/// A rate that moves by more than this share of it from its first third to its last is not steady;
/// a third has at least so many windows.
const DRIFT: f64 = 0.1;
const LEAST_WINDOWS: usize = 3;

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
        let kind = (volume, self.one_of_many);
        let length = Length::of(session, &load, asked, kind, self.keep_size)?;
        // Time to fill the buffer and for collection to find its pace; a volume counts whole.
        let (ramp, seconds) = match (&self.ramp, self.volume) {
            (Some(written), _) => (session.seconds(written)?.unwrap_or(0.0), length.seconds),
            (None, _) if self.one_of_many => length::in_volume(session, length.seconds),
            (None, Some(true)) => (0.0, length.seconds),
            (None, _) => (length.ramp(session, &load), length.seconds),
        };
        let window_s = if seconds >= 10.0 { 1.0 } else { seconds / 20.0 };
        let told = |name: &String| name == "all" || name == "iops_cv";
        if window_s < 1.0 && session.formulas.keys().any(told) {
            session.warn("iops_cv is over windows shorter than 1 s");
        }
        let window = Duration::from_ps(whole(window_s * 1e12));
        let (keep_size, tried) = (self.keep_size, session.trying);
        let mut work =
            Work { window, keep_size, volume, tried, ..Work::timed(&load, ramp, seconds) };
        if let Some((enough, longest)) = length.counted {
            work.runtime_us = whole(longest * 1e6);
            // A ramp that is given is not cut.
            let given = Enough { ramp_ios: u64::MAX, most_ramp_ios: u64::MAX, ..enough };
            work.enough = Some(if self.ramp.is_some() { given } else { enough });
        }
        let ran = session.measure(&work)?;
        let seconds = if work.enough.is_some() { ran.measured_s } else { seconds };
        if let (false, Some(written), Some(asked)) = (volume, &self.time, asked) {
            session.cut_short(written, asked, seconds);
        }
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
        self.note_volume(session, &ran, start, length.all(ramp, seconds));
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
