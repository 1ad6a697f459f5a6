//! Reading logs that fio wrote.

use stats::histogram::BUCKETS;
use stats::log::{HistRow, LogRow};
use stats::{HistLog, Histogram, JobLog, LogKind};

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct LogError {
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a bandwidth, IOPS or latency log: `ms, value, direction, block size`, then the offset if
/// the job had `log_offset` (`offset`), then the priority. Versions of fio differ in how many of
/// the last columns they write; what is missing counts as 0, what is beyond is skipped.
///
/// # Errors
///
/// The first line that is not a row.
pub fn parse_log(
    text: &str,
    kind: LogKind,
    name: &str,
    number: u64,
    offset: bool,
) -> Result<JobLog, LogError> {
    let mut log = JobLog::new(kind, name, number);
    for (line, columns) in rows(text) {
        let number = |index: usize| match columns.get(index) {
            Some(text) => parse_number(text, line),
            None => Ok(0),
        };
        if columns.len() < 3 {
            let reason = format!("{} columns, where at least 3 are needed", columns.len());
            return Err(LogError { line, reason });
        }
        log.push(LogRow {
            ms: number(0)?,
            value: number(1)?,
            ddir: direction(number(2)?, line)?,
            bs: number(3)?,
            offset: if offset { number(4)? } else { 0 },
            prio: u32::try_from(number(if offset { 5 } else { 4 })?).unwrap_or(u32::MAX),
        });
    }
    Ok(log)
}

/// Reads a histogram log: `ms, direction, block size, bin...`. The number of bins gives the
/// coarseness; the count of a coarse bin goes to the middle of the buckets it represents.
///
/// # Errors
///
/// The first line that is not a row, or has another number of bins than fio writes.
pub fn parse_hist_log(text: &str, name: &str, number: u64) -> Result<HistLog, LogError> {
    let mut log = HistLog { name: name.to_owned(), number, coarseness: 0, rows: Vec::new() };
    for (line, columns) in rows(text) {
        let bins = columns.get(3..).unwrap_or_default();
        let Some(coarseness) = (0..=6_u32).find(|halvings| bins.len() == BUCKETS >> halvings)
        else {
            let reason = format!("{} bins, where {BUCKETS} or a half of it are needed", bins.len());
            return Err(LogError { line, reason });
        };
        log.coarseness = coarseness;
        let mut histogram = Histogram::new();
        for (index, count) in bins.iter().enumerate() {
            let count = parse_number(count, line)?;
            if count > 0 {
                histogram.add((index << coarseness) + (1 << coarseness) / 2, count);
            }
        }
        log.rows.push(HistRow {
            ms: parse_number(columns[0], line)?,
            ddir: direction(parse_number(columns[1], line)?, line)?,
            bs: parse_number(columns[2], line)?,
            histogram,
        });
    }
    Ok(log)
}

/// The columns of the lines that are not empty, with their numbers.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    filled.map(|(index, line)| (index + 1, line.split(',').map(str::trim).collect()))
}

fn parse_number(text: &str, line: usize) -> Result<u64, LogError> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| LogError { line, reason: format!("`{text}` is not a number") })
}

fn direction(number: u64, line: usize) -> Result<u8, LogError> {
    match number {
        0..=2 => Ok(number as u8),
        _ => Err(LogError { line, reason: format!("{number} is not a direction") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{LogFormat, write_hist_log, write_log};
    use proptest::prelude::*;

    #[test]
    fn versions_differ_in_columns() {
        let row = |text: &str, offset| {
            parse_log(text, LogKind::Lat, "x", 1, offset).unwrap().rows().next().unwrap()
        };
        let full = LogRow { ms: 1, value: 900, ddir: 2, bs: 4096, offset: 8192, prio: 0x4001 };
        assert_eq!(row("1, 900, 2, 4096, 8192, 0x4001, 77\n", true), full);
        assert_eq!(row("1, 900, 2, 4096, 0x4001\n", false), LogRow { offset: 0, ..full });
        assert_eq!(row("1, 900, 2, 4096\n", true), LogRow { offset: 0, prio: 0, ..full });
    }

    #[test]
    fn mistakes_have_lines() {
        let error = |text: &str| parse_log(text, LogKind::Bw, "x", 1, false).unwrap_err();
        assert_eq!(error("1, 2, 0, 4096\n1, x, 0, 0").to_string(), "line 2: `x` is not a number");
        assert_eq!(error("1, 2, 3").to_string(), "line 1: 3 is not a direction");
        let error = parse_hist_log("1, 0, 4096, 5\n", "x", 1).unwrap_err();
        assert_eq!(error.to_string(), "line 1: 1 bins, where 1856 or a half of it are needed");
    }

    #[test]
    fn histograms_survive() {
        let mut histogram = Histogram::new();
        histogram.record_n(50_000, 3);
        let rows = vec![HistRow { ms: 5, ddir: 1, bs: 4096, histogram }];
        for coarseness in [0, 4] {
            let log = HistLog { name: "x".into(), number: 1, coarseness, rows: rows.clone() };
            let text = write_hist_log(&log);
            let read = parse_hist_log(&text, "x", 1).unwrap();
            assert_eq!(write_hist_log(&read), text);
            assert_eq!(read == log, coarseness == 0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9a-fx, \n-]{0,80}") {
            let _ = parse_log(&text, LogKind::Bw, "x", 1, true);
            let _ = parse_hist_log(&text, "x", 1);
        }

        #[test]
        fn rows_survive(
            rows in proptest::collection::vec(
                (any::<u64>(), any::<u64>(), 0..3_u8, any::<u32>()),
                0..9,
            ),
        ) {
            let mut log = JobLog::new(LogKind::Iops, "x", 1);
            for (ms, value, ddir, prio) in rows {
                log.push(LogRow { ms, value, ddir, bs: 512, offset: value, prio });
            }
            let format = LogFormat { offset: true, prio: true, per_job: true };
            let text = write_log(&log, &format);
            prop_assert_eq!(parse_log(&text, LogKind::Iops, "x", 1, true), Ok(log));
        }
    }
}
