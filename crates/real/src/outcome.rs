//! The output of fio as a [`RunResult`]: its JSON+, and its logs assigned to their jobs.

use crate::guard::{Permit, PermitKind};
use crate::job::{LogFamily, LogTarget, Redirected};
use crate::run::Output;
use stats::histogram::BUCKETS;
use stats::{HistLog, HistRow, Histogram, JobLog, LogKind, LogRow, RunResult};
use std::io;

/// Why the output of fio cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum OutcomeError {
    /// Its JSON.
    #[error("fio's output: {0}")]
    Json(#[from] fio::json_in::JsonError),
    /// A line of a log.
    #[error("fio's log {name}, line {line}: `{text}` is not a row of a log")]
    Log {
        /// The file in the scratch directory.
        name: String,
        /// Its line, from 1.
        line: usize,
        /// The text there, cut short.
        text: String,
    },
}

/// A log as read, with the number of the job that wrote it.
enum Read {
    Values(JobLog),
    Histograms(HistLog),
}

/// What an error number of a fio job says: those of the system are positive, and -1, which fio
/// prints as 4294967295, is a drive that its engine no longer reaches.
pub fn fio_error(number: i64, permits: &[Permit]) -> String {
    // fio prints 32 bits without their sign.
    let signed =
        i32::try_from(number).ok().or_else(|| u32::try_from(number).ok().map(u32::cast_signed));
    let is_served = |permit: &Permit| matches!(permit.kind(), PermitKind::ServedDrive(_));
    match signed {
        Some(errno) if errno > 0 => {
            format!("fio ended with error {errno}: {}", io::Error::from_raw_os_error(errno))
        }
        Some(errno) if errno < 0 => match permits.iter().find(|permit| is_served(permit)) {
            Some(permit) => format!(
                "the served drive at {} no longer answers (fio ended with error {number})",
                permit.path().display()
            ),
            None => format!("fio's engine lost the drive (error {number})"),
        },
        _ => format!("fio ended with error {number}"),
    }
}

impl Output {
    /// The result of the run of `job`, logs included.
    ///
    /// # Errors
    ///
    /// See [`OutcomeError`].
    pub fn result(&self, job: &Redirected) -> Result<RunResult, OutcomeError> {
        let mut result = fio::json_in::parse(&self.json)?;
        for (name, text) in &self.logs {
            let Some((target, kind, number)) = identify(name, &job.logs) else { continue };
            let log = match kind {
                Some(kind) => Read::Values(read_values(name, text, target, kind, number)?),
                None => Read::Histograms(read_histograms(name, text, target, number)?),
            };
            let owner = owner(&result, number);
            match (result.jobs.get_mut(owner), log) {
                (Some(owner), Read::Values(log)) => owner.logs.push(log),
                (Some(owner), Read::Histograms(log)) => owner.hist_logs.push(log),
                (None, _) => {}
            }
        }
        Ok(result)
    }
}

/// The entry of the job with this number, from 1: fio numbers its threads through all jobs, and
/// grouped ones share an entry. JSON does not list sections that were merged; what is behind the
/// last entry's known threads is taken as its own.
fn owner(result: &RunResult, number: u64) -> usize {
    let mut threads = 0_u64;
    let found = result.jobs.iter().position(|job| {
        threads = threads.saturating_add(job.numjobs.max(1));
        threads >= number
    });
    found.unwrap_or(result.jobs.len().saturating_sub(1))
}

/// Takes a name such as `log3_clat.2.log` apart: which log, which kind of values (`None` for
/// histograms), and the number of the job.
fn identify<'a>(
    name: &str,
    targets: &'a [LogTarget],
) -> Option<(&'a LogTarget, Option<LogKind>, u64)> {
    let (stem, number) = name.strip_suffix(".log")?.rsplit_once('.')?;
    let number = number.parse().ok()?;
    let (scratch_name, kind) = stem.split_once('_')?;
    let target = targets.iter().find(|target| target.scratch_name == scratch_name)?;
    match target.family {
        LogFamily::Histograms => (kind == "clat_hist").then_some((target, None, number)),
        LogFamily::Values(kinds) => {
            let kind = kinds.iter().find(|each| each.name() == kind)?;
            Some((target, Some(*kind), number))
        }
    }
}

