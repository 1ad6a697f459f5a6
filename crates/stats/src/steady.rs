//! Steady state: fio's criteria and that of SNIA's Performance Test Specification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Slope and intercept of the least-squares line through `(0, y0), (1, y1), ...`; `None` below
/// two points.
pub fn least_squares(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean_x = (n - 1.0) / 2.0;
    let mean_y = values.iter().sum::<f64>() / n;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let dx = i as f64 - mean_x;
        xy += dx * (value - mean_y);
        xx += dx * dx;
    }
    let slope = xy / xx;
    Some((slope, mean_y - slope * mean_x))
}

/// Pearson's correlation of values with their order, from -1 to 1; `None` below two values, or of
/// values that are all the same.
pub fn correlation_with_order(values: &[f64]) -> Option<f64> {
    let (slope, _) = least_squares(values)?;
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let yy: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    // The squared distances of 0, 1, ... n - 1 from their mean.
    let xx = n * (n * n - 1.0) / 12.0;
    (yy > 0.0).then(|| slope * libm::sqrt(xx / yy))
}

/// Which figure fio's test follows. The values are the caller's: one a `ss_interval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FioMetric {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bw,
    /// Mean latency, ns.
    Lat,
}

/// How fio's test judges the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FioShape {
    /// Largest distance of a value from the mean.
    Deviation,
    /// Slope of the least-squares line, per value.
    Slope,
}

/// fio's `steadystate=METRIC[_slope]:LIMIT[%]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FioCriterion {
    /// What is followed.
    pub metric: FioMetric,
    /// How it is judged.
    pub shape: FioShape,
    /// The limit: percent of the mean if `percent`, else in the unit of the metric.
    pub limit: f64,
    /// Whether the limit is relative to the mean.
    pub percent: bool,
    /// Number of values in the window (`steadystate_duration` over the interval).
    pub window: usize,
}

/// What fio's test says about a window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FioVerdict {
    /// Whether the criterion is below the limit.
    pub attained: bool,
    /// What is held against the limit: percent of the mean if the limit is, never negative.
    pub criterion: f64,
    /// Mean of the window.
    pub mean: f64,
    /// Largest deviation from the mean; 0 when the slope is judged.
    pub max_deviation: f64,
    /// Slope per value; 0 when the deviation is judged.
    pub slope: f64,
}

impl FioCriterion {
    /// Judges the last `window` values; `None` while there are fewer, or a window of none.
    pub fn judge(&self, values: &[f64]) -> Option<FioVerdict> {
        if self.window == 0 {
            return None;
        }
        let window = &values[values.len().checked_sub(self.window)?..];
        let mean = window.iter().sum::<f64>() / window.len() as f64;
        let (mut max_deviation, mut slope) = (0.0, 0.0);
        let absolute = match self.shape {
            FioShape::Deviation => {
                max_deviation = window.iter().fold(0.0, |max: f64, v| max.max((v - mean).abs()));
                max_deviation
            }
            FioShape::Slope => {
                slope = least_squares(window).map_or(0.0, |(slope, _)| slope);
                slope.abs()
            }
        };
        let criterion = match (self.percent, mean != 0.0) {
            (false, _) => absolute,
            (true, true) => 100.0 * absolute / mean.abs(),
            // Nothing happened in the whole window: a percentage of it says nothing.
            (true, false) => f64::MAX,
        };
        let attained = criterion < self.limit;
        Some(FioVerdict { attained, criterion, mean, max_deviation, slope })
    }
}

/// SNIA's steady state (PTS-E 1.1 and 2.0.2): over the last rounds the values range over no more
/// than a share of their mean, and the least-squares line rises or falls no more than another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SniaCriterion {
    /// Rounds in the measurement window: 5.
    pub window: usize,
    /// Greatest range (maximum minus minimum), percent of the mean: 20.
    pub range_percent: f64,
    /// Greatest excursion of the line from the first to the last round, percent of the mean: 10.
    pub excursion_percent: f64,
    /// Rounds after which the test gives up: 25.
    pub rounds_max: usize,
}

impl Default for SniaCriterion {
    fn default() -> Self {
        Self { window: 5, range_percent: 20.0, excursion_percent: 10.0, rounds_max: 25 }
    }
}

/// What SNIA's test says about a window of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SniaVerdict {
    /// Whether both conditions hold.
    pub steady: bool,
    /// First round of the window, from 1.
    pub first_round: usize,
    /// Last round of the window, from 1.
    pub last_round: usize,
    /// Mean of the window.
    pub mean: f64,
    /// Least value of the window.
    pub min: f64,
    /// Greatest value of the window.
    pub max: f64,
    /// Slope of the least-squares line, per round.
    pub slope: f64,
    /// Value of the line at the first round of the window.
    pub line_start: f64,
    /// Range in percent of the mean.
    pub range_percent: f64,
    /// Excursion of the line over the window (slope times intervals), percent of the mean,
    /// never negative.
    pub excursion_percent: f64,
}

