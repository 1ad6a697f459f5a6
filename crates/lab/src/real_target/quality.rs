//! Whether a run of fio counts: what testers ask of it before they believe its numbers.

use super::{RealTarget, others};
use crate::target::{Sensed, Work};
use fio::JobFile;
use real::{Conditions, PermitKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use smart::counter;
use stats::{Direction, Gate, Judged, RunResult, Windows};

/// Most seconds that a machine may sleep: what two clocks that are read one after the other differ
/// by is far less.
const SLEPT_MOST_S: f64 = 0.5;
/// By which share a run may fall short of the rate that it asks for.
const SHORT_MOST: f64 = 0.03;
/// What a count of I/Os that come at random scatters by, in standard deviations.
const DEVIATIONS: f64 = 3.0;
/// Parts of a run whose rates are compared, the least length of one, s, and by how much they may
/// deviate from their mean.
const PARTS: usize = 5;
const PART_LEAST_S: f64 = 1.0;
const DEVIATION_MOST: f64 = 0.05;

/// What was seen while fio ran, beside what it measured itself.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Watched {
    /// Second by second.
    pub sensed: Vec<Sensed>,
    /// Share of the processors' time that was used, 0 to 1.
    pub processors_busy: Option<f64>,
    /// Bytes that the drives moved and fio did not, as far as they can be told.
    pub others_bytes: Option<f64>,
    /// Time that the machine slept, s.
    pub slept_s: Option<f64>,
    /// Whether a link of a drive became another one.
    pub link_changed: Option<bool>,
    /// Errors that the health logs of the drives counted.
    pub errors: Option<u64>,
}

/// Errors of all drives, as they were counted last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Errors {
    /// Nobody has asked.
    Unasked,
    /// There is no health log that tells.
    Unknown,
    /// So many.
    Counted(u64),
}

impl Errors {
    /// How many are new since an earlier count.
    pub(super) fn since(self, before: Self) -> Option<u64> {
        match (self, before) {
            (Errors::Counted(now), Errors::Counted(before)) => Some(now.saturating_sub(before)),
            _ => None,
        }
    }
}

impl RealTarget {
    /// Errors of all drives now. Where they could not be read once they are not asked for again.
    pub(super) fn errors_now(&self) -> Errors {
        if self.errors == Errors::Unknown {
            return Errors::Unknown;
        }
        let devices =
            self.held.iter().all(|permit| matches!(permit.kind(), PermitKind::BlockDevice(_)));
        let one = |permit: &real::Permit| {
            let health = real::smartctl::health(&self.tools, permit.path()).ok()?;
            counter::errors(&health.snapshot)
        };
        let all = || self.held.iter().map(one).sum::<Option<u64>>();
        devices.then(all).flatten().map_or(Errors::Unknown, Errors::Counted)
    }

    /// Whether a link of a drive is another one than before the test.
    pub(super) fn link_changed(&self) -> Option<bool> {
        let changed = self.sensors.alone().iter().map(|device| {
            let now = Conditions::of(&self.system, device);
            let before = self.conditions.iter().find(|before| before.drive == now.drive)?;
            Some(now.link? != *before.link.as_ref()?)
        });
        changed
            .collect::<Option<Vec<bool>>>()
            .filter(|all| !all.is_empty())
            .map(|all| all.into_iter().any(|changed| changed))
    }

    /// What can be asked of any run.
    pub(super) fn judge(&mut self, result: &RunResult, watched: &Watched) {
        let judged =
            |gate, found: Option<f64>, limit: f64| found.map(|found| Judged { gate, found, limit });
        let limits = self.conditions.iter().filter_map(Conditions::celsius_most);
        let limit_c = limits.reduce(f64::min);
        let warmest = watched.sensed.iter().filter_map(|seen| seen.celsius).reduce(f64::max);
        let changed = watched.link_changed.map(|changed| f64::from(u8::from(changed)));
        let all = [
            watched.others_bytes.map(|bytes| others::judged(bytes, result)),
            limit_c.and_then(|limit| judged(Gate::Temperature, warmest, limit)),
            judged(Gate::Link, changed, 0.0),
            judged(Gate::Errors, watched.errors.map(|errors| errors as f64), 0.0),
            judged(Gate::Sleep, watched.slept_s, SLEPT_MOST_S),
        ];
        self.add_judged(all.into_iter().flatten().collect());
    }

