//! Several devices under the same load, added up as one.

use super::target::Ran;
use stats::{DirectionResult, Histogram, JobResult, LatencyResult, Moments};

/// The run with the first `devices` of its jobs as one. What is known of all devices together only
/// (power, write amplification, rates over time) is left out if some are.
pub(super) fn first(ran: &Ran, devices: usize) -> Ran {
    let jobs: Vec<&JobResult> = ran.run.jobs.iter().take(devices).collect();
    let one = together(&jobs);
    let all = jobs.len() == ran.run.jobs.len();
    let run = stats::RunResult { jobs: vec![one], ..ran.run.clone() };
    Ran {
        run,
        windows: ran.windows.clone().filter(|_| all),
        mean_power_w: ran.mean_power_w.filter(|_| all),
        write_amplification: ran.write_amplification.filter(|_| all),
        heat: ran.heat,
        processors_busy: ran.processors_busy.filter(|_| all),
        sensed: ran.sensed.clone(),
        limit: ran.limit.clone(),
        warnings: ran.warnings.clone(),
        measured_s: ran.measured_s,
    }
}

/// Jobs as one.
pub(super) fn together(jobs: &[&JobResult]) -> JobResult {
    let mut one = jobs.first().map(|job| (*job).clone()).unwrap_or_default();
    for side in 0..one.directions.len() {
        let sides: Vec<&DirectionResult> = jobs.iter().map(|job| &job.directions[side]).collect();
        one.directions[side] = DirectionResult {
            io_bytes: sides.iter().map(|side| side.io_bytes).sum(),
            total_ios: sides.iter().map(|side| side.total_ios).sum(),
            runtime_ms: sides.iter().map(|side| side.runtime_ms).max().unwrap_or(0),
            clat: latency(&sides.iter().map(|side| &side.clat).collect::<Vec<_>>()),
            ..DirectionResult::default()
        };
    }
    one
}

/// Mean latency of reads and writes together, s, its 95 % interval as far as I/Os are independent,
/// and how many there are; `None` without I/Os.
pub(super) fn mean_latency(job: &JobResult) -> Option<(f64, (f64, f64), u64)> {
    let sides = [&job.read().clat, &job.write().clat];
    let n: u64 = sides.iter().map(|side| side.n).sum();
    if n == 0 {
        return None;
    }
    let sum = |of: &dyn Fn(&LatencyResult) -> f64| -> f64 {
        sides.iter().map(|side| side.n as f64 * of(side)).sum::<f64>() / n as f64
    };
    let mean = sum(&|side| side.mean_ns);
    let variance = sum(&|side| {
        side.stddev_ns * side.stddev_ns + (side.mean_ns - mean) * (side.mean_ns - mean)
    });
    let doubt = 1.96 * libm::sqrt(variance / n as f64);
    Some((mean / 1e9, ((mean - doubt) / 1e9, (mean + doubt) / 1e9), n))
}

fn latency(parts: &[&LatencyResult]) -> LatencyResult {
    let histograms: Vec<&Histogram> =
        parts.iter().filter_map(|part| part.histogram.as_ref()).collect();
    let mut histogram = Histogram::new();
    for part in &histograms {
        histogram.merge(part);
    }
    let known: Vec<&Moments> = parts.iter().filter_map(|part| part.moments.as_ref()).collect();
    let mut all = match known.len() == parts.len() && !parts.is_empty() {
        true => {
            let mut moments = Moments::new();
            for part in known {
                moments.merge(part);
            }
            LatencyResult::from_moments(&moments)
        }
        false => pooled(parts),
    };
    all.histogram = (!histograms.is_empty()).then_some(histogram);
    all
}

/// From means and deviations alone, as the installed fio reports them.
fn pooled(parts: &[&LatencyResult]) -> LatencyResult {
    let filled = || parts.iter().filter(|part| part.n > 0);
    let n: u64 = filled().map(|part| part.n).sum();
    let weighed = |of: &dyn Fn(&LatencyResult) -> f64| -> f64 {
        filled().map(|part| part.n as f64 * of(part)).sum::<f64>() / n.max(1) as f64
    };
    let mean = weighed(&|part| part.mean_ns);
    let square = |part: &LatencyResult| {
        part.stddev_ns * part.stddev_ns + (part.mean_ns - mean) * (part.mean_ns - mean)
    };
    LatencyResult {
        n,
        min_ns: filled().map(|part| part.min_ns).min().unwrap_or(0),
        max_ns: filled().map(|part| part.max_ns).max().unwrap_or(0),
        mean_ns: mean,
        stddev_ns: libm::sqrt(weighed(&square)),
        ..LatencyResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::LatencyTally;

    fn tally(values: &[u64]) -> LatencyTally {
        let mut tally = LatencyTally::new();
        for value in values {
            tally.record(*value);
        }
        tally
    }

    #[test]
    fn devices_added_up_are_as_if_they_had_been_counted_together() {
        let (a, b) = ([90_000, 100_000, 250_000], [70_000, 110_000]);
        let [one, two] =
            [&a[..], &b[..]].map(|values| LatencyResult::from_tally(&tally(values), &[]));
        let both: Vec<u64> = a.iter().chain(&b).copied().collect();
        let whole = LatencyResult::from_tally(&tally(&both), &[]);
        assert_eq!(latency(&[&one, &two]), whole);
        // As of a drive that exists: no sums, but the mean and nearly the deviation.
        let plain = |part: &LatencyResult| LatencyResult { moments: None, ..part.clone() };
        let added = latency(&[&plain(&one), &plain(&two)]);
        assert!((added.mean_ns - whole.mean_ns).abs() < 1e-6);
        assert_eq!((added.n, added.min_ns, added.max_ns), (5, 70_000, 250_000));
        assert_eq!(added.histogram, whole.histogram);
    }

    #[test]
    fn a_mean_over_reads_and_writes_weighs_them_by_their_number() {
        let mut job = JobResult::default();
        job.directions[0].clat = LatencyResult::from_tally(&tally(&[100_000; 30]), &[]);
        job.directions[1].clat = LatencyResult::from_tally(&tally(&[20_000; 10]), &[]);
        let (mean, (low, high), n) = mean_latency(&job).unwrap();
        assert!((mean - 80e-6).abs() < 1e-12 && n == 40);
        // Two values, 30 and 10 times: the deviation is 80 us times the root of 3/16.
        let doubt = 1.96 * 80e-6 * libm::sqrt(3.0 / 16.0 / 40.0);
        assert!((high - mean - doubt).abs() < 1e-9 && (mean - low - doubt).abs() < 1e-9);
        assert_eq!(mean_latency(&JobResult::default()), None);
    }
}