impl SniaCriterion {
    /// Judges the last window of `rounds`; `None` while there are fewer rounds than it needs.
    pub fn judge(&self, rounds: &[f64]) -> Option<SniaVerdict> {
        if self.window < 2 {
            return None;
        }
        let first = rounds.len().checked_sub(self.window)?;
        let window = &rounds[first..];
        let (slope, line_start) = least_squares(window)?;
        let mean = window.iter().sum::<f64>() / window.len() as f64;
        let min = window.iter().copied().fold(f64::INFINITY, f64::min);
        let max = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let usable = mean > 0.0 && mean.is_finite();
        let of_mean = |value: f64| if usable { 100.0 * value / mean } else { f64::MAX };
        let range_percent = of_mean(max - min);
        let excursion_percent = of_mean((slope * (self.window - 1) as f64).abs());
        // Limits are inclusive; forgive the last digits of a range that is exactly 20 %.
        let within = |value: f64, limit: f64| value <= limit * (1.0 + 1e-12);
        Some(SniaVerdict {
            steady: within(range_percent, self.range_percent)
                && within(excursion_percent, self.excursion_percent),
            first_round: first + 1,
            last_round: rounds.len(),
            mean,
            min,
            max,
            slope,
            line_start,
            range_percent,
            excursion_percent,
        })
    }

    /// Judges after each round until one is steady or `rounds_max` is reached; the verdict is
    /// of the last window looked at. `None` while there are fewer rounds than a window needs.
    pub fn first_steady(&self, rounds: &[f64]) -> Option<SniaVerdict> {
        let last = rounds.len().min(self.rounds_max);
        let mut latest = None;
        for end in self.window..=last {
            latest = self.judge(&rounds[..end]);
            if latest.is_some_and(|verdict| verdict.steady) {
                break;
            }
        }
        latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_through_a_line() {
        assert_eq!(least_squares(&[3.0, 5.0, 7.0]), Some((2.0, 3.0)));
        assert_eq!(least_squares(&[3.0]), None);
    }

    #[test]
    fn snia_at_its_limits() {
        let snia = SniaCriterion::default();
        // Range exactly 20 % of 100 without any slope.
        let edge = snia.judge(&[90.0, 110.0, 100.0, 110.0, 90.0]).expect("five rounds");
        assert!(edge.steady && edge.slope == 0.0, "{edge:?}");
        let over = snia.judge(&[89.9, 110.0, 100.0, 110.0, 90.1]).expect("five rounds");
        assert!(!over.steady);
        // A slope of 2.5 % a round is 10 % over the four intervals of the window.
        let slope = |per_round: f64| -> Vec<f64> {
            (0..5).map(|i| 100.0 + per_round * (f64::from(i) - 2.0)).collect()
        };
        assert!(snia.judge(&slope(2.5)).expect("five rounds").steady);
        assert!(!snia.judge(&slope(2.51)).expect("five rounds").steady);
        assert_eq!(snia.judge(&[1.0; 4]), None);
    }

    #[test]
    fn snia_stops_at_the_first_steady_window_or_gives_up() {
        let snia = SniaCriterion::default();
        let mut rounds = vec![200.0, 150.0, 120.0];
        rounds.extend([100.0; 10]);
        assert_eq!(snia.first_steady(&rounds).map(|v| (v.steady, v.last_round)), Some((true, 8)));
        let never: Vec<f64> = (0..40).map(|i| f64::from(1 << (i % 10))).collect();
        let verdict = snia.first_steady(&never).expect("enough rounds");
        assert_eq!((verdict.steady, verdict.last_round), (false, 25));
    }

    #[test]
    fn useless_values_are_not_steady() {
        let snia = SniaCriterion::default();
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(!snia.judge(&[value; 5]).expect("five rounds").steady, "{value}");
        }
    }

    #[test]
    fn fio_compares_with_less_than() {
        let mut criterion = FioCriterion {
            metric: FioMetric::Iops,
            shape: FioShape::Deviation,
            limit: 10.0,
            percent: true,
            window: 2,
        };
        let at = criterion.judge(&[0.0, 90.0, 110.0]).expect("a window");
        assert_eq!((at.attained, at.criterion, at.max_deviation), (false, 10.0, 10.0));
        assert!(criterion.judge(&[91.0, 109.0]).expect("a window").attained);
        criterion.shape = FioShape::Slope;
        criterion.percent = false;
        let slope = criterion.judge(&[91.0, 82.0]).expect("a window");
        assert_eq!((slope.attained, slope.slope, slope.criterion), (true, -9.0, 9.0));
        assert_eq!(criterion.judge(&[1.0]), None);
        criterion.window = 0;
        assert_eq!(criterion.judge(&[1.0]), None);
    }
}
