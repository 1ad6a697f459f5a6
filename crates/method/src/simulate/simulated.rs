//! What a run on a model yields.

use stats::{Checks, RunResult, Warning, Windows};

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

/// The outcome of [`super::Rig::run`].
#[derive(Clone, Debug)]
pub struct Simulated {
    /// What fio would report.
    pub run: RunResult,
    /// Laws that the run was held against.
    pub checks: Checks,
    /// What to keep in mind when reading the numbers.
    pub warnings: Vec<Warning>,
    /// Mean power over the measured windows, W.
    pub mean_power_w: f64,
    /// Flash writes over host writes in the measured windows; `None` without host writes.
    pub write_amplification: Option<f64>,
    /// Senses of the flash that were repeated with other references, in the measured windows.
    pub read_retries: u64,
    /// Pages of the flash that could not be read, in the measured windows.
    pub lost_pages: u64,
    /// Each reporting entry over time.
    pub series: Vec<Series>,
    /// Simulated time that was measured, s, summed over the phases.
    pub measured_s: f64,
    /// Events that the run took.
    pub events: u64,
    /// I/Os completed, those outside the measured windows included.
    pub ios: u64,
    /// The budget ended the run before its jobs did.
    pub ended_early: bool,
}
