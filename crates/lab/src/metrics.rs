//! From a run to the metrics of figures, in base units: seconds, bytes a second, watts.

use super::target::Ran;
use metric::MetricValue;
use stats::{DirectionResult, JobResult, PercentileEstimate};
use std::collections::BTreeMap;

/// Percentiles that every run gives.
const PERCENTILES: [f64; 10] = [50.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999];

/// Numbers that a run may give besides its percentiles.
const PLAIN: [&str; 16] = [
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
    "read_lat_max",
    "write_lat_max",
];

/// Those among them that are of the whole target, whatever jobs ran.
const OF_TARGET: [&str; 5] =
    ["power", "temperature", "throttled_share", "write_amplification", "iops_cv"];

/// Whether a job file whose report has these entries may give a metric. Where there are several,
/// what is no number of the whole target is called `ENTRY.METRIC`.
pub(super) fn jobs_give(entries: &[String], metric: &str) -> bool {
    let of_entry = |name: &str| gives(name) && name != "energy_per_io";
    let part = |entry: &String| metric.strip_prefix(entry.as_str())?.strip_prefix('.');
    match entries.len() {
        0 | 1 => of_entry(metric),
        _ => {
            let mut parts = entries.iter().filter_map(part);
            let is_part = |name: &str| of_entry(name) && !OF_TARGET.contains(&name);
            OF_TARGET.contains(&metric) || parts.any(is_part)
        }
    }
}

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
    let Some(job) = ran.run.jobs.first() else { return BTreeMap::new() };
    let mut all = of_job(job, ran.measured_s);
    all.extend(of_target(ran));
    let ios = job.read().total_ios + job.write().total_ios;
    if let Some(power) = ran.mean_power_w.filter(|_| ios > 0) {
        let energy = power * ran.measured_s.max(1e-12) / ios as f64;
        let energy = MetricValue { value: energy, samples: Some(ios), interval95: None };
        all.insert("energy_per_io".to_owned(), energy);
    }
    all
}

/// Rates and latencies of an entry of the report over so many seconds.
pub(super) fn of_job(job: &JobResult, seconds: f64) -> BTreeMap<String, MetricValue> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, value: f64, samples: u64| {
        let value = MetricValue { value, samples: Some(samples), interval95: None };
        all.insert(name.to_owned(), value);
    };
    let (read, write) = (job.read(), job.write());
    let seconds = seconds.max(1e-12);
    let ios = read.total_ios + write.total_ios;
    put("iops", ios as f64 / seconds, ios);
    put("read_iops", read.total_ios as f64 / seconds, read.total_ios);
    put("write_iops", write.total_ios as f64 / seconds, write.total_ios);
    put("bandwidth", (read.io_bytes + write.io_bytes) as f64 / seconds, ios);
    for (name, side) in [("read_bandwidth", read), ("write_bandwidth", write)] {
        if side.total_ios > 0 {
            put(name, side.io_bytes as f64 / seconds, side.total_ios);
        }
    }
    for (name, direction) in [("read", read), ("write", write)] {
        latencies(&mut all, name, direction);
    }
    all
}

/// What is known of the whole target over a run.
pub(super) fn of_target(ran: &Ran) -> BTreeMap<String, MetricValue> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, value: Option<f64>, samples: Option<u64>| {
        let metric = value.map(|value| MetricValue { value, samples, interval95: None });
        all.extend(metric.map(|metric| (name.to_owned(), metric)));
    };
    put("power", ran.mean_power_w, None);
    let sensor = ran.sensed.iter().filter_map(|seen| seen.celsius).reduce(f64::max);
    put("temperature", ran.heat.as_ref().map(|heat| heat.peak_c).or(sensor), None);
    put("throttled_share", ran.heat.as_ref().map(|heat| heat.throttled_share), None);
    put("write_amplification", ran.write_amplification, None);
    put("processors_busy", ran.processors_busy, None);
    if let Some(windows) = &ran.windows {
        let rates = windows.iops(None);
        // The first and the last window may be cut by the measured time.
        if rates.len() >= 5 {
            let whole = &rates[1..rates.len() - 1];
            let cv = stats::window::coefficient_of_variation(whole);
            put("iops_cv", cv, Some(whole.len() as u64));
        }
    }
    all
}

/// Mean, maximum and percentiles of a direction under `name`, the percentiles with their intervals.
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
    let max = MetricValue { value: direction.clat.max_ns as f64 / 1e9, samples, interval95: None };
    all.insert(format!("{name}_lat_max"), max);
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
