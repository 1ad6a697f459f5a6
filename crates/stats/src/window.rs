//! A run cut into windows of equal length: I/Os, bytes and latency of each, in columns.

use crate::direction::{BandwidthSamples, Direction, IopsSamples};
use crate::moments::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Picoseconds in a millisecond.
pub const PS_PER_MS: u64 = 1_000_000_000;
/// Windows after which no more are opened (a day of 20 ms each): what comes later is counted in
/// the last one, so that a wrong time stamp cannot fill the memory.
pub const WINDOWS_MAX: usize = 1 << 22;

/// The windows of one direction: element `i` of each column belongs to window `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WindowColumns {
    /// I/Os completed.
    pub ios: Vec<u64>,
    /// Bytes moved.
    pub bytes: Vec<u64>,
    /// Sum of the latencies of those I/Os, ns.
    pub lat_sum_ns: Vec<u64>,
}

/// I/Os by window of completion and by direction, filled in order of time.
///
/// Window `i` starts `i` window lengths after the origin; an I/O on a border belongs to the
/// later window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Start of the first window, ps since the start of the run.
    pub origin_ps: u64,
    /// Length of a window, ps.
    pub window_ps: u64,
    /// End of the series, ps: the last window may be cut short by it. Equal to the end of the
    /// last window until [`Windows::finish`] says otherwise.
    pub end_ps: u64,
    /// Read, write, trim.
    pub directions: [WindowColumns; 3],
    /// End of the window being filled: a comparison an I/O instead of a division.
    #[serde(skip)]
    open_end_ps: u64,
}

impl Windows {
    /// Windows of `window_ps` from `origin_ps` on; a length of 0 is taken as 1 ms.
    pub fn new(origin_ps: u64, window_ps: u64) -> Self {
        let window_ps = if window_ps == 0 { PS_PER_MS } else { window_ps };
        Self {
            origin_ps,
            window_ps,
            end_ps: origin_ps,
            directions: Default::default(),
            open_end_ps: origin_ps,
        }
    }

    /// Counts an I/O that completed at `now_ps`. Times must not fall; one that does is counted
    /// in the window being filled.
    #[inline]
    pub fn push(&mut self, now_ps: u64, direction: Direction, bytes: u64, lat_ns: u64) {
        if now_ps >= self.open_end_ps || self.is_empty() {
            self.open_until(now_ps);
        }
        let columns = &mut self.directions[direction as usize];
        if let Some(ios) = columns.ios.last_mut() {
            *ios += 1;
        }
        if let Some(sum) = columns.bytes.last_mut() {
            *sum = sum.saturating_add(bytes);
        }
        if let Some(sum) = columns.lat_sum_ns.last_mut() {
            *sum = sum.saturating_add(lat_ns);
        }
    }

    /// Ends the series at `end_ps`: windows without I/O up to there are filled with zeros, and a
    /// last window that reaches beyond it is known to be shorter. An end that is on a border opens
    /// no further window, unless an I/O has done so.
    pub fn finish(&mut self, end_ps: u64) {
        if end_ps > self.open_end_ps {
            self.open_until(end_ps - 1);
        }
        let least = self.start_ps(self.len().saturating_sub(1));
        self.end_ps = end_ps.clamp(least, self.open_end_ps.max(least));
    }

    /// Opens windows until one holds `now_ps`.
    #[cold]
    fn open_until(&mut self, now_ps: u64) {
        let count = (now_ps.saturating_sub(self.origin_ps) / self.window_ps).saturating_add(1);
        let count = usize::try_from(count).unwrap_or(WINDOWS_MAX).min(WINDOWS_MAX);
        let count = count.max(self.len());
        for columns in &mut self.directions {
            columns.ios.resize(count, 0);
            columns.bytes.resize(count, 0);
            columns.lat_sum_ns.resize(count, 0);
        }
        self.open_end_ps = if count == WINDOWS_MAX { u64::MAX } else { self.start_ps(count) };
        self.end_ps = self.start_ps(count);
    }