    /// What is asked of a measurement.
    pub(super) fn judge_measured(
        &mut self,
        work: &Work<'_>,
        result: &RunResult,
        windows: Option<&Windows>,
    ) {
        let rate = if work.tried || work.pilot { None } else { shortfall(work, result) };
        let steady = work.runtime_us > 0 && !work.volume && !work.pilot;
        let deviation = windows.filter(|_| steady).and_then(deviation);
        let limit = DEVIATION_MOST;
        let deviation = deviation.map(|found| Judged { gate: Gate::Steadiness, found, limit });
        self.add_judged(rate.into_iter().chain(deviation).collect());
    }

    /// Keeps answers with the step that they are of, and says what does not pass.
    fn add_judged(&mut self, judged: Vec<Judged>) {
        let failed = judged.iter().filter(|judged| !judged.passes());
        self.told.extend(failed.map(|judged| {
            let complaint = judged.gate.complaint();
            format!("{}: {complaint}; the gates of its steps in the Record say when", self.name)
        }));
        if let Some(step) = self.steps.last_mut() {
            let gates = &mut step["gates"];
            if !gates.is_array() {
                *gates = json!([]);
            }
            if let Some(gates) = gates.as_array_mut() {
                gates.extend(judged.iter().map(|judged| json!(judged)));
            }
        }
        self.judged.extend(judged);
    }
}

/// By how much a run falls short of the rates that its jobs ask for; `None` if they ask for none.
fn shortfall(work: &Work<'_>, result: &RunResult) -> Option<Judged> {
    let file = work.load.parse(work.ramp_us, work.runtime_us).ok()?;
    let sides = Direction::ALL.into_iter().filter_map(|direction| {
        let (got, ios) = got(result, direction)?;
        let scatter = DEVIATIONS / ios.sqrt();
        let found = (1.0 - got.over(&asked(&file, direction)?)?).max(0.0);
        Some(Judged { gate: Gate::Rate, found, limit: SHORT_MOST + scatter })
    });
    sides.max_by(|a, b| (a.found - a.limit).total_cmp(&(b.found - b.limit)))
}

/// A rate in I/Os or in bytes a second, as far as it is known in them.
#[derive(Clone, Copy, Debug)]
struct Pace {
    ios: Option<f64>,
    bytes: Option<f64>,
}

impl Pace {
    /// As a multiple of another one, in a unit in which both are known.
    fn over(self, asked: &Pace) -> Option<f64> {
        let share = |own: Option<f64>, asked: Option<f64>| Some(own? / asked?.max(1e-9));
        share(self.ios, asked.ios).or(share(self.bytes, asked.bytes))
    }
}

/// What a run did in a direction, and on how many I/Os that rests.
fn got(result: &RunResult, direction: Direction) -> Option<(Pace, f64)> {
    let sides = || result.jobs.iter().map(|job| job.direction(direction));
    let seconds = sides().map(|side| side.runtime_ms).max()? as f64 / 1e3;
    let ios = sides().map(|side| side.total_ios).sum::<u64>() as f64;
    let bytes = sides().map(|side| side.io_bytes).sum::<u64>() as f64;
    let pace = Pace { ios: Some(ios / seconds), bytes: Some(bytes / seconds) };
    (ios > 0.0 && seconds > 0.0).then_some((pace, ios))
}

/// What all jobs together ask for in a direction; not known if one of them has no limit there.
fn asked(file: &JobFile, direction: Direction) -> Option<Pace> {
    let i = direction.index();
    let jobs = || file.jobs.iter().filter(|job| job.rw.has(direction));
    let sum = |of: fn(&fio::Job, usize) -> Option<u64>| {
        let each = jobs().map(|job| Some(of(job, i)? as f64 * f64::from(job.numjobs)));
        each.sum::<Option<f64>>().filter(|sum| *sum > 0.0)
    };
    let pace = Pace { ios: sum(|job, i| job.rate_iops[i]), bytes: sum(|job, i| job.rate[i]) };
    (pace.ios.is_some() || pace.bytes.is_some()).then_some(pace)
}

