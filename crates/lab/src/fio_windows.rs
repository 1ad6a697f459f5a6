//! What fio's averaged logs say of a run over time, as windows of equal length.
//!
//! A row of such a log is the mean rate since the row before. fio writes one every [`LOG_MS`] at
//! the earliest, late rather than early, and none for a direction without an I/O; so rows lie on
//! no grid, and those of several workers not side by side. Each log is therefore read as a sum
//! that grows at the rate of a row up to its time. A window is what all sums grow by in it.
//!
//! A row that comes long after the one before is ambiguous: fio was late, or the target stood
//! still and the rate is that of the last interval alone. The total of the run decides: as much of
//! the long gaps is taken to be without I/O as the rates would otherwise exceed it.

use engine::{index, whole};
use stats::window::PS_PER_MS;
use stats::{Direction, JobLog, JobResult, LogKind, RunResult, Windows};

/// Interval of the logs and length of a window, ms.
pub(super) const LOG_MS: u64 = 100;
/// From here on a gap between two rows is long, ms.
const LONG_MS: f64 = 1.5 * LOG_MS as f64;
/// A worker whose log ends so long before the last one has ended itself, ms.
const ENDED_MS: u64 = 2 * LOG_MS;

/// The windows of a run, up to the last time of which all workers tell; `None` without logs of
/// the bandwidth.
pub(super) fn windows(result: &RunResult) -> Option<Windows> {
    let logs = || result.jobs.iter().flat_map(|job| &job.logs);
    let ends: Vec<u64> = logs()
        .filter(|log| log.kind == LogKind::Bw)
        .filter_map(|log| log.ms.iter().copied().max())
        .collect();
    let last = ends.iter().copied().max()?;
    let end_ms = ends.into_iter().filter(|end| end + ENDED_MS > last).min()?;
    let mut windows = Windows::new(0, LOG_MS * PS_PER_MS);
    windows.finish(end_ms.saturating_mul(PS_PER_MS));
    let length = windows.len();
    for direction in Direction::ALL {
        let column = |kind| column(&result.jobs, direction, kind, length);
        let (ios, bytes) = (column(LogKind::Iops), column(LogKind::Bw));
        let columns = &mut windows.directions[direction.index()];
        (columns.ios, columns.bytes) = (ios, bytes);
    }
    Some(windows)
}

/// What all logs of a direction and kind grow by in each window.
fn column(jobs: &[JobResult], direction: Direction, kind: LogKind, length: usize) -> Vec<u64> {
    let mut grown = vec![0.0; length];
    for job in jobs {
        let side = job.direction(direction);
        let (unit, total) = match kind {
            LogKind::Bw => (1024.0, side.io_bytes),
            _ => (1.0, side.total_ios),
        };
        let logs = job.logs.iter().filter(|log| log.kind == kind);
        let logs: Vec<Vec<Rise>> = logs.map(|log| rises(log, direction, unit)).collect();
        let still = still(&logs, total as f64);
        for rise in logs.iter().flatten() {
            rise.add_to(&mut grown, still);
        }
    }
    // The sums are rounded, not the windows: what one loses the next has.
    let (mut sum, mut told) = (0.0, 0);
    let counted = |grown: f64| {
        sum += grown;
        let before = std::mem::replace(&mut told, whole(sum.round()));
        told - before
    };
    grown.into_iter().map(counted).collect()
}

/// A row: a rate (a millisecond) from the row before up to its own time.
struct Rise {
    from_ms: f64,
    to_ms: f64,
    rate: f64,
}

impl Rise {
    /// Time of it that is beyond one interval, if it is long.
    fn beyond_ms(&self) -> f64 {
        let gap = self.to_ms - self.from_ms;
        if gap > LONG_MS { gap - LOG_MS as f64 } else { 0.0 }
    }

    /// Adds to each window what rises in it; of a long gap this share is without I/O.
    fn add_to(&self, grown: &mut [f64], still: f64) {
        let from_ms = self.from_ms + still * self.beyond_ms();
        let first = index(whole(from_ms / LOG_MS as f64));
        for (i, grown) in grown.iter_mut().enumerate().skip(first) {
            let start_ms = (i as u64 * LOG_MS) as f64;
            let overlap_ms = self.to_ms.min(start_ms + LOG_MS as f64) - from_ms.max(start_ms);
            if overlap_ms <= 0.0 {
                break;
            }
            *grown += self.rate * overlap_ms;
        }
    }
}

