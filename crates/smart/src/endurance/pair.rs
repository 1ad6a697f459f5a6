//! Two snapshots of one drive, and what happened between them.

use super::life::{self, Stretch};
use super::row::{Report, Unit};
use super::time::{self, Elapsed};
use super::wear::{self, Timed, Wear};
use super::{Named, Options, cost, cycles, nand_of};
use crate::counter::{self, Volume};
use crate::error::SmartError;
use crate::interval::Interval;

/// Two clocks that differ by no more than this share and a minute are taken for one.
const SAME_TIME: f64 = 0.01;

/// What the drive did between two snapshots, and the life that follows from it.
///
/// # Errors
/// Snapshots of different drives, counters that run backwards, a workload timer that is not valid
/// yet or was reset in between, no volume of host writes. If only the wear is out of reach, the
/// report has the rest, and says why in [`Report::shortfall`].
pub fn between(
    before: Named<'_>,
    after: Named<'_>,
    options: &Options,
) -> Result<Report, SmartError> {
    let pair = Pair { before, after };
    pair.check_drive()?;
    pair.check_order()?;
    let timed = wear::timed(before, after)?;
    let mut report = Report::default();
    let seconds = pair.add_time(&mut report, timed.as_ref(), options);
    let (host, counted) = pair.add_volumes(&mut report, timed.as_ref());
    pair.add_amplification(&mut report, host, counted);
    let nand = nand_of(counted, host, options);
    let best = pair.add_wear(&mut report, timed.as_ref(), nand, seconds, options);
    let wear = best.as_ref().map(|best| best.share);
    let capacity = after.snapshot.identity.capacity_bytes;
    let wear_seconds = best.and_then(|best| best.own_seconds);
    let tbw = match (host, wear) {
        (Some(host), Some(wear)) => {
            Some(life_writes(&mut report, host, wear, seconds, wear_seconds))
        }
        _ => None,
    };
    if let Some(note) = timed.and_then(|timed| timed.note) {
        report.notes.push(note);
    }
    let stretch = Stretch { host, seconds, wear, tbw, wear_seconds };
    life::add(&mut report, &stretch, counter::wear_percent(after.snapshot), capacity, options);
    cycles::add(&mut report, host, nand, wear, options);
    let tbw = tbw.map(|(tbw, _)| tbw);
    let life_days = report.get("life_days");
    cost::add(&mut report, capacity, tbw, life_days, options);
    if host.is_none() {
        let message = "the drive does not report host writes";
        return Err(SmartError::new(after.file, message).with_help(
            "host writes are in attribute E1h or F1h, in the device statistics (`smartctl -x`), \
             or in the NVMe health log",
        ));
    }
    Ok(report)
}

/// Two snapshots of one drive.
#[derive(Clone, Copy)]
struct Pair<'a> {
    before: Named<'a>,
    after: Named<'a>,
}

