//! What a point has to keep, and what is to be as small or as large as it can be.

use crate::point::Estimate;
use answer::comparison::Tendency;
use metric::{Better, Metric, Unit, show_metric, split_quantity};

/// Values of a point that no method measures.
const DERIVED: [&str; 2] = ["cost", "usable_capacity"];

/// A metric, or a value that follows from the point itself.
pub(crate) fn checked(name: &str) -> Result<String, String> {
    if DERIVED.contains(&name) {
        return Ok(name.to_owned());
    }
    let plain = metric::tail(name);
    let part = name.strip_suffix(plain).unwrap_or_default();
    match Metric::parse(plain) {
        Ok((metric, None)) => Ok(format!("{part}{metric}")),
        Ok((metric, Some(_))) => Err(format!("`{name}` is a bound; write `{part}{metric}`")),
        Err(hint) => Err(format!(
            "unknown metric `{name}`; {hint}, and `cost` and \
                                  `usable_capacity` are known here"
        )),
    }
}

/// The unit in which a value is read, and a value in it.
pub fn shown(name: &str, value: f64) -> String {
    match (name, Metric::parse(metric::tail(name))) {
        ("cost", _) => metric::plain(value),
        ("usable_capacity", _) => metric::show(metric::Dimension::Bytes, value),
        (_, Ok((metric, _))) => show_metric(metric.name(), metric.dimension(), value),
        _ => metric::plain(value),
    }
}

/// The base unit of a value; empty of a cost, whose currency is the user's.
pub fn unit(name: &str) -> &'static str {
    match (name, Metric::parse(metric::tail(name))) {
        ("cost", _) => "",
        ("usable_capacity", _) => "B",
        (_, Ok((metric, _))) => metric.dimension().base(),
        _ => "",
    }
}

/// A requirement: `read_lat_p99.9 < 1 ms`.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The metric, `cost` or `usable_capacity`.
    pub metric: String,
    /// Whether the value has to be below the limit, and not above it.
    pub below: bool,
    /// The limit in base units.
    pub limit: f64,
    /// As it was written.
    pub text: String,
}

/// Whether a point keeps a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Its whole interval does.
    Met,
    /// The limit is within its interval.
    Open,
    /// Its whole interval does not, or the point has no such value.
    Failed,
}

impl Requirement {
    /// Reads `METRIC < VALUE`, or with `<=`, `>` or `>=`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let sign = text.find(['<', '>']).ok_or_else(|| {
            format!("`{text}` compares nothing; write for example `read_lat_p99.9 < 1 ms`")
        })?;
        let below = text[sign..].starts_with('<');
        let metric = checked(text[..sign].trim())?;
        let value = text[sign + 1..].trim_start_matches('=').trim();
        let (number, written) =
            split_quantity(value).ok_or_else(|| format!("`{value}` is no number with a unit"))?;
        let base = unit(&metric);
        let limit = match (written, base) {
            ("", "" | "1") => number,
            ("", base) => return Err(format!("`{value}` has no unit; {metric} is in {base}")),
            (written, base) => {
                let of = Unit::parse_or_hint(written)?;
                match of.dimension.base() == base {
                    true => of.to_base(number),
                    false => return Err(format!("`{written}` is no unit of {metric}")),
                }
            }
        };
        Ok(Self { metric, below, limit, text: text.trim().to_owned() })
    }

    /// Whether a value keeps it.
    pub fn standing(&self, value: Option<&Estimate>) -> Standing {
        let Some(value) = value else { return Standing::Failed };
        let (best, worst) = match self.below {
            true => (value.low, value.high),
            false => (value.high, value.low),
        };
        match (self.keeps(worst), self.keeps(best)) {
            (true, _) => Standing::Met,
            (false, true) => Standing::Open,
            (false, false) => Standing::Failed,
        }
    }

    /// How far a value is from the limit, as a share of it; negative beyond.
    pub fn margin(&self, value: f64) -> f64 {
        let room = if self.below { self.limit - value } else { value - self.limit };
        match self.limit == 0.0 {
            true => room,
            false => room / self.limit.abs(),
        }
    }

    fn keeps(&self, value: f64) -> bool {
        match self.below {
            true => value <= self.limit,
            false => value >= self.limit,
        }
    }
}

/// What is to be as small or as large as it can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The metric, `cost` or `usable_capacity`.
    pub metric: String,
    /// Which values are better.
    pub better: Tendency,
}

impl Objective {
    /// An objective.
    ///
    /// # Errors
    /// If nothing is called so.
    pub fn new(name: &str, better: Tendency) -> Result<Self, String> {
        Ok(Self { metric: checked(name.trim())?, better })
    }

    /// The objective that a metric is by itself; `None` if neither is better.
    pub fn usual(name: &str) -> Option<Self> {
        let better = match name {
            "cost" => Tendency::Lower,
            "usable_capacity" => Tendency::Higher,
            _ => match Metric::parse(metric::tail(name)).ok()?.0.better() {
                Better::Higher => Tendency::Higher,
                Better::Lower => Tendency::Lower,
                Better::Neither => return None,
            },
        };
        Some(Self { metric: name.to_owned(), better })
    }

    /// A value turned so that lower is better.
    pub fn turned(&self, value: f64) -> f64 {
        match self.better {
            Tendency::Lower => value,
            Tendency::Higher => -value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, samples: None }
    }

    #[test]
    fn a_requirement_is_met_by_the_whole_interval_only() {
        let one = Requirement::parse("read_lat_p99.9 < 1 ms").unwrap();
        assert_eq!((one.limit, one.below), (1e-3, true));
        assert_eq!(one.standing(Some(&of(0.8e-3, 0.9e-3, 0.99e-3))), Standing::Met);
        assert_eq!(one.standing(Some(&of(0.8e-3, 0.9e-3, 1.1e-3))), Standing::Open);
        assert_eq!(one.standing(Some(&of(1.2e-3, 1.3e-3, 1.4e-3))), Standing::Failed);
        assert_eq!(one.standing(None), Standing::Failed, "what is not known is not kept");
        let least = Requirement::parse("iops >= 200 kIOPS").unwrap();
        assert_eq!((least.limit, least.below), (200_000.0, false));
        assert!((least.margin(250_000.0) - 0.25).abs() < 1e-12);
        assert!((one.margin(0.75e-3) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let wrong = |text: &str| Requirement::parse(text).unwrap_err();
        assert!(wrong("read_lat_p99.9").contains("compares nothing"));
        assert!(wrong("read_lat_p99.9 < 1").contains("no unit"));
        assert!(wrong("read_lat_p99.9 < 1 GB").contains("no unit of"));
        assert!(wrong("happiness < 1").contains("unknown metric"));
        assert!(wrong("iops_min > 1 kIOPS").contains("a bound"));
        assert!(Requirement::parse("cost <= 5000").is_ok());
        assert!(Requirement::parse("usable_capacity >= 6 TB").is_ok());
    }
}
