//! What sysbench prints at the end of a run, in the spellings of 0.4, 0.5 and 1.0.
//!
//! The reader takes the lines that it knows wherever they are and skips all others, so that
//! warnings and progress between them do no harm.

/// Results of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Transactions done.
    pub transactions: u64,
    /// Transactions a second, as printed.
    pub per_second: f64,
    /// Whole time of the run, s.
    pub seconds: f64,
    /// Mean response time, ms.
    pub mean_ms: f64,
    /// Longest response time, ms.
    pub max_ms: Option<f64>,
    /// The percentile that was asked for, percent, and its response time, ms.
    pub percentile: Option<(f64, f64)>,
    /// Statements that failed and were tried again: deadlocks, keys that exist.
    pub errors: u64,
    /// Response time, ms, and transactions, of each line of the histogram.
    pub histogram: Vec<(f64, u64)>,
}

/// Why a text is not a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// sysbench gave up, and says why.
    #[error("sysbench gave up: {0}")]
    Fatal(String),
    /// A line that every report has is not there.
    #[error("sysbench printed no line `{0}`: {1}")]
    Missing(&'static str, String),
}

impl Report {
    /// Reads what sysbench printed.
    ///
    /// # Errors
    /// If it gave up, or if transactions, time or mean are missing.
    pub fn parse(text: &str) -> Result<Self, ReportError> {
        let mut report = Report::default();
        let (mut transactions, mut seconds, mut mean) = (None, None, None);
        for line in text.lines().map(str::trim) {
            if let Some(bar) = bar(line) {
                report.histogram.push(bar);
                continue;
            }
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "transactions" => transactions = count_and_rate(value),
                "deadlocks" | "ignored errors" => {
                    report.errors = count_and_rate(value).map_or(0, |(count, _)| count);
                }
                "total time" => seconds = number(value, "s"),
                "avg" => mean = number(value, "ms"),
                "max" => report.max_ms = number(value, "ms"),
                key => {
                    if let Some(percent) = percentile(key) {
                        report.percentile = number(value, "ms").map(|ms| (percent, ms));
                    }
                }
            }
        }
        let missing = |what| {
            let fatal = text.lines().map(str::trim).find(|line| line.starts_with("FATAL"));
            match fatal {
                Some(line) => ReportError::Fatal(line.chars().take(300).collect()),
                None => ReportError::Missing(what, last_line(text)),
            }
        };
        (report.transactions, report.per_second) =
            transactions.ok_or_else(|| missing("transactions:"))?;
        report.seconds = seconds.ok_or_else(|| missing("total time:"))?;
        report.mean_ms = mean.ok_or_else(|| missing("avg:"))?;
        Ok(report)
    }
}

fn last_line(text: &str) -> String {
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| "it said nothing".to_owned(), |line| line.chars().take(300).collect())
}

/// A finite number that is not negative, with or without a unit.
fn number(text: &str, unit: &str) -> Option<f64> {
    let plain = text.strip_suffix(unit).unwrap_or(text).trim();
    plain.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
}

/// `899    (288.58 per sec.)`
fn count_and_rate(text: &str) -> Option<(u64, f64)> {
    let (count, rest) = text.split_once('(')?;
    let rate = rest.split_whitespace().next()?;
    Some((count.trim().parse().ok()?, number(rate, "")?))
}

/// `99th percentile` (1.0) or `approx.  99 percentile` (0.4, 0.5).
fn percentile(key: &str) -> Option<f64> {
    let rest = key.strip_suffix("percentile")?.trim();
    let rest = rest.strip_prefix("approx.").unwrap_or(rest).trim();
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    number(digits, "").filter(|percent| (0.0..=100.0).contains(percent))
}

/// A line of the histogram: `1.637 |*****    17`.
fn bar(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let count = rest.trim_start_matches('*').trim();
    Some((number(value.trim(), "")?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = include_str!("../../tests/data/sysbench-1.0.txt");
    const OLD: &str = include_str!("../../tests/data/sysbench-0.5.txt");

    #[test]
    fn version_1_0_with_its_histogram() {
        let report = Report::parse(NEW).unwrap();
        assert_eq!((report.transactions, report.per_second), (899, 288.58));
        assert_eq!((report.seconds, report.mean_ms), (3.1149, 13.61));
        assert_eq!(report.percentile, Some((99.0, 127.81)));
        assert_eq!((report.max_ms, report.errors), (Some(327.9), 0));
        let counted: u64 = report.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, 899, "the histogram has every transaction");
    }

    #[test]
    fn version_0_5() {
        let report = Report::parse(OLD).unwrap();
        assert_eq!((report.transactions, report.per_second), (53_421, 1780.7));
        assert_eq!((report.seconds, report.mean_ms), (30.0008, 17.97));
        assert_eq!(report.percentile, Some((99.0, 31.52)));
        assert_eq!(report.errors, 3);
        assert!(report.histogram.is_empty());
    }

    #[test]
    fn what_is_missing_is_named() {
        let fatal = "Threads started!\nFATAL: error 2002: Can't connect\n";
        assert!(
            matches!(Report::parse(fatal), Err(ReportError::Fatal(why)) if why.contains("2002"))
        );
        let cut = NEW.split("Latency (ms)").next().unwrap();
        assert_eq!(
            Report::parse(cut).unwrap_err(),
            ReportError::Missing("avg:", "total number of events:              899".to_owned())
        );
        assert!(Report::parse("").unwrap_err().to_string().contains("it said nothing"));
        assert!(Report::parse("transactions: -1 (nan per sec.)").is_err());
    }
}