impl Pair<'_> {
    /// Refuses snapshots of different drives.
    fn check_drive(&self) -> Result<(), SmartError> {
        let Pair { before, after } = *self;
        let (a, b) = (&before.snapshot.identity, &after.snapshot.identity);
        let number = |bytes: Option<u64>| bytes.map(|bytes| bytes.to_string());
        let pairs = [
            ("serial number", a.serial.clone(), b.serial.clone()),
            ("model", a.model.clone(), b.model.clone()),
            ("protocol", a.protocol.map(|p| p.name().into()), b.protocol.map(|p| p.name().into())),
            ("capacity", number(a.capacity_bytes), number(b.capacity_bytes)),
        ];
        for (what, first, second) in pairs {
            if let (Some(first), Some(second)) = (first, second)
                && first != second
            {
                let message = format!(
                    "the snapshots are of different drives: the {what} is `{first}` in {} and \
                     `{second}` here",
                    before.file
                );
                return Err(SmartError::new(after.file, message)
                    .with_help("give two snapshots of one drive, the earlier one first"));
            }
        }
        Ok(())
    }

    /// Refuses counters that run backwards, which they never do while a drive lives.
    fn check_order(&self) -> Result<(), SmartError> {
        let Pair { before, after } = *self;
        let (a, b) = (before.snapshot, after.snapshot);
        if let (Some(first), Some(second)) = (a.taken_s, b.taken_s)
            && second < first
        {
            let message =
                format!("this snapshot is {} s older than {}", first - second, before.file);
            return Err(
                SmartError::new(after.file, message).with_help("give the earlier snapshot first")
            );
        }
        let count = |n: Option<u64>| n.map(|n| n as f64);
        let of = |volume: &[Volume]| volume.first().map(|v| v.count);
        let used = |snapshot| counter::wear_percent(snapshot).map(|wear| wear.steps);
        let hours = |snapshot| counter::power_on_hours(snapshot).map(|(hours, _)| hours);
        let pairs = [
            ("host writes", of(&counter::host_writes(a)), of(&counter::host_writes(b))),
            ("host reads", of(&counter::host_reads(a)), of(&counter::host_reads(b))),
            ("NAND writes", of(&counter::nand_writes(a)), of(&counter::nand_writes(b))),
            ("wear in percent", used(a), used(b)),
            ("power cycles", count(a.power_cycles), count(b.power_cycles)),
            ("power-on hours", hours(a), hours(b)),
            (
                "losses of power",
                count(counter::unsafe_shutdowns(a)),
                count(counter::unsafe_shutdowns(b)),
            ),
        ];
        for (what, first, second) in pairs {
            let (Some(first), Some(second)) = (first, second) else { continue };
            // Another source in one of the two logs is no run backwards; volumes are compared
            // later.
            if second < first && same_sources(what, a, b) {
                let message = format!(
                    "a counter runs backwards: {what} were {first} in {} and are {second}",
                    before.file
                );
                return Err(SmartError::new(after.file, message).with_help(
                    "give the earlier snapshot first; a drive whose counters were reset (by a \
                     firmware update or a repair) has to be compared from the reset on",
                ));
            }
        }
        Ok(())
    }

    /// The difference of the first counter that both snapshots have, and its source.
    fn moved(&self, all: fn(&crate::Snapshot) -> Vec<Volume>) -> Option<(Interval, &'static str)> {
        let ends = all(self.after.snapshot);
        all(self.before.snapshot).iter().find_map(|start| {
            let same = |end: &&Volume| end.source == start.source && end.step == start.step;
            let end = ends.iter().find(same).filter(|end| end.count >= start.count)?;
            Some((Interval::difference(start.count, end.count, start.step), start.source))
        })
    }

    /// Adds the time between the two, s.
    fn add_time(
        &self,
        report: &mut Report,
        timed: Option<&Timed>,
        options: &Options,
    ) -> Option<Interval> {
        let elapsed = time::between(self.before, self.after, options);
        let own = timed.and_then(|timed| timed.wear.own_seconds);
        // Without another clock the workload timer is one.
        let (seconds, clock) = match (elapsed, own) {
            (Some(Elapsed { seconds, source }), _) => (seconds, source),
            (None, Some(minutes)) => (minutes, "E4h, minutes"),
            (None, None) => {
                report.notes.push(
                    "neither log tells when it was taken: give --elapsed TIME for what depends on \
                     it"
                    .to_owned(),
                );
                return None;
            }
        };
        report.add("time", "time", seconds, Unit::Seconds, clock);
        Some(seconds)
    }

    /// Adds what host and NAND wrote and read, bytes: writes of the host, and of the NAND.
    fn add_volumes(
        &self,
        report: &mut Report,
        timed: Option<&Timed>,
    ) -> (Option<Interval>, Option<Interval>) {
        let host = self.moved(counter::host_writes);
        if let Some((host, source)) = host {
            report.add("host_written", "host writes", host, Unit::Bytes, source);
        }
        if let Some((read, source)) = self.moved(counter::host_reads) {
            report.add("host_read", "host reads", read, Unit::Bytes, source);
        }
        if let Some(percent) = timed.and_then(|timed| timed.reads_percent) {
            let share = Interval::counted(percent as f64, 0.01).at_most(1.0);
            report.add("read_commands", "reads among commands", share, Unit::Share, "E3h");
        }
        let nand = self.moved(counter::nand_writes);
        if let Some((nand, source)) = nand {
            report.add("nand_written", "NAND writes", nand, Unit::Bytes, source);
        }
        (host.map(|(host, _)| host), nand.map(|(nand, _)| nand))
    }

    /// Adds NAND writes over host writes, or the bytes of the programmed pages.
    fn add_amplification(
        &self,
        report: &mut Report,
        host: Option<Interval>,
        nand: Option<Interval>,
    ) {
        let name = "write amplification";
        if let (Some(host), Some(nand)) = (host.filter(|host| host.value > 0.0), nand) {
            let formula = "NAND writes / host writes";
            report.add("write_amplification", name, nand.over(host), Unit::Ratio, formula);
            return;
        }
        let pages = |named: Named<'_>| counter::program_pages(named.snapshot);
        if let (Some((h0, f0)), Some((h1, f1))) = (pages(self.before), pages(self.after))
            && h1 >= h0
            && f1 >= f0
        {
            let ratio = Interval::difference(f0, f1, 1.0).over(Interval::difference(h0, h1, 1.0));
            let one =
                Interval { low: 1.0 + ratio.low, value: 1.0 + ratio.value, high: 1.0 + ratio.high };
            let formula = "1 + FTL program pages / host program pages";
            report.add("write_amplification", name, one, Unit::Ratio, formula);
        }
    }

    /// Adds the wear by the best of all counters, or says why there is none.
    fn add_wear(
        &self,
        report: &mut Report,
        timed: Option<&Timed>,
        nand: Option<Interval>,
        seconds: Option<Interval>,
        options: &Options,
    ) -> Option<Wear> {
        let mut all: Vec<Wear> = timed.iter().map(|timed| timed.wear.clone()).collect();
        all.extend(wear::percent(self.before, self.after));
        all.extend(wear::cycles(nand, options));
        let best = wear::best(&all);
        match best {
            Some(best) => {
                report.add("wear", "wear", best.share, Unit::Share, best.formula.clone());
            }
            None => {
                let shortfall = wear::too_close(self.after, &all, seconds.map(|s| s.value));
                report.shortfall = Some(shortfall);
            }
        }
        best.cloned()
    }
}

