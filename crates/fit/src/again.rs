//! The two ends of a search, measured again under seeds that it has not seen.
//!
//! A search takes the best of many noisy points, so what it saw there is too good by chance. Only
//! new seeds say what the values give, how much a figure scatters, and whether the end is better
//! than the beginning at all.

use super::problem::{Problem, Repeated, Seen, Simulate};
use stats::difference::mean_and_variance;
use stats::{Difference, Pairing};

/// Seeds under which both ends are measured again.
pub const REPEATS: usize = 5;

/// An end that is better than the beginning by chance is taken to be better this often, at most:
/// half of what is beyond the interval of this confidence.
const CONFIDENCE: f64 = 0.95;

/// Both ends under new seeds.
pub(super) struct Again {
    /// Means of the figures where the search began.
    pub(super) before: Vec<Seen>,
    /// The same where it ended.
    pub(super) after: Vec<Seen>,
    /// Relative standard uncertainty of each figure: as it was measured, the scatter of a single
    /// run, and the error that any model has.
    pub(super) sigma: Vec<f64>,
    /// Whether the end is better beyond what the seeds scatter.
    pub(super) better: bool,
}

/// Measures both ends; `None` if one of them cannot be measured under the new seeds.
pub(super) fn measure<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    ends: [&[f64]; 2],
    model_error: f64,
) -> Result<Option<Again>, S::Error> {
    let repeated = simulate.repeat(&ends.map(<[f64]>::to_vec), REPEATS)?;
    let Ok([Some(first), Some(last)]) = <[_; 2]>::try_from(repeated) else { return Ok(None) };
    let scatter: Vec<f64> = (0..problem.figures.len())
        .map(|i| ((variance(&first, i) + variance(&last, i)) / 2.0).sqrt())
        .collect();
    let sigmas = problem.figures.iter().zip(&scatter);
    let sigma: Vec<f64> = sigmas
        .map(|(figure, own)| libm::hypot(libm::hypot(figure.sigma, *own), model_error))
        .collect();
    let squares = |runs: &[Vec<Seen>]| -> Vec<f64> {
        runs.iter().map(|seen| problem.squares(seen, &sigma)).collect()
    };
    // The seeds are the same at both ends, which takes what they share out of the difference.
    let gain = Difference::new(&squares(&last), &squares(&first), Pairing::Paired, CONFIDENCE);
    let better = gain.is_some_and(|gain| gain.difference > gain.half_width);
    let mean = |runs: &[Vec<Seen>]| (0..scatter.len()).map(|i| mean(runs, i, scatter[i])).collect();
    Ok(Some(Again { before: mean(&first), after: mean(&last), sigma, better }))
}

/// The mean of a figure at each point under the first of the new seeds; `None` where it cannot be
/// measured.
pub(super) fn means<S: Simulate>(
    simulate: &S,
    points: &[Vec<f64>],
    repeats: usize,
    figure: impl Fn(usize) -> usize,
) -> Result<Vec<Option<f64>>, S::Error> {
    let repeated: Repeated = simulate.repeat(points, repeats)?;
    let one = |(k, runs): (usize, Option<Vec<Vec<Seen>>>)| {
        runs.map(|runs| mean(&runs, figure(k), 0.0).value)
    };
    Ok(repeated.into_iter().enumerate().map(one).collect())
}

fn mean(runs: &[Vec<Seen>], i: usize, scatter: f64) -> Seen {
    let n = runs.len().max(1) as f64;
    let value = runs.iter().map(|seen| seen[i].value).sum::<f64>() / n;
    Seen { value, noise: scatter / n.sqrt() }
}

/// Relative variance of a figure over the runs.
fn variance(runs: &[Vec<Seen>], i: usize) -> f64 {
    let values: Vec<f64> = runs.iter().map(|seen| seen[i].value).collect();
    match mean_and_variance(&values) {
        Some((mean, variance)) if mean != 0.0 => variance / (mean * mean),
        _ => 0.0,
    }
}
