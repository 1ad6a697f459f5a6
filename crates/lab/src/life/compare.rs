//! The life that a reviewer reads from the counters after a few hours, against the whole life.

use super::{Life, Options, run_options, simulate};
use fio::{Diagnostic, JobFile};
use simulate::Rig;
use simulate::health::{About, snapshot};
use smart::endurance::{self, Named, Report, between};
use smart::{Interval, SmartError};

/// Two lives of one drive under one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What the counters say after a few hours: host writes over the life, bytes.
    pub told: Interval,
    /// The whole life.
    pub life: Life,
}

impl Comparison {
    /// Whether the whole life is inside the bounds that the steps of the counters leave, widened
    /// by `noise` (a share) for what differs from one stretch of the workload to the next.
    pub fn agrees(&self, noise: f64) -> bool {
        let bytes = self.life.host_bytes;
        self.told.low * (1.0 - noise) <= bytes && bytes <= self.told.high * (1.0 + noise)
    }

    /// By what factor the counters promise more than the drive lives through.
    pub fn overestimate(&self) -> f64 {
        self.told.value / self.life.host_bytes
    }
}

/// Resets the workload timer, runs the file once, reads the counters, and computes what the review
/// computes: TBW = host writes / wear, days = time / wear.
///
/// # Errors
/// What the jobs ask and the drive cannot give; or why the counters say nothing: a run of less than
/// an hour of the real drive, a wear of less than two steps, no rated cycles.
pub fn by_counters(
    rig: &mut Rig,
    file: &JobFile,
    about: &About,
    options: &Options,
) -> Result<Result<Report, SmartError>, Diagnostic> {
    by_counters_over(rig, about, |rig| rig.run(file, &mut run_options(options)).map(|_| ()))
}

/// The same over any work.
///
/// # Errors
/// Those of the work, and those of [`by_counters`].
pub fn by_counters_over<E>(
    rig: &mut Rig,
    about: &About,
    work: impl FnOnce(&mut Rig) -> Result<(), E>,
) -> Result<Result<Report, SmartError>, E> {
    rig.reset_timed_workload();
    let before = snapshot(rig, about);
    work(rig)?;
    let after = snapshot(rig, about);
    let first = Named { file: "before", snapshot: &before };
    let second = Named { file: "after", snapshot: &after };
    let report = between(first, second, &endurance::Options::default());
    Ok(report.and_then(|report| match report.shortfall.clone() {
        Some(why) => Err(why),
        None => Ok(report),
    }))
}

/// Reads the counters over a short run, then wears the same drive to its end.
///
/// # Errors
/// As those of [`by_counters`] and [`simulate()`].
pub fn compare(
    rig: &mut Rig,
    short: &JobFile,
    window: &JobFile,
    about: &About,
    options: &Options,
) -> Result<Result<Comparison, SmartError>, Diagnostic> {
    let told = match by_counters(rig, short, about, options)? {
        Ok(report) => report.get("tbw"),
        Err(why) => return Ok(Err(why)),
    };
    let life = simulate(rig, window, options)?;
    let nothing = || SmartError::new("after", "the counters tell no host writes over the life");
    Ok(told.ok_or_else(nothing).map(|told| Comparison { told, life }))
}
