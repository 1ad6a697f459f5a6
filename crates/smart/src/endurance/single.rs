//! One snapshot alone: the drive's life so far, and its life at this rate.

use super::life::{self, Stretch};
use super::row::{Report, Unit};
use super::{Named, Options, cost, cycles, nand_of};
use crate::counter::{self, TimedState, Volume, WearPercent};
use crate::error::SmartError;
use crate::interval::Interval;
use crate::snapshot::Snapshot;

/// The life so far.
///
/// # Errors
/// If the log contains neither host writes nor wear.
pub fn so_far(named: Named<'_>, options: &Options) -> Result<Report, SmartError> {
    let snapshot = named.snapshot;
    let mut report = Report::default();
    let host = total(counter::host_writes(snapshot));
    let used = counter::wear_percent(snapshot);
    if host.is_none() && used.is_none() {
        let message = "the log contains neither host writes nor wear";
        return Err(SmartError::new(named.file, message)
            .with_help("take it with `smartctl --json -x DEVICE`, which reads all logs"));
    }
    let seconds = add_time(&mut report, snapshot);
    if let Some((bytes, source)) = host {
        report.add("host_written", "host writes", bytes, Unit::Bytes, source);
    }
    let host = host.map(|(bytes, _)| bytes);
    let counted = add_volumes(&mut report, snapshot, host);
    note_timed(&mut report, snapshot);
    let nand = nand_of(counted, host, options);
    let wear = add_wear(&mut report, nand, used, options);
    let capacity = snapshot.identity.capacity_bytes;
    let tbw = match (host, wear) {
        (Some(host), Some(wear)) => Some((host.over(wear), "host writes / life used")),
        _ => None,
    };
    let stretch = Stretch { host, seconds, wear, tbw, wear_seconds: None };
    life::add(&mut report, &stretch, used, capacity, options);
    cycles::add(&mut report, host, nand, wear, options);
    let life_days = report.get("life_days");
    cost::add(&mut report, capacity, tbw.map(|(tbw, _)| tbw), life_days, options);
    Ok(report)
}

/// All that a counter has counted, bytes, and its source.
fn total(volumes: Vec<Volume>) -> Option<(Interval, &'static str)> {
    volumes.first().map(|v| (Interval::counted(v.count, v.step), v.source))
}

/// Adds the time powered, s.
fn add_time(report: &mut Report, snapshot: &Snapshot) -> Option<Interval> {
    let (hours, step) = counter::power_on_hours(snapshot)?;
    let seconds = Interval::counted(hours / step, step * 3600.0);
    report.add("time", "time powered", seconds, Unit::Seconds, "power-on time");
    Some(seconds)
}

/// Adds what the host read and the NAND wrote, and the write amplification: the latter's bytes.
fn add_volumes(
    report: &mut Report,
    snapshot: &Snapshot,
    host: Option<Interval>,
) -> Option<Interval> {
    if let Some((bytes, source)) = total(counter::host_reads(snapshot)) {
        report.add("host_read", "host reads", bytes, Unit::Bytes, source);
    }
    let name = "write amplification";
    let counted = total(counter::nand_writes(snapshot));
    if let Some((bytes, source)) = counted {
        report.add("nand_written", "NAND writes", bytes, Unit::Bytes, source);
        if let Some(host) = host {
            let formula = "NAND writes / host writes";
            report.add("write_amplification", name, bytes.over(host), Unit::Ratio, formula);
        }
    } else if let Some((host_pages, ftl_pages)) = counter::program_pages(snapshot) {
        let ratio = Interval::exact((host_pages + ftl_pages) / host_pages.max(1.0));
        let formula = "1 + FTL program pages / host program pages";
        report.add("write_amplification", name, ratio, Unit::Ratio, formula);
    }
    counted.map(|(bytes, _)| bytes)
}

/// Notes what the timed workload counters show, which one snapshot cannot compare.
fn note_timed(report: &mut Report, snapshot: &Snapshot) {
    if let TimedState::Valid(timed) = counter::timed_workload(snapshot) {
        report.notes.push(format!(
            "the timed workload counters show {:.3} % of the rated cycles in {} minutes; two \
             snapshots tell what the host wrote meanwhile",
            timed.media_wear as f64 / counter::WEAR_STEPS,
            timed.minutes
        ));
    }
}

/// Adds the wear by cycles, or takes the one that the drive reports, if it reports any.
fn add_wear(
    report: &mut Report,
    nand: Option<Interval>,
    used: Option<WearPercent>,
    options: &Options,
) -> Option<Interval> {
    let by_percent = used.map(|used| used.share());
    let by_cycles = match (nand, options.raw_bytes, options.rated_cycles) {
        (Some(nand), Some(raw), Some(rated)) => Some(nand.times(1.0 / raw / rated)),
        _ => None,
    };
    // A wear of 0 % says nothing about the end, except that it is far.
    let wear = by_cycles.or(by_percent.filter(|share| share.low > 0.0));
    if let Some(wear) = by_cycles {
        let formula = "NAND writes / raw capacity / rated cycles";
        report.add("wear", "wear", wear, Unit::Share, formula);
    }
    if wear.is_none() && used.is_some() {
        report.notes.push(
            "less than 1 % of the life is used: the log does not resolve how long it will last"
                .to_owned(),
        );
    }
    wear
}
