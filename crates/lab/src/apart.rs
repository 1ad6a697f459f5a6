//! Numbers of several sections of a job that were timed apart: the mean of what each of them
//! shows, never of their histograms together.
//!
//! A percentile of a pool is not the mean of percentiles, and reviews print the second. The doubt
//! of a mean of n independent values is that of each in quadrature over n: the half widths of
//! their 95 % intervals, below and above, are added so.

use super::metrics;
use super::target::Ran;
use super::values::Values;
use metric::MetricValue;
use stats::JobResult;
use stats::percentile::{NORMAL_975, enough_samples, samples_for};

/// How a job of such sections begins; each says what it does and where, and its size if that is
/// not the whole device.
pub(super) const HEAD: &str = "\
[global]
ioengine=libaio
direct=1
norandommap=1
randrepeat=0
time_based=1
size=100%
bs=${BLOCK_BYTES}
ramp_time=${RAMP_US}us
runtime=${RUNTIME_US}us
percentile_list=50:90:99:99.9:99.99:99.999:99.9999
";

/// The sections whose names begin with `name`, in their order.
pub(super) fn named<'a>(jobs: &'a [JobResult], name: &str) -> Vec<&'a JobResult> {
    jobs.iter().filter(|job| job.jobname.starts_with(name)).collect()
}

/// Latencies of reads: of each section by itself, and then their mean.
pub(super) fn reads(sections: &[&JobResult]) -> Values {
    let each: Vec<Values> = sections.iter().map(|job| of_one(job)).collect();
    let mut all = Values::new();
    for name in each.first().into_iter().flat_map(|first| first.keys()) {
        let values: Option<Vec<MetricValue>> =
            each.iter().map(|values| values.get(name).copied()).collect();
        if let Some(mean) = values.and_then(|values| mean(&values)) {
            all.insert(name.clone(), mean);
        }
    }
    all
}

/// Latencies of reads with the rates of both sides, each side as one of so many shares of it, and
/// the write amplification.
pub(super) fn beside(
    ran: &Ran,
    (reading, readers): (&[&JobResult], usize),
    (writing, writers): (&[&JobResult], usize),
) -> Values {
    let mut all = reads(reading);
    let seconds = ran.measured_s.max(1e-12);
    let mut put = |name: &str, value: f64, samples: Option<u64>| {
        all.insert(name.to_owned(), MetricValue { value, samples, interval95: None });
    };
    let ios: u64 = reading.iter().map(|job| job.read().total_ios).sum();
    put("read_iops", ios as f64 / readers.max(1) as f64 / seconds, Some(ios));
    let written: u64 = writing.iter().map(|job| job.write().io_bytes).sum();
    let ios: u64 = writing.iter().map(|job| job.write().total_ios).sum();
    put("write_bandwidth", written as f64 / writers.max(1) as f64 / seconds, Some(ios));
    if let Some(amplification) = ran.write_amplification {
        put("write_amplification", amplification, None);
    }
    all
}

fn of_one(job: &JobResult) -> Values {
    let mut all = Values::new();
    let read = job.read();
    metrics::latencies(&mut all, "read", read);
    if let Some(mean) = all.get_mut("read_lat_mean")
        && read.clat.n > 1
    {
        let half = NORMAL_975 * read.clat.stddev_ns / 1e9 / (read.clat.n as f64).sqrt();
        mean.interval95 = Some((mean.value - half, mean.value + half));
    }
    all
}

/// The mean of independent values, its interval where each has one, and all samples together.
fn mean(values: &[MetricValue]) -> Option<MetricValue> {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let value = values.iter().map(|one| one.value).sum::<f64>() / n;
    let intervals: Option<Vec<(f64, f64)>> = values
        .iter()
        .map(|one| one.interval95.map(|(low, high)| (one.value - low, high - one.value)))
        .collect();
    let interval95 = intervals.map(|halves| {
        let of = |side: fn(&(f64, f64)) -> f64| {
            halves.iter().map(|half| side(half).powi(2)).sum::<f64>().sqrt() / n
        };
        (value - of(|half| half.0), value + of(|half| half.1))
    });
    let samples = values.iter().map(|one| one.samples).sum();
    Some(MetricValue { value, samples, interval95 })
}

/// What to say if a section has too few reads for one of these percentiles: the first for which
/// they do not suffice.
pub(super) fn too_few(sections: &[&JobResult], percents: &[f64]) -> Option<String> {
    let least = sections.iter().map(|job| job.read().clat.n).min()?;
    let percent = percents.iter().find(|percent| !enough_samples(**percent, least))?;
    let needed = samples_for(*percent)?;
    Some(format!(
        "{least} reads are too few for read_lat_p{percent}: it takes {needed}, so that ten lie \
         beyond"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64, low: f64, high: f64) -> MetricValue {
        MetricValue { value, samples: Some(100), interval95: Some((low, high)) }
    }

    #[test]
    fn the_doubt_of_a_mean_is_less_than_that_of_each() {
        // Half widths 3, 0 and 4 below: 5 over 3; 6, 6 and 3 above: 9 over 3.
        let of = [value(10.0, 7.0, 16.0), value(20.0, 20.0, 26.0), value(30.0, 26.0, 33.0)];
        let mean = mean(&of).unwrap();
        assert_eq!((mean.value, mean.samples), (20.0, Some(300)));
        let (low, high) = mean.interval95.unwrap();
        assert!((low - (20.0 - 5.0 / 3.0)).abs() < 1e-12 && (high - 23.0).abs() < 1e-12);
    }

    #[test]
    fn without_the_interval_of_each_there_is_none_of_the_mean() {
        let unknown = MetricValue { interval95: None, ..value(2.0, 1.0, 3.0) };
        assert_eq!(mean(&[value(1.0, 0.0, 2.0), unknown]).unwrap().interval95, None);
        assert!(mean(&[]).is_none());
    }
}
