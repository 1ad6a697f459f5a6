//! What a run on a model yields.

use iopath::device::heat::{Heat, HeatLog};
use stats::{Checks, Limit, RunResult, Timeline, Warning, Windows};

/// One reporting entry over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the entry's first job.
    pub name: String,
    /// Position of the entry in [`RunResult::jobs`].
    pub entry: usize,
    /// I/Os, bytes and latency (completion latency, ns) by window of [`super::RunOptions`].
    /// Times are ps since the rig was made.
    pub windows: Windows,
}

/// How warm the drives were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatSummary {
    /// Highest temperature of any since it was built or prepared, degrees Celsius.
    pub peak_c: f64,
    /// Temperature of the warmest at the end, degrees Celsius.
    pub last_c: f64,
    /// Share of the run's time in which heat held them back, over all drives.
    pub throttled_share: f64,
}

impl HeatSummary {
    /// Of the time between two looks at the same drives; `None` without any.
    pub fn between(before: &[Heat], after: &[Heat]) -> Option<Self> {
        let last_c = after.iter().map(Heat::celsius).reduce(f64::max)?;
        let sum = |heats: &[Heat], part: fn(&HeatLog) -> f64| -> f64 {
            heats.iter().map(|heat| part(heat.log())).sum()
        };
        let during = |part: fn(&HeatLog) -> f64| sum(after, part) - sum(before, part);
        let (seconds, throttled) = (during(|log| log.seconds), during(HeatLog::all_throttled_s));
        Some(HeatSummary {
            peak_c: after.iter().map(|heat| heat.log().peak_c).fold(last_c, f64::max),
            last_c,
            throttled_share: if seconds > 0.0 { throttled / seconds } else { 0.0 },
        })
    }
}

/// The outcome of [`super::Rig::run`].
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What fio would report.
    pub run: RunResult,
    /// Laws that the run was held against.
    pub checks: Checks,
    /// What to keep in mind when reading the numbers.
    pub warnings: Vec<Warning>,
    /// What limits each phase.
    pub limits: Vec<Limit>,
    /// Mean power over the measured windows, W.
    pub mean_power_w: f64,
    /// Flash writes over host writes in the measured windows; `None` without host writes.
    pub write_amplification: Option<f64>,
    /// Senses of the flash that were repeated with other references, in the measured windows.
    pub read_retries: u64,
    /// Pages of the flash that could not be read, in the measured windows.
    pub lost_pages: u64,
    /// How warm the drive was; `None` if the model has no temperature.
    pub heat: Option<HeatSummary>,
    /// Each reporting entry over time.
    pub series: Vec<Series>,
    /// All of it over time, ramps included, with the state of the drives; finer than that of the
    /// result.
    pub timeline: Timeline,
    /// Simulated time that was measured, s, summed over the phases.
    pub measured_s: f64,
    /// Simulated time of the measured windows in which at least one I/O was outstanding, s.
    pub busy_s: f64,
    /// Events that the run took.
    pub events: u64,
    /// I/Os completed, those outside the measured windows included.
    pub ios: u64,
    /// The budget ended the run before its jobs did.
    pub ended_early: bool,
}

impl Simulated {
    /// Why the numbers count for nothing, if they do: a law of the simulation is broken, or an I/O
    /// error ended a job.
    pub fn broken(&self) -> Option<String> {
        if let Some(law) = self.checks.failures().first() {
            return Some(format!("a law of the simulation is broken, which is a bug: {law}"));
        }
        let job = self.run.jobs.iter().find(|job| job.error != 0)?;
        let why = match self.lost_pages {
            0 => String::new(),
            lost => format!(": {lost} pages of the flash could not be read"),
        };
        Some(format!("job `{}` ended with error {}{why}", job.jobname, job.error))
    }
}
