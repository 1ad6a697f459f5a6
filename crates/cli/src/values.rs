//! Values of options: quantities with units, shares of a drive, pairs, formats.

use engine::{Bytes, Duration, Ratio};
use library::Scale;
use metric::YEAR_S;

/// I/Os per second of budget. Fixed, so that a run repeats exactly on every machine;
/// about what one core of a server of the 2020s simulates in a second.
pub const IOS_PER_SECOND: u64 = 800_000;

/// Longest budget, s: ten years of work would overflow nothing, but nobody means it.
const BUDGET_S_MAX: f64 = 10.0 * 366.0 * 86_400.0;

/// An allowance of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// In seconds at the fixed rate.
    pub seconds: f64,
}

impl Budget {
    /// The same in I/Os, at least one.
    pub fn ios(self) -> u64 {
        // In whole microseconds, so that the number is the same on every platform.
        let micros = (self.seconds * 1e6).round() as u128;
        let count = micros * u128::from(IOS_PER_SECOND) / 1_000_000;
        u64::try_from(count).unwrap_or(u64::MAX).max(1)
    }
}

/// Reads a budget: `30s`, `500 ms`, `2 min`.
pub fn budget(text: &str) -> Result<Budget, String> {
    // The units of simulated time stop at minutes short of what a user may allow.
    let seconds = match text.trim().strip_suffix('m').filter(|rest| !rest.ends_with(' ')) {
        Some(minutes) if minutes.chars().all(|c| c.is_ascii_digit() || c == '.') => {
            minutes.parse::<f64>().map(|m| m * 60.0).map_err(|_| format!("`{text}` is no time"))?
        }
        _ => text.parse::<Duration>().map_err(|error| wrong(text, &error))?.ps() as f64 / 1e12,
    };
    if seconds <= 0.0 || seconds > BUDGET_S_MAX {
        return Err("a budget is longer than nothing and shorter than ten years".to_owned());
    }
    Ok(Budget { seconds })
}

fn wrong(text: &str, error: &engine::UnitError) -> String {
    match error {
        // The example of simulated times is a latency.
        engine::UnitError::NoUnit { .. } => {
            format!("`{text}` has no unit; write for example `30s`, `500ms` or `2min`")
        }
        other => other.to_string(),
    }
}

/// A time of use, which may be longer than any simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// In seconds.
    pub seconds: f64,
}

/// Reads a time of use: `6 h`, `30 days`, `3 years`.
pub fn span(text: &str) -> Result<Span, String> {
    let example = "write for example `6 h`, `30 days` or `3 years`";
    let trimmed = text.trim();
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let split = trimmed.find(|c| !digits(c)).unwrap_or(trimmed.len());
    let number: f64 =
        trimmed[..split].parse().map_err(|_| format!("`{text}` is no time; {example}"))?;
    let factor = match trimmed[split..].trim() {
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "day" | "days" | "d" => 86_400.0,
        "week" | "weeks" => 7.0 * 86_400.0,
        "month" | "months" => YEAR_S / 12.0,
        "year" | "years" => YEAR_S,
        "" => return Err(format!("`{text}` has no unit; {example}")),
        unit => return Err(format!("`{unit}` is no unit of time here; {example}")),
    };
    let seconds = number * factor;
    if !(seconds > 0.0 && seconds <= 1000.0 * YEAR_S) {
        return Err("a time is longer than nothing and shorter than a thousand years".to_owned());
    }
    Ok(Span { seconds })
}

/// Reads a share: `10%`.
pub fn share(text: &str) -> Result<Ratio, String> {
    text.parse().map_err(|e: engine::UnitError| e.to_string())
}

/// A time on the clock: `500ms`.
pub fn wall_time(text: &str) -> Result<std::time::Duration, String> {
    let time: engine::Duration = text.parse().map_err(|e: engine::UnitError| e.to_string())?;
    Ok(std::time::Duration::from_nanos(time.ns()))
}

/// Reads an amount of data: `1GiB`.
pub fn bytes(text: &str) -> Result<Bytes, String> {
    text.parse().map_err(|e: engine::UnitError| e.to_string())
}

/// `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Before the first `=`.
    pub key: String,
    /// Behind it.
    pub value: String,
}

/// Reads `KEY=VALUE`.
pub fn pair(text: &str) -> Result<Pair, String> {
    library::change(text).map(|(key, value)| Pair { key, value })
}

