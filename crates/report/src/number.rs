//! Shares, intervals and published numbers in words; units and digits are those of [`metric`].

use metric::{Bound, plain};

/// A fraction in percent with one decimal: `4.8 %`.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// Half the width of an interval in percent of the value in its middle: `0.3 %`, and `0` of a value
/// that chance does not touch.
pub(crate) fn interval(half_width: f64, value: f64) -> String {
    let share = half_width / value.abs() * 100.0;
    match share {
        0.0 => "0".to_owned(),
        share if !share.is_finite() => plain(half_width),
        share if share < 0.005 => "<0.01 %".to_owned(),
        share if share < 0.1 => format!("{share:.2} %"),
        share => format!("{share:.1} %"),
    }
}

/// What was published: a number, a limit or a range.
pub fn published(value: f64, to: Option<f64>, bound: Option<Bound>) -> String {
    match (to, bound) {
        (Some(to), _) => format!("{}..{}", plain(value), plain(to)),
        (None, Some(Bound::Min)) => format!(">= {}", plain(value)),
        (None, Some(Bound::Max)) => format!("<= {}", plain(value)),
        (None, _) => plain(value),
    }
}

/// A deviation in percent, with its sign.
pub(crate) fn deviation(fraction: f64) -> String {
    format!("{:+.1} %", fraction * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_share_and_only_none_is_0() {
        let told = |half_width, value| interval(half_width, value);
        assert_eq!((told(0.0, 5.0), told(0.01, 1000.0)), ("0".into(), "<0.01 %".into()));
        assert_eq!((told(0.5, 1000.0), told(50.0, -1000.0)), ("0.05 %".into(), "5.0 %".into()));
        assert_eq!(told(2.0, 0.0), "2");
        assert_eq!(published(1.2, Some(1.3), None), "1.200..1.300");
        assert_eq!(published(5.0, None, Some(Bound::Max)), "<= 5");
    }

    #[test]
    fn a_deviation_has_its_sign() {
        assert_eq!([deviation(-0.0123), deviation(0.0123)], ["-1.2 %", "+1.2 %"]);
    }
}
