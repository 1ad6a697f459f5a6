//! The rate of one pass over a drive, over time and position.

use metric::Series;
use stats::Windows;
use stats::window::WindowColumns;

/// Points of a curve: coarser than the windows that it is made of, so that one slow program does
/// not stand for the rate of a stretch.
const POINTS: usize = 240;
/// Points over which a rate has to hold to count as recovered: 5 % of the pass.
const HOLD: usize = POINTS / 20;

/// Equal stretches of time; seconds and bytes are those of the real drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Length of a stretch, s.
    pub step_s: f64,
    /// Bytes moved in each.
    pub bytes: Vec<f64>,
    /// I/Os done in each, and the sum of their latencies, s; empty if they were not counted.
    pub ios: Vec<(f64, f64)>,
}

impl Curve {
    /// The full windows of a run, several to a point. `scale` is simulated over real capacity;
    /// `counted`: the windows hold I/Os too, and not bytes alone.
    pub fn of(windows: &Windows, scale: f64, counted: bool) -> Self {
        let rates = windows.bytes_per_s(None);
        let window_s = windows.window_ps as f64 / 1e12;
        let group = rates.len().div_ceil(POINTS).max(1);
        // A last group that is not whole would be a shorter stretch.
        let bytes = rates.chunks_exact(group).map(|group| group.iter().sum::<f64>());
        let bytes = bytes.map(|sum| sum * window_s / scale).collect();
        let in_group = |column: fn(&WindowColumns) -> &Vec<u64>, from: usize| -> f64 {
            let sides = windows.directions.iter();
            sides.flat_map(|side| &column(side)[from..from + group]).map(|n| *n as f64).sum()
        };
        let starts = (0..rates.len() / group * group).step_by(group).filter(|_| counted);
        let ios = starts.map(|from| {
            let (ios, ns) = (in_group(|c| &c.ios, from), in_group(|c| &c.lat_sum_ns, from));
            (ios / scale, ns / 1e9 / scale)
        });
        let ios = ios.collect();
        Curve { step_s: window_s * group as f64 / scale, bytes, ios }
    }

    /// Bytes a second of each stretch.
    pub fn rates(&self) -> Vec<f64> {
        self.bytes.iter().map(|bytes| bytes / self.step_s).collect()
    }

    /// The slowest stretch, B/s.
    pub fn low(&self) -> f64 {
        self.rates().into_iter().reduce(f64::min).unwrap_or(0.0)
    }

    /// The fastest stretch, B/s.
    pub fn high(&self) -> f64 {
        self.rates().into_iter().reduce(f64::max).unwrap_or(0.0)
    }

    /// Mean rate (B/s) between two shares of the bytes.
    pub fn between(&self, from: f64, to: f64) -> f64 {
        let total: f64 = self.bytes.iter().sum();
        let (from, to) = (from * total, to * total);
        let seconds = self.time_at(to) - self.time_at(from);
        if seconds > 0.0 { (to - from) / seconds } else { 0.0 }
    }

    /// For how long (s) and how many bytes a rate is kept up from the beginning on: until the mean
    /// over three stretches is below it.
    pub fn held(&self, rate: f64) -> (f64, f64) {
        let rates = self.rates();
        let few = 3.min(rates.len().max(1));
        let low = |window: &[f64]| window.iter().sum::<f64>() < rate * window.len() as f64;
        let end = match rates.windows(few).position(low) {
            // The first of the three that is below.
            Some(at) => at + rates[at..].iter().position(|r| *r < rate).unwrap_or(0),
            None => rates.len(),
        };
        // The sum of nothing is minus zero.
        (end as f64 * self.step_s, 0.0 + self.bytes[..end].iter().sum::<f64>())
    }

    /// When so many bytes were done, s.
    fn time_at(&self, wanted: f64) -> f64 {
        let mut done = 0.0;
        for (i, bytes) in self.bytes.iter().enumerate() {
            if done + bytes >= wanted && *bytes > 0.0 {
                return (i as f64 + (wanted - done) / bytes) * self.step_s;
            }
            done += bytes;
        }
        self.bytes.len() as f64 * self.step_s
    }

    /// The time from which on the mean over the next 5 % of the pass is at least `rate`; 0 if it
    /// never was below, `None` if it does not come back.
    pub fn recovery(&self, rate: f64) -> Option<f64> {
        let rates = self.rates();
        let hold = HOLD.min(rates.len().max(1));
        let mean = |window: &[f64]| window.iter().sum::<f64>() / window.len() as f64;
        let found = rates.windows(hold).position(|window| mean(window) >= rate)?;
        Some(found as f64 * self.step_s)
    }

    /// The curve for a Record.
    pub fn series(&self, name: &str) -> Series {
        let mut done = 0.0;
        let positions = self.bytes.iter().map(|bytes| {
            done += bytes;
            done
        });
        let positions = positions.collect();
        let latency = |&(ios, sum): &(f64, f64)| (ios > 0.0).then(|| sum / ios);
        Series {
            name: name.to_owned(),
            time_s: (1..=self.bytes.len()).map(|i| i as f64 * self.step_s).collect(),
            position_bytes: positions,
            bytes_per_s: self.rates(),
            iops: self.ios.iter().map(|(ios, _)| ios / self.step_s).collect(),
            latency_mean_s: self.ios.iter().map(latency).collect(),
            ..Series::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(rates: &[f64]) -> Curve {
        let bytes = rates.iter().map(|rate| rate * 2.0).collect();
        Curve { step_s: 2.0, bytes, ..Curve::default() }
    }

    #[test]
    fn ends_and_extremes() {
        let mut rates = vec![10.0; 90];
        rates.extend([40.0; 10]);
        let curve = curve(&rates);
        assert_eq!((curve.low(), curve.high()), (10.0, 40.0));
        assert!((curve.between(0.0, 0.1) - 10.0).abs() < 1e-9);
        assert!((curve.between(0.9, 1.0) - 40.0).abs() < 1e-9);
        // 1300 bytes of rate in 100 stretches of 2 s.
        assert!((curve.between(0.0, 1.0) - 13.0).abs() < 1e-9);
    }

    #[test]
    fn a_rate_is_held_until_three_stretches_fall_below_it() {
        let mut rates = vec![10.0; 40];
        rates[20] = 9.0;
        rates.extend([4.0; 60]);
        // One slow stretch among fast ones does not end it at 95 %, and does at 99 %.
        assert_eq!(curve(&rates).held(9.5), (80.0, 2.0 * 399.0));
        assert_eq!(curve(&rates).held(9.9), (40.0, 400.0));
        assert_eq!(curve(&rates).held(11.0), (0.0, 0.0));
        assert_eq!(curve(&rates).held(4.0), (200.0, 2.0 * (399.0 + 240.0)));
        assert_eq!(Curve::default().held(1.0), (0.0, 0.0));
    }

    #[test]
    fn a_rate_has_to_hold_to_count_as_recovered() {
        let mut rates = vec![100.0; 3];
        rates.extend([10.0; 40]);
        rates.extend([100.0; 57]);
        let curve = curve(&rates);
        let back = curve.recovery(90.0).unwrap();
        // The mean over twelve stretches is at 90 % when less than two of them are slow.
        assert_eq!(back, 2.0 * 42.0);
        assert_eq!(curve.recovery(101.0), None);
        assert_eq!(curve.recovery(5.0), Some(0.0));
    }
}