fn rises(log: &JobLog, direction: Direction, unit: f64) -> Vec<Rise> {
    let mut from_ms = 0.0;
    let rows = log.rows().filter(|row| usize::from(row.ddir) == direction.index());
    let rise = |row: stats::LogRow| {
        let to_ms = (row.ms as f64).max(from_ms);
        let rise = Rise { from_ms, to_ms, rate: row.value as f64 * unit / 1e3 };
        from_ms = to_ms;
        rise
    };
    rows.map(rise).collect()
}

/// The share of what is long about long gaps that passed without I/O: as much as the sums would
/// otherwise exceed the total. What was done after the last row is not known and taken as nothing,
/// so that no stall is reported that never happened.
fn still(logs: &[Vec<Rise>], total: f64) -> f64 {
    let all: f64 = logs.iter().flatten().map(|rise| rise.rate * (rise.to_ms - rise.from_ms)).sum();
    let beyond: f64 = logs.iter().flatten().map(|rise| rise.rate * rise.beyond_ms()).sum();
    if beyond > 0.0 { ((all - total) / beyond).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::LogRow;

    /// A run of workers with these logs of reads: rows of time (ms) and I/Os a second, 4 KiB each.
    fn run(workers: &[&[(u64, u64)]], total_ios: u64) -> RunResult {
        let mut job = JobResult { numjobs: workers.len() as u64, ..JobResult::default() };
        for (number, rows) in workers.iter().enumerate() {
            for (kind, factor) in [(LogKind::Bw, 4), (LogKind::Iops, 1)] {
                let mut log = JobLog::new(kind, "rate", number as u64 + 1);
                for (ms, rate) in *rows {
                    log.push(LogRow { ms: *ms, value: rate * factor, ..LogRow::default() });
                }
                job.logs.push(log);
            }
        }
        let read = job.direction_mut(Direction::Read);
        (read.total_ios, read.io_bytes) = (total_ios, total_ios * 4096);
        RunResult { jobs: vec![job], ..RunResult::default() }
    }

    fn ios(run: &RunResult) -> Vec<u64> {
        let windows = windows(run).unwrap();
        let reads = windows.columns(Direction::Read);
        let by_bytes: Vec<u64> = reads.bytes.iter().map(|bytes| bytes / 4096).collect();
        let close = by_bytes.iter().zip(&reads.ios).all(|(a, b)| a.abs_diff(*b) <= 1);
        assert!(close, "{by_bytes:?} {:?}", reads.ios);
        reads.ios[..windows.full()].to_vec()
    }

    /// fio is late now and then; the rate was even.
    #[test]
    fn an_even_rate_stays_even_whenever_fio_wrote_its_rows() {
        let rows = [100, 200, 301, 411, 517, 618, 718, 818, 918].map(|ms| (ms, 1000));
        assert_eq!(ios(&run(&[&rows], 1000)), [100; 9]);
        let late = [136, 312, 515, 649, 800, 900].map(|ms| (ms, 1000));
        assert_eq!(ios(&run(&[&late], 1000)), [100; 9]);
    }

    /// Workers add up, whatever the times of their rows; the last times differ.
    #[test]
    fn workers_are_added() {
        let one = [100, 200, 301, 402, 503].map(|ms| (ms, 1000));
        let other = [113, 213, 314, 415, 530].map(|ms| (ms, 3000));
        assert_eq!(ios(&run(&[&one, &other], 2120)), [400; 5]);
    }

    #[test]
    fn rates_that_change_are_where_they_were() {
        let rows = [(100, 1000), (200, 2000), (350, 1000), (400, 4000)];
        assert_eq!(ios(&run(&[&rows], 650)), [100, 200, 100, 250]);
    }

    /// No row for 300 ms, and then the rate of the last 100 ms: the total says which it was.
    #[test]
    fn a_standstill_is_told_from_a_late_row_by_the_total() {
        let rows = [(100, 1000), (200, 1000), (500, 1000), (600, 1000)];
        assert_eq!(ios(&run(&[&rows], 600)), [100; 6]);
        assert_eq!(ios(&run(&[&rows], 400)), [100, 100, 0, 0, 100, 100]);
        // What was done after the last row makes the total larger, and no standstill.
        assert_eq!(ios(&run(&[&rows], 650)), [100; 6]);
    }

    #[test]
    fn without_a_log_there_are_no_windows() {
        assert_eq!(windows(&run(&[], 10)), None);
        assert_eq!(windows(&run(&[&[]], 10)), None);
    }
}
