//! Models and loads drawn from what is known of them, for `--interval`.

pub mod load;

use crate::render::Failure;
use answer::Interval90;
use lab::{ModelBench, Run};
use prior::{Ensemble, Interval, of_system};
use review::ModelError;
use stats::difference::relative_sigma;
use stats::student::critical;

/// Models of each drive, and what all models lack.
pub struct Drawn {
    ensemble: Ensemble,
    model_error: ModelError,
}

/// What `--interval` alone means.
pub const DRAWS: &str = "16";

/// Reads how many models are drawn.
pub fn draws(text: &str) -> Result<u16, String> {
    let least = prior::LEAST_DRAWS;
    match text.parse::<u16>() {
        Ok(draws) if usize::from(draws) >= least && draws <= 1024 => Ok(draws),
        _ => Err(format!("{least} to 1024 models can be drawn, 16 to 64 are usual")),
    }
}

impl Drawn {
    /// So many models of each drive, by a seed.
    ///
    /// # Errors
    /// A file of the project that cannot be read.
    pub fn new(draws: u16, seed: u64) -> Result<Self, Failure> {
        let model_error = ModelError::shipped().map_err(Failure::failed)?;
        Ok(Self { ensemble: Ensemble::new(draws, seed), model_error })
    }

    /// How many models of each drive there are.
    pub fn draws(&self) -> u16 {
        self.ensemble.draws()
    }

    /// What a measurement of a draw is called; of another number of draws it is another one.
    pub fn key(&self, number: u16, key: &str) -> String {
        format!("draw {number} of {} | {key}", self.draws())
    }

    /// The run of a draw: what is not known of its load is drawn too.
    pub fn run(&self, bench: &ModelBench, run: &Run, number: u16) -> Run {
        load::drawn(self.ensemble, run, number, |run| bench.check(run).is_ok())
    }

    /// The bench and the run of a draw; `bench` has the values that are `given`.
    ///
    /// # Errors
    /// A target that is not known.
    pub fn of(
        &self,
        bench: ModelBench,
        run: &Run,
        given: &[(String, String)],
        number: u16,
    ) -> Result<(ModelBench, Run), Failure> {
        let run = self.run(&bench, run, number);
        let values = self.values(&bench, &run.target, &[&run], given, number)?;
        Ok((bench.with_set(values), run))
    }

    /// The values of a target in a draw in which all of its runs can be made; `bench` has those
    /// that are `given`.
    ///
    /// # Errors
    /// A target that is not known.
    pub fn values(
        &self,
        bench: &ModelBench,
        target: &str,
        runs: &[&Run],
        given: &[(String, String)],
        number: u16,
    ) -> Result<Vec<(String, String)>, Failure> {
        let system = bench.system(target)?;
        let can_be = |set: &[(String, String)]| {
            let bench = bench.clone().with_set(set.to_vec());
            runs.iter().all(|run| bench.check(run).is_ok())
        };
        Ok(self.ensemble.draw(&of_system(&system), given, number, can_be))
    }

    /// The interval of a metric by what the draws gave. `noise` is the standard deviation of a run
    /// by itself, as a fraction.
    pub fn interval(&self, metric: &str, answers: &[f64], noise: f64) -> Option<Interval90> {
        self.off_by(self.model_error.off_by(metric), answers, noise)
    }

    /// The interval of the ratio of two drives by what the draws gave: what two models lack are two
    /// things, and their squares add, unless one is a variation of the other.
    pub fn ratio(
        &self,
        metric: &str,
        ratios: &[f64],
        noise: f64,
        is_variation: bool,
    ) -> Option<Interval90> {
        let of_one = self.model_error.off_by(metric);
        let by_model = if is_variation { 1.0 } else { of_one.powf(std::f64::consts::SQRT_2) };
        self.off_by(by_model, ratios, noise)
    }

    fn off_by(&self, by_model: f64, answers: &[f64], noise: f64) -> Option<Interval90> {
        let by_values = Interval::of(answers, noise)?;
        let all = by_values.and_off_by(by_model);
        Some(Interval90 {
            low: all.low,
            median: all.median,
            high: all.high,
            draws: u16::try_from(answers.len()).unwrap_or(u16::MAX),
            by_values: (by_values.low, by_values.high),
            by_model,
        })
    }
}

/// The standard deviation of one run, from half the 95 % interval of the mean of so many; as a
/// fraction of the mean.
pub fn noise_of_mean(half_width: f64, mean: f64, runs: u16) -> f64 {
    let runs = f64::from(runs);
    match runs > 1.0 && mean != 0.0 {
        true => half_width / mean.abs() * runs.sqrt() / critical(0.05, runs - 1.0),
        false => 0.0,
    }
}

/// The same of one run that knows its own 95 % interval.
pub fn noise_of_run(low: f64, high: f64, value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { relative_sigma(low, high, value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_a_run_follows_from_what_is_known_of_a_mean() {
        // t(0.975, 2) = 4.303: of three runs with a deviation of 1 % the mean is known to 2.48 %.
        let half = 4.3027 * 0.01 / 3f64.sqrt();
        assert!((noise_of_mean(50.0 * half, 50.0, 3) - 0.01).abs() < 1e-6);
        assert_eq!(noise_of_mean(1.0, 50.0, 1), 0.0);
        assert!((noise_of_run(98.04, 101.96, 100.0) - 0.01).abs() < 1e-9);
    }

    #[test]
    fn few_draws_are_refused() {
        assert_eq!(draws("16"), Ok(16));
        assert!(draws("7").is_err() && draws("2000").is_err() && draws("many").is_err());
    }

    #[test]
    fn an_interval_is_wider_than_what_the_values_give() {
        let drawn = Drawn::new(8, 1).unwrap();
        let answers = [96.0, 97.0, 98.0, 99.0, 101.0, 102.0, 103.0, 104.0];
        let interval = drawn.interval("iops", &answers, 0.0).unwrap();
        assert!(interval.low < interval.by_values.0 && interval.by_values.1 < interval.high);
        assert!(interval.low < interval.median && interval.median < interval.high);
        assert_eq!(drawn.interval("iops", &answers[1..], 0.0), None);
    }
}
