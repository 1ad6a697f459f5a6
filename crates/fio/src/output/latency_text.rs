//! Lines of latencies and percentiles.

use stats::{LatencyResult, PercentileValue};

use super::number_text;

/// Nanoseconds a unit, and its name.
const UNITS: [(u64, &str); 3] = [(1, "nsec"), (1_000, "usec"), (1_000_000, "msec")];

/// A line of least, greatest, mean and deviation; nothing without samples.
pub(super) fn summary(out: &mut String, name: &str, latency: &LatencyResult) {
    if latency.n == 0 {
        return;
    }
    // A unit is left only if none of the numbers lose their meaning in the next.
    let large = |scale: u64| {
        latency.min_ns > 2_000 * scale
            && latency.max_ns > 99_999 * scale
            && latency.stddev_ns > 1_000.0 * scale as f64
    };
    let (scale, unit) = UNITS[if large(1_000) { 2 } else { usize::from(large(1)) }];
    out.push_str(&format!(
        "    {name} ({unit}): min={}, max={}, avg={:5.02}, stdev={:5.02}\n",
        number_text::count(latency.min_ns / scale, 6),
        number_text::count(latency.max_ns / scale, 6),
        latency.mean_ns / scale as f64,
        latency.stddev_ns / scale as f64,
    ));
}

/// The block of percentiles; nothing if none are shown.
pub(super) fn percentiles(out: &mut String, name: &str, list: &[PercentileValue]) {
    let (Some(min), Some(max)) =
        (list.iter().map(|one| one.ns).min(), list.iter().map(|one| one.ns).max())
    else {
        return;
    };
    let steps = if min > 2_000_000 && max > 99_999_999 {
        2
    } else {
        usize::from(min > 2_000 && max > 99_999)
    };
    let (scale, unit) = UNITS[steps];
    let precision = list.iter().map(|one| decimals(one.percent)).max().unwrap_or(0);
    let width = (max / scale).to_string().len().max(5);
    let per_line = (73 / (precision + 10 + width)).max(1);
    out.push_str(&format!("    {name} percentiles ({unit}):\n     |"));
    for (index, one) in list.iter().enumerate() {
        if index > 0 && index % per_line == 0 {
            out.push_str("\n     |");
        }
        // Each step of a thousand rounds up, so that no percentile shows too small.
        let value = (0..steps).fold(one.ns, |value, _| value.div_ceil(1000));
        let last = index + 1 == list.len();
        out.push_str(&format!(
            " {:percent_width$.precision$}th=[{value:width$}]{}",
            one.percent,
            if last { "\n" } else { "," },
            percent_width = precision + 3,
        ));
    }
}

/// Decimals needed to write a percentage.
fn decimals(percent: f64) -> usize {
    let text = format!("{percent:.6}");
    text.trim_end_matches('0').rsplit_once('.').map_or(0, |(_, fraction)| fraction.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_when_all_numbers_are_large() {
        let line = |min_ns, max_ns, stddev_ns| {
            let latency = LatencyResult {
                n: 9,
                min_ns,
                max_ns,
                mean_ns: 1e6,
                stddev_ns,
                ..Default::default()
            };
            let mut out = String::new();
            summary(&mut out, "clat", &latency);
            out
        };
        assert_eq!(
            line(962, 1_168_079, 5e4),
            "    clat (nsec): min=962, max=1168.1k, avg=1000000.00, stdev=50000.00\n"
        );
        assert_eq!(
            line(2_500, 1_168_079, 5e4),
            "    clat (usec): min=2, max=1168, avg=1000.00, stdev=50.00\n"
        );
        assert_eq!(
            line(2_500_000, 168_000_000, 5e6),
            "    clat (msec): min=2, max=168, avg= 1.00, stdev= 5.00\n"
        );
    }

    #[test]
    fn percentiles_fill_lines() {
        let list: Vec<PercentileValue> = [50.0, 99.999, 100.0]
            .into_iter()
            .map(|percent| PercentileValue { percent, ns: 70_144 })
            .collect();
        let mut out = String::new();
        percentiles(&mut out, "clat", &list);
        assert_eq!(
            out,
            "    clat percentiles (nsec):\n     | 50.000th=[70144], 99.999th=[70144], \
             100.000th=[70144]\n"
        );
    }
}
