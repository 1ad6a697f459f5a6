//! Cross-validation: each figure predicted from a fit without it.

use super::again;
use super::jacobian::Jacobian;
use super::problem::{Problem, Seen, Simulate};
use super::uncertainty::inverse;
use nalgebra::{DMatrix, DVector};

/// A figure predicted from a fit to all others.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// The value, in the unit of the figure.
    Value(f64),
    /// The other figures do not fix the parameters.
    Alone,
}

/// A figure that determines so much of its own prediction leaves nothing to the others.
const ALONE: f64 = 0.99;

/// Where the fit ended.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The fitted values.
    pub(super) point: &'a [f64],
    /// What the search saw there.
    pub(super) seen: &'a [Seen],
    /// What new seeds gave there.
    pub(super) again: &'a [Seen],
}

/// New seeds under which a prediction is measured.
const REPEATS: usize = 2;

/// Predicts each figure from the others: the least-squares step without it, from the fitted point
/// and with the derivatives there, simulated. A second step of the same kind follows. The value
/// is that under new seeds: the steps are taken by what the search's own seed shows.
pub(super) fn predict<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    place: Place<'_>,
    sigma: &[f64],
    jacobian: &Jacobian,
    leverage: &[f64],
) -> Result<Vec<Prediction>, S::Error> {
    let rows = problem.figures.len();
    let begin = || (place.point.to_vec(), place.seen.to_vec());
    let mut at: Vec<Option<(Vec<f64>, Vec<Seen>)>> =
        (0..rows).map(|i| (leverage[i] < ALONE).then(begin)).collect();
    for _ in 0..2 {
        let next: Vec<Option<Vec<f64>>> = at
            .iter()
            .enumerate()
            .map(|(i, at)| {
                let (point, seen) = at.as_ref()?;
                step(problem, point, seen, sigma, &jacobian.weighted, i)
            })
            .collect();
        let points: Vec<Vec<f64>> = next.iter().flatten().cloned().collect();
        let mut came = simulate.simulate(&points)?.into_iter();
        for (i, next) in next.into_iter().enumerate() {
            let Some(point) = next else {
                at[i] = None;
                continue;
            };
            // A step that makes the other figures worse, or that no model can take, is not taken.
            let Some(seen) = came.next().flatten() else { continue };
            let others = |seen: &[Seen]| -> f64 {
                let misses = problem.misses(Some(seen));
                let rest = (0..rows).filter(|k| *k != i);
                rest.map(|k| (misses[k] / sigma[k]) * (misses[k] / sigma[k])).sum()
            };
            if at[i].as_ref().is_some_and(|(_, old)| others(&seen) < others(old)) {
                at[i] = Some((point, seen));
            }
        }
    }
    // Where no step was taken, the prediction is the fitted figure, which is known.
    let moved: Vec<(usize, Vec<f64>)> = at
        .iter()
        .enumerate()
        .filter_map(|(i, at)| at.as_ref().map(|(point, _)| (i, point.clone())))
        .filter(|(_, point)| point != place.point)
        .collect();
    let points: Vec<Vec<f64>> = moved.iter().map(|(_, point)| point.clone()).collect();
    let means = again::means(simulate, &points, REPEATS, |k| moved[k].0)?;
    let mut predictions: Vec<Prediction> = at
        .iter()
        .zip(place.again)
        .map(|(at, again)| {
            at.as_ref().map_or(Prediction::Alone, |_| Prediction::Value(again.value))
        })
        .collect();
    for ((i, _), mean) in moved.iter().zip(means) {
        predictions[*i] = mean.map_or(Prediction::Alone, Prediction::Value);
    }
    Ok(predictions)
}

/// The point after a least-squares step without a figure.
fn step(
    problem: &Problem,
    point: &[f64],
    seen: &[Seen],
    sigma: &[f64],
    weighted: &DMatrix<f64>,
    without: usize,
) -> Option<Vec<f64>> {
    let rest = weighted.clone().remove_row(without);
    let misses = problem.misses(Some(seen));
    let residuals = (0..misses.len()).filter(|k| *k != without).map(|k| misses[k] / sigma[k]);
    let residuals = DVector::from_iterator(misses.len() - 1, residuals);
    let change = inverse(&rest)? * rest.transpose() * residuals;
    let moved = problem.parameters.iter().enumerate().map(|(j, parameter)| {
        // Not further than the derivatives can be trusted.
        let by = change[j].clamp(-0.5, 0.5);
        let low = parameter.coordinate(parameter.low);
        let high = parameter.coordinate(parameter.high);
        let coordinate = (parameter.coordinate(point[j]) - by).clamp(low, high);
        parameter.settle(parameter.value(coordinate))
    });
    Some(moved.collect())
}
