//! From a run to the metrics of figures, in base units: seconds, bytes a second, watts.

use super::target::Ran;
use metric::MetricValue;
use stats::{DirectionResult, PercentileEstimate};
use std::collections::BTreeMap;

/// Percentiles that every run gives.
const PERCENTILES: [f64; 10] = [50.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999];

/// Numbers that a run may give besides its percentiles.
const PLAIN: [&str; 14] = [
    "iops",
    "read_iops",
    "write_iops",
    "bandwidth",
    "read_bandwidth",
    "write_bandwidth",
    "power",
    "energy_per_io",
    "temperature",
    "throttled_share",
    "write_amplification",
    "iops_cv",
    "read_lat_mean",
    "write_lat_mean",
];

/// Whether [`of`] may give this metric.
pub(super) fn gives(name: &str) -> bool {
    let percentile = |side: &str| {
        let percent = name.strip_prefix(side).and_then(|text| text.parse::<f64>().ok());
        percent.is_some_and(|percent| PERCENTILES.contains(&percent))
    };
    PLAIN.contains(&name) || percentile("read_lat_p") || percentile("write_lat_p")
}

/// All metrics of a run whose jobs report as one group.
pub(super) fn of(ran: &Ran) -> BTreeMap<String, MetricValue> {
    let mut all = BTreeMap::new();
    let mut put = |name: String, value: f64, samples: Option<u64>| {
        all.insert(name, MetricValue { value, samples, interval95: None });
    };
    let Some(job) = ran.run.jobs.first() else { return all };
    let (read, write) = (job.read(), job.write());
    let seconds = ran.measured_s.max(1e-12);
    let ios = read.total_ios + write.total_ios;
    put("iops".to_owned(), ios as f64 / seconds, Some(ios));
    put("read_iops".to_owned(), read.total_ios as f64 / seconds, Some(read.total_ios));
    put("write_iops".to_owned(), write.total_ios as f64 / seconds, Some(write.total_ios));
    let bytes = read.io_bytes + write.io_bytes;
    put("bandwidth".to_owned(), bytes as f64 / seconds, Some(ios));
    for (name, side) in [("read_bandwidth", read), ("write_bandwidth", write)] {
        if side.total_ios > 0 {
            put(name.to_owned(), side.io_bytes as f64 / seconds, Some(side.total_ios));
        }
    }
    if let Some(power) = ran.mean_power_w {
        put("power".to_owned(), power, None);
        if ios > 0 {
            put("energy_per_io".to_owned(), power * seconds / ios as f64, Some(ios));
        }
    }
    if let Some(heat) = &ran.heat {
        put("temperature".to_owned(), heat.peak_c, None);
        put("throttled_share".to_owned(), heat.throttled_share, None);
    }
    if let Some(amplification) = ran.write_amplification {
        put("write_amplification".to_owned(), amplification, None);
    }
    if let Some(windows) = &ran.windows {
        let rates = windows.iops(None);
        // The first and the last window may be cut by the measured time.
        if rates.len() >= 5 {
            let whole = &rates[1..rates.len() - 1];
            if let Some(cv) = stats::window::coefficient_of_variation(whole) {
                put("iops_cv".to_owned(), cv, Some(whole.len() as u64));
            }
        }
    }
    for (name, direction) in [("read", read), ("write", write)] {
        latencies(&mut all, name, direction);
    }
    all
}

/// Mean and percentiles of a direction under `name`, the percentiles with their intervals.
pub(super) fn latencies(
    all: &mut BTreeMap<String, MetricValue>,
    name: &str,
    direction: &DirectionResult,
) {
    if direction.total_ios == 0 {
        return;
    }
    let samples = Some(direction.clat.n);
    let mean = MetricValue { value: direction.clat.mean_ns / 1e9, samples, interval95: None };
    all.insert(format!("{name}_lat_mean"), mean);
    let Some(histogram) = &direction.clat.histogram else { return };
    for percent in PERCENTILES {
        let estimate = PercentileEstimate::new(histogram, direction.clat.moments.as_ref(), percent);
        let Some(estimate) = estimate else { continue };
        let interval95 = estimate
            .low_ns
            .zip(estimate.high_ns)
            .map(|(low, high)| (low as f64 / 1e9, high as f64 / 1e9));
        let value = estimate.value_ns as f64 / 1e9;
        all.insert(format!("{name}_lat_p{percent}"), MetricValue { value, samples, interval95 });
    }
}
