//! How far predictions of a kind were from what was published: what a model lacks.
//!
//! The interval of a prediction has two parts. The values of the model are known within their
//! ranges, and [`prior`] draws them. What the model lacks altogether shows only where it was held
//! against a measurement: the predicted figures of the reviews. Of each the score is how much its
//! interval by values has to be widened, in squares, until it holds what was published; the factor
//! of a class is the score that nine of ten figures stay below (split conformal prediction: Lei et
//! al., J. Am. Stat. Assoc. 113, 2018, 1094). A figure is judged by the scores of the others.

use answer::reproduction::{Basis, Figure};
use metric::{Dimension, Metric, tail};
use serde::{Deserialize, Serialize};
use stats::student::deviations;
use std::collections::BTreeSet;

/// Kinds of metric of which predictions are equally far off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// I/Os or bytes a second, transactions, scores.
    Throughput,
    /// Mean latencies and other times.
    Time,
    /// Percentiles of latency.
    Tail,
    /// Power and energy.
    Power,
    /// Amplification, wear, and all else.
    Other,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 5] =
        [Class::Throughput, Class::Time, Class::Tail, Class::Power, Class::Other];

    /// The class of a metric.
    pub fn of(metric: &Metric) -> Self {
        match (metric.percent(), metric.dimension()) {
            (Some(_), _) => Class::Tail,
            (_, Dimension::Rate | Dimension::Bandwidth | Dimension::Score) => Class::Throughput,
            (_, Dimension::Time) => Class::Time,
            (_, Dimension::Power | Dimension::Energy) => Class::Power,
            _ => Class::Other,
        }
    }

    /// The class of a metric as a figure or a result names it.
    pub fn of_name(name: &str) -> Self {
        Metric::parse(tail(name)).map_or(Class::Other, |(metric, _)| Class::of(&metric))
    }

    /// The word in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Class::Throughput => "throughput",
            Class::Time => "time",
            Class::Tail => "tail",
            Class::Power => "power",
            Class::Other => "other",
        }
    }
}

/// A predicted figure with the interval by values and what was published.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub class: Class,
    /// The logarithm of published over simulated (the median of the draws).
    pub off: f64,
    /// The interval by values, as logarithms over the median: below and above.
    pub by_values: (f64, f64),
}

impl Case {
    /// The predicted numbers of a reproduction that have an interval, each once; limits and what
    /// its review refutes are no numbers to be met.
    pub fn of(figures: &[Figure]) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let mut cases = Vec::new();
        for figure in figures {
            let Some(interval) = figure.compared_interval() else { continue };
            let is_number = figure.bound.is_none() && figure.published_to.is_none();
            if figure.basis != Basis::Predicted || !is_number {
                continue;
            }
            if figure.published <= 0.0 || !seen.insert(figure.number.as_str()) {
                continue;
            }
            let over = |number: f64| (number / interval.median).ln();
            let off = over(figure.published);
            let by_values = (over(interval.by_values.0), over(interval.by_values.1));
            let class = Class::of_name(&figure.metric);
            cases.push(Case { id: figure.id.clone(), class, off, by_values });
        }
        cases
    }

    /// By how much its interval has to be widened, in squares, to hold what was published.
    fn score(&self) -> f64 {
        let (below, above) = self.by_values;
        let own = if self.off < 0.0 { below } else { above };
        (self.off * self.off - own * own).max(0.0).sqrt()
    }

    /// Its interval if the model is off by so much besides, as logarithms over the median. `covers`
    /// is its probability: the one by values is known for [`prior::COVERS`], and of another one it
    /// is narrower or wider as that of a normal distribution is.
    pub fn interval(&self, by_model: f64, covers: f64) -> (f64, f64) {
        let scale = deviations(covers) / deviations(prior::COVERS);
        let (below, above) = self.by_values;
        (-(below * scale).hypot(by_model), (above * scale).hypot(by_model))
    }

    /// Whether its interval holds what was published if the model is off by so much besides.
    pub fn is_held(&self, by_model: f64, covers: f64) -> bool {
        let (low, high) = self.interval(by_model, covers);
        // Room for the rounding of floating point: the case that sets the factor is held.
        let room = 1e-12;
        low - room <= self.off && self.off <= high + room
    }
}

/// Classes with fewer figures take the scores of all: nine of ten of fewer than 19 is the largest
/// of them, and a single figure would decide.
pub const LEAST_CASES: usize = 19;

/// The score that a share `covers` of the next figures stays below, by those of the others: the
/// one of rank ceil((n + 1) x covers), the largest if there is none so high.
fn quantile(scores: &mut [f64], covers: f64) -> f64 {
    scores.sort_by(f64::total_cmp);
    let rank = ((scores.len() + 1) as f64 * covers).ceil() as usize;
    let at = rank.min(scores.len()).saturating_sub(1);
    scores.get(at).copied().unwrap_or(f64::INFINITY)
}

/// What models lack in a class, by these cases without the one called `left_out`, as a logarithm.
pub fn model_error(cases: &[Case], class: Class, left_out: Option<&str>, covers: f64) -> f64 {
    let others = || cases.iter().filter(|case| Some(case.id.as_str()) != left_out);
    let mut own: Vec<f64> = others().filter(|case| case.class == class).map(Case::score).collect();
    if own.len() < LEAST_CASES {
        own = others().map(Case::score).collect();
    }
    quantile(&mut own, covers)
}

