//! Numbers as people read them.

/// Four significant digits, whole numbers whole, no exponent.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 0.1 || size == 0.0 => 3,
        _ => 6,
    };
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((whole, rest)) if rest.bytes().all(|digit| digit == b'0') => whole.to_owned(),
        _ => text,
    }
}

/// The unit of a metric that is read in one of its own everywhere, and how many base units it is;
/// a metric of a named measurement (`load.gb_per_day`) is read like the metric.
pub fn own_unit(metric: &str, value: f64) -> Option<(f64, &'static str)> {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    Some(match metric.rsplit('.').next()? {
        "gb_per_day" => (1e9 / DAY, "GB/day"),
        "tb_per_day" => (1e12 / DAY, "TB/day"),
        "tps" => (1.0, "tx/s"),
        "page_reads" | "page_writes" | "doublewrites" | "log_writes" | "log_flushes"
        | "file_flushes" => (1.0, "/s"),
        "rebuild_time" | "resync_time" if value >= 3.0 * DAY => (DAY, "days"),
        "rebuild_time" | "resync_time" if value >= HOUR => (HOUR, "h"),
        "rebuild_time" | "resync_time" if value >= 120.0 => (60.0, "min"),
        "lifetime" if value >= 365.0 * DAY => (365.0 * DAY, "years"),
        "lifetime" => (DAY, "days"),
        _ => return None,
    })
}

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
pub fn published(value: f64, to: Option<f64>, bound: Option<&str>) -> String {
    match (to, bound) {
        (Some(to), _) => format!("{}..{}", plain(value), plain(to)),
        (None, Some("min")) => format!(">= {}", plain(value)),
        (None, Some("max")) => format!("<= {}", plain(value)),
        (None, _) => plain(value),
    }
}

/// A deviation in percent, with its sign.
pub(crate) fn deviation(fraction: f64) -> String {
    format!("{:+.1} %", fraction * 100.0)
}

/// Nanoseconds in the unit that keeps them short.
pub(crate) fn time_ns(ns: f64) -> String {
    match ns {
        ns if ns >= 10e9 => format!("{} s", plain(ns / 1e9)),
        ns if ns >= 10e6 => format!("{} ms", plain(ns / 1e6)),
        ns if ns >= 1e3 => format!("{} us", plain(ns / 1e3)),
        ns => format!("{} ns", plain(ns)),
    }
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
        assert_eq!(published(5.0, None, Some("max")), "<= 5");
    }

    #[test]
    fn four_digits_without_exponent() {
        let cases =
            [(964_000.0, "964000"), (103.25, "103.2"), (13.26, "13.26"), (64.0, "64"), (0.0, "0")];
        for (value, text) in cases {
            assert_eq!(plain(value), text);
        }
        assert_eq!(plain(f64::NAN), "-");
        assert_eq!(deviation(-0.0123), "-1.2 %");
        assert_eq!(time_ns(523_000.0), "523 us");
        assert_eq!(time_ns(8_300_000.0), "8300 us");
    }
}
