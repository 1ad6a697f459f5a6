//! From wear to life: bytes and days to the end of the rated cycles, drive writes a day, warranty.

use super::row::{Report, Unit};
use super::{DAY_S, Options, YEAR_DAYS};
use crate::counter::WearPercent;
use crate::interval::Interval;

/// What a stretch of a workload has shown.
pub(super) struct Stretch {
    /// Host writes in it, bytes.
    pub host: Option<Interval>,
    /// Its length, seconds.
    pub seconds: Option<Interval>,
    /// Share of the rated life that it used.
    pub wear: Option<Interval>,
    /// Host writes over the life, bytes, and the formula.
    pub tbw: Option<(Interval, &'static str)>,
    /// Length of the time in which the wear was counted, seconds.
    pub wear_seconds: Option<Interval>,
}

/// Adds volumes and wear by time, and the life that follows.
pub(super) fn add(
    report: &mut Report,
    stretch: &Stretch,
    used: Option<WearPercent>,
    capacity_bytes: Option<u64>,
    options: &Options,
) {
    let days = |seconds: Interval| seconds.times(1.0 / DAY_S);
    let capacity = capacity_bytes.filter(|bytes| *bytes > 0).map(|bytes| bytes as f64);
    let per_day = match (stretch.host, stretch.seconds) {
        (Some(host), Some(seconds)) => Some(host.over(days(seconds))),
        _ => None,
    };
    if let Some(rate) = per_day {
        let formula = "host writes / time";
        report.add("bytes_per_day", "host writes a day", rate, Unit::BytesPerDay, formula);
        if let Some(capacity) = capacity {
            let now = rate.times(1.0 / capacity);
            let formula = "host writes a day / capacity";
            report.add("dwpd_now", "drive writes a day", now, Unit::DriveWritesPerDay, formula);
        }
    }
    let wear_rate = match (stretch.wear, stretch.wear_seconds.or(stretch.seconds)) {
        (Some(wear), Some(seconds)) => Some(wear.over(days(seconds))),
        _ => None,
    };
    if let Some(rate) = wear_rate {
        report.add("wear_per_day", "wear a day", rate, Unit::SharePerDay, "wear / time");
    }
    if let Some((tbw, formula)) = stretch.tbw {
        report.add("tbw", "host writes over life (TBW)", tbw, Unit::Bytes, formula);
    }
    let life = wear_rate.map(|rate| Interval::exact(1.0).over(rate));
    if let Some(life) = life {
        report.add("life_days", "life at this workload", life, Unit::Days, "time / wear");
    }
    if let Some(used) = used {
        let share = used.share();
        report.add("life_used", "life used so far", share, Unit::Share, used.source);
        if let Some(rate) = wear_rate {
            let left = share.rest_of(1.0).over(rate);
            let formula = "(1 - life used) / wear a day";
            report.add("days_left", "days left from now", left, Unit::Days, formula);
        }
    }
    let years = options.warranty();
    if let (Some((tbw, _)), Some(capacity)) = (stretch.tbw, capacity) {
        let dwpd = tbw.times(1.0 / capacity / (years * YEAR_DAYS));
        let formula = format!("TBW / capacity / {years} years");
        let name = "drive writes a day over warranty";
        report.add("dwpd_warranty", name, dwpd, Unit::DriveWritesPerDay, formula);
    }
    if let Some(life) = life {
        // The media wearout indicator reaches 1 when the rated cycles are used.
        let ends = life.at_most(years * YEAR_DAYS);
        let formula = format!("first of {years} years, E9h = 1 (all rated cycles)");
        report.add("warranty_days", "warranty ends after", ends, Unit::Days, formula);
    }
}
