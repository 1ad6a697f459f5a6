//! `--interval`: where values and differences of the real drives lie.

use crate::ensemble::Drawn;
use answer::Interval90;
use stats::difference::mean_and_variance;

/// A target's values of a metric: of its runs and of its draws.
pub struct Numbers<'a> {
    /// Of the runs of the model as it is.
    pub runs: &'a [f64],
    /// Of the models that were drawn; empty if a draw has none.
    pub draws: &'a [f64],
}

impl Numbers<'_> {
    /// Standard deviation of a run by itself, over the mean.
    fn noise(&self) -> f64 {
        mean_and_variance(self.runs)
            .filter(|(mean, _)| *mean != 0.0)
            .map_or(0.0, |(mean, variance)| variance.sqrt() / mean.abs())
    }

    /// Where the value of the real drive lies.
    pub fn of_value(&self, drawn: &Drawn, metric: &str) -> Option<Interval90> {
        drawn.interval(metric, self.draws, self.noise())
    }

    /// Where the ratio of the real drive to the one of the baseline lies. Draw by draw, so that
    /// what both share cancels; what the model of one drive lacks its variation lacks too.
    pub fn of_ratio(
        &self,
        baseline: &Numbers<'_>,
        is_variation: bool,
        drawn: &Drawn,
        metric: &str,
    ) -> Option<Interval90> {
        if self.draws.len() != baseline.draws.len() {
            return None;
        }
        let both = self.draws.iter().zip(baseline.draws);
        let ratios: Vec<f64> = both.map(|(own, other)| own / other).collect();
        let noise = self.noise().hypot(baseline.noise());
        drawn.ratio(metric, &ratios, noise, is_variation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: [f64; 8] = [96.0, 97.0, 98.0, 99.0, 101.0, 102.0, 103.0, 104.0];

    #[test]
    fn what_a_drive_and_its_variation_share_cancels() {
        let drawn = Drawn::new(8, 1).unwrap();
        let doubled = DRAWS.map(|value| 2.0 * value);
        let own = Numbers { runs: &[100.0; 2], draws: &DRAWS };
        let other = Numbers { runs: &[200.0; 2], draws: &doubled };
        let ratio = other.of_ratio(&own, true, &drawn, "iops").unwrap();
        assert!((ratio.low - 2.0).abs() < 1e-9 && (ratio.high - 2.0).abs() < 1e-9, "{ratio:?}");
        // Two drives for themselves: each model lacks something of its own.
        let apart = other.of_ratio(&own, false, &drawn, "iops").unwrap();
        let one = own.of_value(&drawn, "iops").unwrap();
        assert!((apart.by_model.ln() - 2f64.sqrt() * one.by_model.ln()).abs() < 1e-9);
        assert!(apart.low < 2.0 && 2.0 < apart.high);
    }

    #[test]
    fn a_real_drive_has_no_draws() {
        let drawn = Drawn::new(8, 1).unwrap();
        let real = Numbers { runs: &[100.0, 101.0], draws: &[] };
        let model = Numbers { runs: &[100.0; 2], draws: &DRAWS };
        assert_eq!(real.of_value(&drawn, "iops"), None);
        assert_eq!(real.of_ratio(&model, false, &drawn, "iops"), None);
    }
}