    /// Number of windows.
    pub fn len(&self) -> usize {
        self.directions[0].ios.len()
    }

    /// Whether there are no windows.
    pub fn is_empty(&self) -> bool {
        self.directions[0].ios.is_empty()
    }

    /// Start of window `i`, ps since the start of the run.
    pub fn start_ps(&self, i: usize) -> u64 {
        self.origin_ps.saturating_add(self.window_ps.saturating_mul(i as u64))
    }

    /// Start of window `i`, ms since the start of the run.
    pub fn start_ms(&self, i: usize) -> f64 {
        self.start_ps(i) as f64 / PS_PER_MS as f64
    }

    /// Number of windows of full length: all but a last one that was cut short.
    pub fn full(&self) -> usize {
        let span = self.end_ps.saturating_sub(self.origin_ps);
        let full = span.checked_div(self.window_ps).unwrap_or(0);
        usize::try_from(full).unwrap_or(usize::MAX).min(self.len())
    }

    /// The columns of a direction.
    pub fn columns(&self, direction: Direction) -> &WindowColumns {
        &self.directions[direction.index()]
    }

    /// I/Os a second in each full window; without a direction, of all of them.
    pub fn iops(&self, direction: Option<Direction>) -> Vec<f64> {
        self.per_second(direction, |columns| &columns.ios)
    }

    /// Bytes a second in each full window; without a direction, of all of them.
    pub fn bytes_per_s(&self, direction: Option<Direction>) -> Vec<f64> {
        self.per_second(direction, |columns| &columns.bytes)
    }

    /// Mean latency (ns) in each window of a direction, `None` where no I/O completed.
    pub fn mean_lat_ns(&self, direction: Direction) -> Vec<Option<f64>> {
        let columns = self.columns(direction);
        let pairs = columns.ios.iter().zip(&columns.lat_sum_ns);
        pairs.map(|(ios, sum)| (*ios > 0).then(|| *sum as f64 / *ios as f64)).collect()
    }

    /// Bandwidth by full window, as fio summarises its samples; `group_bytes_s` is what the
    /// reporting group moved together, for `agg_percent`.
    pub fn bandwidth_samples(&self, direction: Direction, group_bytes_s: u64) -> BandwidthSamples {
        let samples = self.samples(&self.columns(direction).bytes, 1024);
        let mean_kib_s = samples.mean();
        let group_kib_s = group_bytes_s as f64 / 1024.0;
        let agg_percent =
            if group_bytes_s == 0 { 0.0 } else { (100.0 * mean_kib_s / group_kib_s).min(100.0) };
        BandwidthSamples {
            min_kib_s: samples.least(),
            max_kib_s: samples.max,
            agg_percent,
            mean_kib_s,
            dev_kib_s: samples.stddev(),
            samples: samples.n,
        }
    }

    /// I/Os a second by full window, as fio summarises its samples.
    pub fn iops_samples(&self, direction: Direction) -> IopsSamples {
        let samples = self.samples(&self.columns(direction).ios, 1);
        IopsSamples {
            min: samples.least(),
            max: samples.max,
            mean: samples.mean(),
            stddev: samples.stddev(),
            samples: samples.n,
        }
    }

    /// Whole `unit`s a second of each full window: fio's samples are integers. It takes none
    /// of a direction in which nothing happened.
    fn samples(&self, column: &[u64], unit: u64) -> Moments {
        let mut samples = Moments::new();
        let divisor = (u128::from(self.window_ps) * u128::from(unit)).max(1);
        if column.iter().any(|sum| *sum > 0) {
            for sum in column.iter().take(self.full()) {
                let rate = u128::from(*sum) * 1000 * u128::from(PS_PER_MS) / divisor;
                samples.record(u64::try_from(rate).unwrap_or(u64::MAX));
            }
        }
        samples
    }