/// Standard deviation of the rates of five parts of a run as a share of their mean; `None` if it is
/// too short to tell.
fn deviation(windows: &Windows) -> Option<f64> {
    let rates = windows.bytes_per_s(None);
    let part = rates.len() / PARTS;
    let part_s = part as f64 * windows.window_ps as f64 / 1e12;
    if part_s < PART_LEAST_S {
        return None;
    }
    let parts: Vec<f64> =
        rates.chunks_exact(part).take(PARTS).map(|part| part.iter().sum::<f64>()).collect();
    let mean = parts.iter().sum::<f64>() / PARTS as f64;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    (mean > 0.0).then(|| (squares / PARTS as f64).sqrt() / mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Load;
    use stats::JobResult;
    use stats::window::PS_PER_MS;

    /// What is asked by a job with these lines, and what a run of a second did: reads, writes.
    fn judged(lines: &str, reads: u64, writes: u64) -> Option<Judged> {
        let text = format!("[a]\nfilename=/dev/target\nruntime=1\ntime_based\n{lines}\n");
        let load = Load::plain(&text, &[], None);
        let mut job = JobResult::default();
        for (direction, ios) in [(Direction::Read, reads), (Direction::Write, writes)] {
            let side = &mut job.directions[direction.index()];
            (side.total_ios, side.io_bytes) = (ios, 4096 * ios);
            side.runtime_ms = 1000;
        }
        let result = RunResult { jobs: vec![job], ..RunResult::default() };
        shortfall(&Work::timed(&load, 0.0, 1.0), &result)
    }

    /// Three percent, and what 10,000 I/Os that come at random scatter by: as much again.
    #[test]
    fn a_rate_that_is_asked_for_is_reached_or_not() {
        let read = |reads| judged("rw=randread\nrate_iops=10000", reads, 0).unwrap();
        assert!(read(10_000).passes() && read(12_000).passes() && read(9_410).passes());
        assert!(!read(9_390).passes(), "{:?}", read(9_390));
        let workers = judged("rw=randread\nnumjobs=4\nrate_iops=2500", 9_390, 0).unwrap();
        assert_eq!(workers, read(9_390), "of all workers together");
        let bytes = judged("rw=randwrite\nrate=40960k", 0, 10_000).unwrap();
        assert!(bytes.passes() && bytes.found < 0.03, "{bytes:?}");
        let worse = judged("rw=randrw\nrate_iops=10000,5000", 10_000, 4_000).unwrap();
        assert!(!worse.passes() && (worse.found - 0.2).abs() < 1e-9, "the worse side: {worse:?}");
    }

    #[test]
    fn without_a_limit_nothing_is_asked() {
        assert_eq!(judged("rw=randread", 10_000, 0), None);
        let beside = "rw=randread\nrate_iops=1000\n[b]\nfilename=/dev/target\nrw=randread";
        assert_eq!(judged(beside, 50_000, 0), None, "another job reads as it can");
    }

    fn windows(mb: &[u64]) -> Windows {
        let mut windows = Windows::new(0, 100 * PS_PER_MS);
        windows.finish(100 * PS_PER_MS * mb.len() as u64);
        let columns = &mut windows.directions[0];
        columns.bytes = mb.iter().map(|mb| mb * 1_000_000).collect();
        columns.ios = columns.bytes.clone();
        windows
    }

    #[test]
    fn five_parts_of_a_second_and_more_tell_whether_a_rate_is_even() {
        let even: Vec<u64> = (0..60).map(|i| 100 + 40 * (i % 2)).collect();
        assert_eq!(deviation(&windows(&even)), Some(0.0), "within a part it may jump");
        let falls: Vec<u64> = (0..50).map(|i| 120 - 10 * (i / 10)).collect();
        // 120, 110, 100, 90, 80: a deviation of the square root of 200 around 100.
        let found = deviation(&windows(&falls)).unwrap();
        assert!((found - 0.141_42).abs() < 1e-4, "{found}");
        assert_eq!(deviation(&windows(&falls[..49])), None, "too short to tell");
        assert_eq!(deviation(&windows(&[0; 50])), None);
    }

    #[test]
    fn errors_are_those_since_the_last_count() {
        let counted = Errors::Counted;
        assert_eq!(counted(7).since(counted(4)), Some(3));
        assert_eq!(counted(7).since(Errors::Unknown), None);
        assert_eq!(Errors::Unknown.since(counted(7)), None);
    }
}
