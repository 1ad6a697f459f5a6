//! From transactions of modelled servers to metrics, in base units.

use super::values::Values;
use iopath::kernel::probe::{Cause, Part};
use metric::MetricValue;
use simulate::Served;
use stats::PercentileEstimate;

/// Parts of the measured time over which the interval of the rate is taken.
const BATCHES: usize = 20;
/// Fewest of them for an interval.
const LEAST_BATCHES: f64 = 10.0;

/// Every metric that [`values`] may give.
const NAMES: [&str; 19] = [
    "tps",
    "mean_ms",
    "p99_ms",
    "processor_time",
    "page_wait",
    "frame_wait",
    "commit_wait",
    "buffer_hits",
    "processor_share",
    "page_reads",
    "page_writes",
    "doublewrites",
    "log_writes",
    "log_flushes",
    "file_flushes",
    "log_bandwidth",
    "read_bandwidth",
    "write_bandwidth",
    "read_lat_mean",
];

/// Whether servers may give this metric.
pub(super) fn gives(name: &str) -> bool {
    NAMES.contains(&name)
}

/// All metrics of what servers did.
pub(super) fn values(served: &Served) -> Values {
    let mut values = Values::new();
    let (tally, seconds) = (&served.tally, served.seconds.max(1e-12));
    let mut put = |name: &str, value: MetricValue| {
        values.insert(name.to_owned(), value);
    };
    let samples = Some(tally.done);
    let (rates, means) = batches(served);
    let rate = tally.done as f64 / seconds;
    put("tps", MetricValue { value: rate, samples, interval95: interval(rate, &rates) });
    let mean = tally.response.moments.mean() / 1e9;
    put("mean_ms", MetricValue { value: mean, samples, interval95: interval(mean, &means) });
    let moments = Some(&tally.response.moments);
    if let Some(p99) = PercentileEstimate::new(&tally.response.histogram, moments, 99.0) {
        let ends = p99.low_ns.zip(p99.high_ns);
        let interval95 = ends.map(|(low, high)| (low as f64 / 1e9, high as f64 / 1e9));
        put("p99_ms", MetricValue { value: p99.value_ns as f64 / 1e9, samples, interval95 });
    }
    let each = |ns: u64| MetricValue::exact(ns as f64 / 1e9 / tally.done.max(1) as f64);
    put("processor_time", each(tally.parts_ns[Part::Processor as usize]));
    put("page_wait", each(tally.parts_ns[Part::Page as usize]));
    put("frame_wait", each(tally.parts_ns[Part::Frame as usize]));
    put("commit_wait", each(tally.parts_ns[Part::Log as usize]));
    let used = (tally.hits + tally.misses).max(1) as f64;
    put("buffer_hits", MetricValue::exact(tally.hits as f64 / used));
    put("processor_share", MetricValue::exact(served.processors));
    let per_s = |count: u64| MetricValue::exact(count as f64 / seconds);
    put("page_reads", per_s(tally.of(Cause::PageRead).ios));
    put("page_writes", per_s(tally.of(Cause::PageWrite).ios));
    put("doublewrites", per_s(tally.of(Cause::DoubleWrite).ios));
    put("log_writes", per_s(tally.of(Cause::LogWrite).ios));
    put("log_flushes", per_s(tally.of(Cause::LogFlush).ios));
    put("file_flushes", per_s(tally.of(Cause::FileFlush).ios));
    put("log_bandwidth", per_s(tally.of(Cause::LogWrite).bytes));
    let sum = |causes: &[Cause]| causes.iter().map(|cause| tally.of(*cause).bytes).sum();
    put("read_bandwidth", per_s(sum(&[Cause::PageRead])));
    let writes = [Cause::LogWrite, Cause::DoubleWrite, Cause::PageWrite];
    put("write_bandwidth", per_s(sum(&writes)));
    let reads = tally.of(Cause::PageRead);
    if reads.ios > 0 {
        let latency = reads.latency_ns as f64 / 1e9 / reads.ios as f64;
        put(
            "read_lat_mean",
            MetricValue { samples: Some(reads.ios), ..MetricValue::exact(latency) },
        );
    }
    values
}

/// Rate and mean response of equal parts of the measured time.
fn batches(served: &Served) -> (Vec<f64>, Vec<f64>) {
    let batches = served.tally.batches(BATCHES);
    let each = served.tally.windows.len() / BATCHES.max(1);
    let seconds = each as f64 * 0.01;
    let rates = batches.iter().map(|batch| batch.done as f64 / seconds.max(1e-12));
    let mean = |ns: u64, done: u64| ns as f64 / 1e9 / done.max(1) as f64;
    let means = batches.iter().map(|batch| mean(batch.response_ns, batch.done));
    (rates.collect(), means.collect())
}

/// The 95 % interval about a mean of which these are batches (Student's t on batch means).
fn interval(mean: f64, batches: &[f64]) -> Option<(f64, f64)> {
    let n = batches.len() as f64;
    if n < LEAST_BATCHES {
        return None;
    }
    let middle = batches.iter().sum::<f64>() / n;
    let square: f64 = batches.iter().map(|value| (value - middle) * (value - middle)).sum();
    let reach = stats::student::critical(0.05, n - 1.0) * libm::sqrt(square / (n - 1.0) / n);
    Some((mean - reach, mean + reach))
}