/// Host writes over the whole life, by the review's formula. If the wear was counted over another
/// time than the writes, both are taken by time.
fn life_writes(
    report: &mut Report,
    host: Interval,
    wear: Interval,
    seconds: Option<Interval>,
    wear_seconds: Option<Interval>,
) -> (Interval, &'static str) {
    if let (Some(all), Some(own)) = (seconds, wear_seconds) {
        let apart = (all.value - own.value).abs();
        if apart > 60.0 + SAME_TIME * all.value.max(own.value) {
            report.notes.push(format!(
                "the workload timer ran for {:.0} minutes and the snapshots are {:.0} minutes \
                 apart: writes and wear are compared by their rates",
                own.value / 60.0,
                all.value / 60.0
            ));
            let tbw = host.over(all).over(wear.over(own));
            return (tbw, "(host writes / time) / (wear / its own time)");
        }
    }
    (host.over(wear), "host writes / wear")
}

fn same_sources(what: &str, a: &crate::Snapshot, b: &crate::Snapshot) -> bool {
    let all: fn(&crate::Snapshot) -> Vec<Volume> = match what {
        "host writes" => counter::host_writes,
        "host reads" => counter::host_reads,
        "NAND writes" => counter::nand_writes,
        _ => return true,
    };
    let key = |list: Vec<Volume>| list.first().map(|v| (v.source, v.step));
    key(all(a)) == key(all(b))
}
