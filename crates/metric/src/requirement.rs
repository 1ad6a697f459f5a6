//! What has to hold of a metric, as people write it: `read_lat_p99.9 < 1 ms`.

use crate::metric::{Metric, tail};
use crate::unit::{Unit, split_quantity};

/// A limit of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The metric.
    pub metric: String,
    /// Whether the value has to be below the limit, and not above it.
    pub below: bool,
    /// The limit in base units.
    pub limit: f64,
    /// As it was written.
    pub text: String,
}

impl Requirement {
    /// Reads `METRIC < VALUE`, or with `<=`, `>` or `>=`, of a metric of the table.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_with(text, |name| named(name, ""), base_unit)
    }

    /// The same where more has names: `named` says what a name stands for or what is wrong with it,
    /// `unit` its base unit, empty for a plain number.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse_with(
        text: &str,
        named: impl Fn(&str) -> Result<String, String>,
        unit: impl Fn(&str) -> &'static str,
    ) -> Result<Self, String> {
        let sign = text.find(['<', '>']).ok_or_else(|| {
            format!("`{text}` compares nothing; write for example `read_lat_p99.9 < 1 ms`")
        })?;
        let below = text[sign..].starts_with('<');
        let metric = named(text[..sign].trim())?;
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
    pub fn keeps(&self, value: f64) -> bool {
        match self.below {
            true => value <= self.limit,
            false => value >= self.limit,
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
}

/// The name of a metric of the table, also of a part: `PART.METRIC`. `besides` follows what is said
/// of an unknown one, for what is known elsewhere.
///
/// # Errors
/// If it is none, or a bound.
pub fn named(name: &str, besides: &str) -> Result<String, String> {
    let plain = tail(name);
    let part = name.strip_suffix(plain).unwrap_or_default();
    match Metric::parse(plain) {
        Ok((metric, None)) => Ok(format!("{part}{metric}")),
        Ok((metric, Some(_))) => Err(format!("`{name}` is a bound; write `{part}{metric}`")),
        Err(hint) => Err(format!("unknown metric `{name}`; {hint}{besides}")),
    }
}

/// The base unit of a metric, also of a part; empty of what is none.
pub fn base_unit(name: &str) -> &'static str {
    Metric::parse(tail(name)).map_or("", |(metric, _)| metric.dimension().base())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_has_a_metric_a_side_and_a_limit() {
        let one = Requirement::parse("read_lat_p99.9 < 1 ms").unwrap();
        assert_eq!((one.metric.as_str(), one.limit, one.below), ("read_lat_p99.9", 1e-3, true));
        assert!(one.keeps(1e-3) && !one.keeps(1.01e-3));
        assert!((one.margin(0.75e-3) - 0.25).abs() < 1e-12);
        let least = Requirement::parse("iops >= 200 kIOPS").unwrap();
        assert_eq!((least.limit, least.below), (200_000.0, false));
        assert!((least.margin(250_000.0) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let wrong = |text: &str| Requirement::parse(text).unwrap_err();
        assert!(wrong("read_lat_p99.9").contains("compares nothing"));
        assert!(wrong("read_lat_p99.9 < 1").contains("no unit"));
        assert!(wrong("read_lat_p99.9 < 1 GB").contains("no unit of"));
        assert!(wrong("happiness < 1").contains("unknown metric"));
        assert!(wrong("iops_min > 1 kIOPS").contains("a bound"));
    }
}