    fn per_second(
        &self,
        direction: Option<Direction>,
        column: impl Fn(&WindowColumns) -> &Vec<u64>,
    ) -> Vec<f64> {
        let seconds = self.window_ps as f64 / (1000.0 * PS_PER_MS as f64);
        let chosen = Direction::ALL.iter().filter(|each| direction.is_none_or(|d| d == **each));
        let mut sums = vec![0_u64; self.full()];
        for each in chosen {
            for (sum, value) in sums.iter_mut().zip(column(self.columns(*each))) {
                *sum = sum.saturating_add(*value);
            }
        }
        sums.into_iter().map(|sum| sum as f64 / seconds).collect()
    }
}

/// Standard deviation of the sample over the mean, a measure of evenness without a unit; `None`
/// below two values or for a mean of 0.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 || mean == 0.0 || !mean.is_finite() {
        return None;
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(libm::sqrt(squares / (n - 1.0)) / mean.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF_S: u64 = 500 * PS_PER_MS;

    #[test]
    fn borders_gaps_and_the_cut_end() {
        let mut w = Windows::new(0, HALF_S);
        w.push(HALF_S - 1, Direction::Read, 4096, 10);
        w.push(HALF_S, Direction::Read, 4096, 20);
        w.push(4 * HALF_S, Direction::Write, 512, 30);
        w.finish(4 * HALF_S + 7);
        assert_eq!(w.columns(Direction::Read).ios, [1, 1, 0, 0, 0]);
        assert_eq!(w.columns(Direction::Write).bytes, [0, 0, 0, 0, 512]);
        assert_eq!((w.len(), w.full()), (5, 4));
        let samples = w.iops_samples(Direction::Read);
        assert_eq!((samples.min, samples.max, samples.mean, samples.samples), (0, 2, 1.0, 4));
        let bandwidth = w.bandwidth_samples(Direction::Read, 8192);
        assert_eq!((bandwidth.max_kib_s, bandwidth.mean_kib_s), (8, 4.0));
        assert_eq!(bandwidth.agg_percent, 50.0);
        assert_eq!(w.iops_samples(Direction::Trim), IopsSamples::default());
    }

    #[test]
    fn an_end_on_a_border_opens_no_window() {
        let mut w = Windows::new(HALF_S, HALF_S);
        w.push(HALF_S, Direction::Trim, 1, 1);
        w.finish(3 * HALF_S);
        assert_eq!((w.len(), w.full()), (2, 2));
        let mut idle = Windows::new(0, HALF_S);
        idle.finish(0);
        assert_eq!(idle.len(), 0);
        idle.finish(2 * HALF_S);
        assert_eq!(idle.iops(None), [0.0, 0.0]);
    }

    #[test]
    fn evenness() {
        assert_eq!(coefficient_of_variation(&[5.0, 5.0, 5.0]), Some(0.0));
        assert_eq!(coefficient_of_variation(&[1.0]), None);
        assert_eq!(coefficient_of_variation(&[0.0, 0.0]), None);
    }

    #[test]
    fn absurd_times_stay_small() {
        let mut w = Windows::new(0, 1 << 40);
        w.push(u64::MAX, Direction::Read, u64::MAX, u64::MAX);
        w.push(u64::MAX, Direction::Read, u64::MAX, u64::MAX);
        w.push(0, Direction::Read, 1, 1);
        w.finish(u64::MAX);
        let _ = (w.iops(None), w.bandwidth_samples(Direction::Read, 1), w.start_ms(3));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(
            steps in prop::collection::vec((0_u64..3 * HALF_S, 1_u64..1 << 20), 1..200)
        ) {
            let mut w = Windows::new(0, HALF_S);
            let mut now = 0;
            for (step, bytes) in &steps {
                now += step;
                w.push(now, Direction::Write, *bytes, 1);
            }
            w.finish(now + 1);
            let total: u64 = steps.iter().map(|(_, bytes)| bytes).sum();
            prop_assert_eq!(w.columns(Direction::Write).bytes.iter().sum::<u64>(), total);
            prop_assert_eq!(w.len() as u64, now / HALF_S + 1);
        }
    }
}
