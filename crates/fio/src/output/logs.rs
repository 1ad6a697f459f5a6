//! Logs of bandwidth, IOPS and latencies, and histogram logs, as fio writes them.

use stats::log::HistRow;
use stats::{HistLog, JobLog};

use crate::workload::Logs;

/// Greatest coarseness: 1856 bins halve six times into 29.
const COARSENESS_MAX: u32 = 6;

/// Which columns the rows have, and how files are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFormat {
    /// Rows have a column for the offset.
    pub offset: bool,
    /// Priorities are written as such; else the column is 0.
    pub prio: bool,
    /// The job's number is part of the file's name.
    pub per_job: bool,
}

impl Default for LogFormat {
    /// fio's: no offsets, no priorities, a file each job.
    fn default() -> Self {
        Self { offset: false, prio: false, per_job: true }
    }
}

impl From<&Logs> for LogFormat {
    fn from(logs: &Logs) -> Self {
        Self { offset: logs.offset, prio: logs.prio, per_job: logs.per_job }
    }
}

/// Name of the file of a log, e.g. `steady_bw.3.log`.
pub fn log_name(log: &JobLog, format: &LogFormat) -> String {
    file_name(&log.name, log.kind.name(), log.number, format)
}

/// Name of the file of a histogram log, e.g. `steady_clat_hist.3.log`.
pub fn hist_log_name(log: &HistLog, format: &LogFormat) -> String {
    file_name(&log.name, "clat_hist", log.number, format)
}

fn file_name(name: &str, kind: &str, number: u64, format: &LogFormat) -> String {
    if format.per_job {
        format!("{name}_{kind}.{number}.log")
    } else {
        format!("{name}_{kind}.log")
    }
}

/// The rows `ms, value, direction, block size, [offset,] priority`. Bandwidth is in KiB/s,
/// latency in ns.
pub fn write_log(log: &JobLog, format: &LogFormat) -> String {
    let mut out = String::new();
    for row in log.rows() {
        out.push_str(&format!("{}, {}, {}, {}", row.ms, row.value, row.ddir, row.bs));
        if format.offset {
            out.push_str(&format!(", {}", row.offset));
        }
        if format.prio {
            out.push_str(&format!(", 0x{:04x}\n", row.prio));
        } else {
            out.push_str(", 0\n");
        }
    }
    out
}

/// The rows `ms, direction, block size, bin...`: 1856 bins, halved as often as the log's
/// coarseness says.
pub fn write_hist_log(log: &HistLog) -> String {
    let mut out = String::new();
    for row in &log.rows {
        hist_row(&mut out, row, 1 << log.coarseness.min(COARSENESS_MAX));
    }
    out
}

fn hist_row(out: &mut String, row: &HistRow, stride: usize) {
    out.push_str(&format!("{}, {}, {}", row.ms, row.ddir, row.bs));
    for bins in row.histogram.counts().chunks(stride) {
        let sum = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(*bin));
        out.push_str(&format!(", {sum}"));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::log::LogRow;
    use stats::{Histogram, LogKind};

    #[test]
    fn columns_and_names() {
        let mut log = JobLog::new(LogKind::Clat, "x", 3);
        log.push(LogRow { ms: 5, value: 700, ddir: 1, bs: 4096, offset: 8192, prio: 0x4001 });
        let plain = LogFormat::default();
        assert_eq!(log_name(&log, &plain), "x_clat.3.log");
        assert_eq!(write_log(&log, &plain), "5, 700, 1, 4096, 0\n");
        let all = LogFormat { offset: true, prio: true, per_job: false };
        assert_eq!(log_name(&log, &all), "x_clat.log");
        assert_eq!(write_log(&log, &all), "5, 700, 1, 4096, 8192, 0x4001\n");
    }

    #[test]
    fn bins_are_halved() {
        let mut histogram = Histogram::new();
        histogram.record_n(0, 2);
        histogram.record_n(15, 3);
        histogram.record_n(16, 4);
        let rows = vec![HistRow { ms: 9, ddir: 0, bs: 512, histogram }];
        let mut log = HistLog { name: "x".to_owned(), number: 1, coarseness: 0, rows };
        assert_eq!(write_hist_log(&log).split(", ").count(), 1859);
        log.coarseness = 4;
        let text = write_hist_log(&log);
        assert_eq!(text.split(", ").count(), 119);
        assert!(text.starts_with("9, 0, 512, 5, 4, 0, "), "{text}");
        assert_eq!(hist_log_name(&log, &LogFormat::default()), "x_clat_hist.1.log");
    }
}