/// Reads how much of a drive is simulated.
pub fn scale(text: &str) -> Result<Scale, String> {
    let text = text.trim();
    if text == "whole" {
        return Ok(Scale::Share(1.0));
    }
    if let Some((above, below)) = text.split_once('/') {
        let (above, below): (f64, f64) = match (above.trim().parse(), below.trim().parse()) {
            (Ok(above), Ok(below)) => (above, below),
            _ => return Err(format!("`{text}` is no fraction such as 1/64")),
        };
        let share = above / below;
        return match share > 0.0 && share <= 1.0 {
            true => Ok(Scale::Share(share)),
            false => Err(format!("`{text}` is not above 0 and at most 1")),
        };
    }
    if let Some(number) = text.strip_suffix("units") {
        return units(number.trim())
            .ok_or_else(|| format!("`{text}` is no number of mapping units such as `64Mi units`"));
    }
    if let Ok(bytes) = text.parse::<Bytes>()
        && bytes.base() > 0
    {
        return Ok(Scale::Bytes(bytes.base()));
    }
    Err(format!(
        "`{text}` is neither a share such as 1/64, nor `500 GB`, nor `64Mi units`, nor `whole`"
    ))
}

fn units(text: &str) -> Option<Scale> {
    let (number, factor) = match text {
        _ if text.ends_with("Ki") => (&text[..text.len() - 2], 1 << 10),
        _ if text.ends_with("Mi") => (&text[..text.len() - 2], 1 << 20),
        _ if text.ends_with("Gi") => (&text[..text.len() - 2], 1 << 30),
        _ => (text, 1_u64),
    };
    let number: u64 = number.trim().parse().ok().filter(|n| *n > 0)?;
    Some(Scale::Units(number.checked_mul(factor)?))
}

/// How a scale is said in words, for messages and Records.
pub fn scale_text(scale: Scale) -> String {
    match scale {
        Scale::Units(units) if units % (1 << 20) == 0 => format!("{}Mi units", units >> 20),
        Scale::Units(units) => format!("{units} units"),
        Scale::Bytes(bytes) => Bytes::from_base(bytes).to_string(),
        Scale::Share(share) if share >= 1.0 => "whole".to_owned(),
        Scale::Share(share) => format!("1/{}", 1.0 / share),
    }
}

/// A format of fio's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for people
    Normal,
    /// JSON
    Json,
    /// JSON with the bins of all latencies
    #[value(name = "json+")]
    JsonPlus,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_number_of_ios() {
        assert_eq!(budget("30s").unwrap().ios(), 24_000_000);
        assert_eq!(budget("50ms").unwrap().ios(), 40_000);
        assert_eq!(budget("2m").unwrap().ios(), budget("120 s").unwrap().ios());
        assert_eq!(budget("5s").unwrap().ios(), 4_000_000);
        assert_eq!(budget("1ns").unwrap().ios(), 1, "never nothing");
        for wrong in ["30", "0s", "-1s", "s", "m", "1e9h", "30 parsecs", ""] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_of_use() {
        assert_eq!(span("6 h").unwrap().seconds, 21_600.0);
        assert_eq!(span("1.5 days").unwrap().seconds, 129_600.0);
        assert_eq!(span("3 years").unwrap().seconds, 3.0 * YEAR_S);
        assert_eq!(span("12 months").unwrap(), span("1 year").unwrap());
        for wrong in ["6", "h", "-1 h", "0 h", "3 parsecs", "1e9 years", "9999 years", ""] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scales() {
        assert_eq!(scale("1/64").unwrap(), Scale::Share(1.0 / 64.0));
        assert_eq!(scale("64Mi units").unwrap(), Scale::Units(64 << 20));
        assert_eq!(scale("500 GB").unwrap(), Scale::Bytes(500_000_000_000));
        assert_eq!(scale("whole").unwrap(), Scale::Share(1.0));
        for wrong in ["64", "2/1", "0/5", "1/0", "x/y", "Mi units", "-1 units", "half", ""] {
            assert!(scale(wrong).is_err(), "{wrong}");
        }
        for text in ["1/64", "64Mi units", "whole", "1000 units"] {
            assert_eq!(scale_text(scale(text).unwrap()), text);
        }
    }

    #[test]
    fn pairs_keep_what_stands_behind_the_first_sign() {
        let read = pair("a.b = 1=2 ").unwrap();
        assert_eq!((read.key.as_str(), read.value.as_str()), ("a.b", "1=2"));
        assert!(pair("novalue").is_err() && pair("=1").is_err());
    }
}