/// What models lack in each class, as the project knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelError {
    /// Classes, in their order.
    pub class: Vec<OfClass>,
}

/// What models lack in a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfClass {
    /// The class.
    pub name: Class,
    /// Predicted numbers of it in the reviews.
    pub figures: usize,
    /// The factor by which nine of ten are off at most, beside what their values explain.
    pub off_by: f64,
}

/// What was found of the shipped reviews.
const SHIPPED: &str = include_str!("../../../reviews/basis/model-error.toml");

impl ModelError {
    /// From all predicted figures that have an interval.
    pub fn of(cases: &[Case]) -> Self {
        let count = |class| cases.iter().filter(|case| case.class == class).count();
        let one = |class| OfClass {
            name: class,
            figures: count(class),
            // Three decimals: more is chance.
            off_by: (model_error(cases, class, None, prior::COVERS).exp() * 1e3).round() / 1e3,
        };
        Self { class: Class::ALL.map(one).to_vec() }
    }

    /// What is shipped.
    ///
    /// # Errors
    /// A file of the project that cannot be read.
    pub fn shipped() -> Result<Self, String> {
        toml::from_str(SHIPPED).map_err(|error| format!("reviews/basis/model-error.toml: {error}"))
    }

    /// The factor by which a prediction of this metric is off at most, nine times of ten.
    pub fn off_by(&self, metric: &str) -> f64 {
        let class = Class::of_name(metric);
        self.class.iter().find(|of| of.name == class).map_or(1.0, |of| of.off_by)
    }
}

/// Whether the interval of each case holds what was published, by all the others.
pub fn held(cases: &[Case], covers: f64) -> Vec<bool> {
    let one =
        |case: &Case| case.is_held(model_error(cases, case.class, Some(&case.id), covers), covers);
    cases.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: usize, off: f64) -> Case {
        Case { id: id.to_string(), class: Class::Throughput, off, by_values: (0.0, 0.0) }
    }

    #[test]
    fn every_metric_has_a_class() {
        let of = |name: &str| Class::of_name(name).name();
        assert_eq!((of("iops"), of("write_bandwidth")), ("throughput", "throughput"));
        assert_eq!((of("read_lat_mean"), of("read_lat_p99.99")), ("time", "tail"));
        assert_eq!((of("beside.read_lat_p99"), of("power")), ("tail", "power"));
        assert_eq!((of("write_amplification"), of("no such")), ("other", "other"));
    }

    #[test]
    fn nine_of_ten_stay_below_the_factor() {
        let cases: Vec<Case> = (1..=19).map(|i| case(i, 0.01 * i as f64)).collect();
        // Rank ceil(20 x 0.9) = 18.
        assert!((model_error(&cases, Class::Throughput, None, 0.9) - 0.18).abs() < 1e-12);
        let found = ModelError::of(&cases);
        assert_eq!(found.class[0].figures, 19);
        assert!((found.off_by("iops") - 1.197).abs() < 1e-9, "{found:?}");
    }

    /// Exchangeable figures: of n, the interval by the n - 1 others holds at least nine of ten.
    #[test]
    fn left_out_one_by_one_nine_of_ten_are_held() {
        let cases: Vec<Case> = (1..=40).map(|i| case(i, 0.01 * ((i * 17) % 41) as f64)).collect();
        let held = held(&cases, 0.9).into_iter().filter(|held| *held).count();
        assert!((36..=37).contains(&held), "{held} of 40");
        // The one that is left out is not among those that judge it.
        let far: Vec<Case> = (0..10).map(|i| case(i, if i == 0 { 3.0 } else { 0.1 })).collect();
        assert!(!super::held(&far, 0.9)[0] && super::held(&far, 0.9)[1]);
    }

    #[test]
    fn what_values_explain_the_model_does_not_lack() {
        let explained = Case { by_values: (-0.2, 0.1), ..case(1, -0.2) };
        assert_eq!(explained.score(), 0.0);
        let half = Case { by_values: (-0.1, 0.3), ..case(1, 0.5) };
        assert!((half.score() - 0.4).abs() < 1e-12);
        assert!(half.is_held(0.4, 0.9) && !half.is_held(0.39, 0.9));
        // An interval of 68 % is 0.608 times as wide as one of 90 %.
        let (low, high) = half.interval(0.0, 0.68);
        assert!((low + 0.0605).abs() < 1e-3 && (high - 0.1814).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn a_class_of_few_figures_takes_all() {
        let mut cases: Vec<Case> = (1..=20).map(|i| case(i, 0.1)).collect();
        cases.push(Case { class: Class::Power, ..case(21, 0.0) });
        assert_eq!(model_error(&cases, Class::Power, None, 0.9), 0.1);
        assert_eq!(model_error(&[], Class::Power, None, 0.9), f64::INFINITY);
    }

    #[test]
    fn what_is_shipped_has_every_class() {
        let shipped = ModelError::shipped().unwrap();
        let names: Vec<Class> = shipped.class.iter().map(|of| of.name).collect();
        assert_eq!(names, Class::ALL);
        assert!(shipped.class.iter().all(|of| of.off_by >= 1.0 && of.off_by.is_finite()));
    }
}
