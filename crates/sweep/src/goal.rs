//! What a point has to keep, and what is to be as small or as large as it can be.

use crate::point::Estimate;
use answer::comparison::Tendency;
use metric::{Better, Metric, Requirement, show_metric};

/// Values of a point that no method measures.
const DERIVED: [&str; 2] = ["cost", "usable_capacity"];

/// A metric, or a value that follows from the point itself.
pub(crate) fn checked(name: &str) -> Result<String, String> {
    if DERIVED.contains(&name) {
        return Ok(name.to_owned());
    }
    metric::named(name, ", and `cost` and `usable_capacity` are known here")
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
    match name {
        "cost" => "",
        "usable_capacity" => "B",
        _ => metric::base_unit(name),
    }
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

/// Reads a requirement of a metric, of `cost` or of `usable_capacity`: `cost <= 5000`, or with the
/// currency of the prices, `cost <= 5000 EUR`.
///
/// # Errors
/// What is wrong with the text.
pub fn requirement(text: &str, currency: &str) -> Result<Requirement, String> {
    let text = text.trim();
    let is_cost = !currency.is_empty() && text.starts_with("cost");
    let plain = text.strip_suffix(currency).filter(|_| is_cost);
    let read = Requirement::parse_with(plain.unwrap_or(text), checked, unit)?;
    Ok(Requirement { text: text.to_owned(), ..read })
}

impl Standing {
    /// Whether a value keeps a requirement.
    pub fn of(requirement: &Requirement, value: Option<&Estimate>) -> Self {
        let Some(value) = value else { return Standing::Failed };
        let (best, worst) = match requirement.below {
            true => (value.low, value.high),
            false => (value.high, value.low),
        };
        match (requirement.keeps(worst), requirement.keeps(best)) {
            (true, _) => Standing::Met,
            (false, true) => Standing::Open,
            (false, false) => Standing::Failed,
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

    #[test]
    fn a_cost_may_have_the_currency_of_the_prices() {
        let one = requirement("cost <= 5000 EUR", "EUR").unwrap();
        assert_eq!((one.limit, one.text.as_str()), (5000.0, "cost <= 5000 EUR"));
        assert_eq!(requirement("cost <= 5000", "EUR").unwrap().limit, 5000.0);
        assert!(requirement("cost <= 5000 USD", "EUR").is_err());
        assert!(requirement("cost <= 5000 EUR", "").is_err());
        assert!(requirement("iops > 5000 EUR", "EUR").is_err());
    }

    fn of(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, samples: None }
    }

    #[test]
    fn a_requirement_is_met_by_the_whole_interval_only() {
        let one = requirement("read_lat_p99.9 < 1 ms", "").unwrap();
        let standing = |low, value, high| Standing::of(&one, Some(&of(low, value, high)));
        assert_eq!(standing(0.8e-3, 0.9e-3, 0.99e-3), Standing::Met);
        assert_eq!(standing(0.8e-3, 0.9e-3, 1.1e-3), Standing::Open);
        assert_eq!(standing(1.2e-3, 1.3e-3, 1.4e-3), Standing::Failed);
        assert_eq!(Standing::of(&one, None), Standing::Failed, "what is not known is not kept");
    }

    #[test]
    fn a_point_has_values_that_no_method_measures() {
        assert!(requirement("cost <= 5000", "").is_ok());
        assert!(requirement("usable_capacity >= 6 TB", "").is_ok());
        assert!(requirement("happiness < 1", "").unwrap_err().contains("`cost`"));
    }
}