fn read_values(
    name: &str,
    text: &str,
    target: &LogTarget,
    kind: LogKind,
    number: u64,
) -> Result<JobLog, OutcomeError> {
    let mut log = JobLog::new(kind, target.name.as_str(), number);
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        log.push(value_row(line).ok_or_else(|| bad_line(name, i, line))?);
    }
    Ok(log)
}

/// Older versions of fio end the row earlier: what is missing is 0.
fn value_row(line: &str) -> Option<LogRow> {
    let mut fields = line.split(',').map(str::trim);
    let (ms, value) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let ddir = fields.next()?.parse().ok()?;
    let mut rest = || fields.next().map_or(Some(0), number);
    let (bs, offset) = (rest()?, rest()?);
    let prio = u32::try_from(rest()?).ok()?;
    Some(LogRow { ms, value, ddir, bs, offset, prio })
}

/// A decimal number, or a hexadecimal one as fio prints priorities.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn read_histograms(
    name: &str,
    text: &str,
    target: &LogTarget,
    number: u64,
) -> Result<HistLog, OutcomeError> {
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        rows.push(histogram_row(line).ok_or_else(|| bad_line(name, i, line))?);
    }
    let (name, coarseness) = (target.name.clone(), target.coarseness);
    Ok(HistLog { name, number, coarseness, rows })
}

/// With coarseness c, 2^c neighbouring buckets were added up; their count goes to the middle.
fn histogram_row(line: &str) -> Option<HistRow> {
    let fields: Vec<u64> =
        line.split(',').map(|field| field.trim().parse().ok()).collect::<Option<_>>()?;
    let (head, bins) = fields.split_at_checked(3)?;
    if bins.is_empty() || !BUCKETS.is_multiple_of(bins.len()) {
        return None;
    }
    let stride = BUCKETS / bins.len();
    let mut histogram = Histogram::new();
    for (i, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        histogram.add(i * stride + stride / 2, *count);
    }
    let ddir = u8::try_from(head[1]).ok()?;
    Some(HistRow { ms: head[0], ddir, bs: head[2], histogram })
}

fn bad_line(name: &str, index: usize, line: &str) -> OutcomeError {
    let text = line.chars().take(60).collect();
    OutcomeError::Log { name: name.to_owned(), line: index + 1, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_numbers_are_said_in_words() {
        assert_eq!(fio_error(5, &[]), "fio ended with error 5: Input/output error (os error 5)");
        for lost in [4_294_967_295, -1] {
            assert_eq!(fio_error(lost, &[]), format!("fio's engine lost the drive (error {lost})"));
        }
        assert_eq!(fio_error(1 << 40, &[]), format!("fio ended with error {}", 1_u64 << 40));
    }

    #[test]
    fn rows_of_several_versions() {
        let row = value_row("5, 700, 1, 4096, 8192, 0x4001, 99").expect("good");
        assert_eq!((row.ms, row.value, row.offset, row.prio), (5, 700, 8192, 0x4001));
        assert_eq!(value_row("5, 700, 1").map(|row| row.bs), Some(0));
        for bad in ["", "5", "5, x, 1", "5, 7, 300", "5, 7, 1, 2, 3, 0x1ffffffff"] {
            assert_eq!(value_row(bad), None, "{bad}");
        }
    }

    #[test]
    fn coarse_histograms_keep_their_counts() {
        let mut fields = vec!["9, 0, 4096".to_owned()];
        fields.extend((0..BUCKETS / 4).map(|i| u64::from(i == 100).to_string()));
        let row = histogram_row(&fields.join(", ")).expect("good");
        assert_eq!(row.histogram.sparse().collect::<Vec<_>>(), [(402, 1)]);
        assert_eq!(histogram_row("9, 0, 4096, 1, 2, 3"), None);
        assert_eq!(histogram_row("9, 0"), None);
    }
}
