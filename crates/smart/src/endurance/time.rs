//! The time between two snapshots, by the best clock available.

use super::{Named, Options};
use crate::counter;
use crate::interval::Interval;

/// A time with where it comes from.
pub(super) struct Elapsed {
    /// Seconds.
    pub seconds: Interval,
    /// For people.
    pub source: &'static str,
}

/// What the user says, else the host's clock, else the drive's power-on time.
pub(super) fn between(before: Named<'_>, after: Named<'_>, options: &Options) -> Option<Elapsed> {
    if let Some(seconds) = options.elapsed_s {
        return Some(Elapsed { seconds: Interval::exact(seconds), source: "as given" });
    }
    if let (Some(a), Some(b)) = (before.snapshot.taken_s, after.snapshot.taken_s)
        && b > a
    {
        let seconds = Interval::difference(a as f64, b as f64, 1.0);
        return Some(Elapsed { seconds, source: "difference of local times" });
    }
    let hours = |named: Named<'_>| counter::power_on_hours(named.snapshot);
    match (hours(before), hours(after)) {
        (Some((a, step)), Some((b, other))) if b > a => {
            let step = step.max(other);
            let seconds = Interval::difference(a / step, b / step, step * 3600.0);
            Some(Elapsed { seconds, source: "difference of power-on times" })
        }
        _ => None,
    }
}
