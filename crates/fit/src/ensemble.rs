//! Draws of the fitted values, each weighted by how well it meets the figures: how sure the values
//! are where they move the figures other than their derivatives at one point say.
//!
//! Adaptive multiple importance sampling (Cornuet, Marin, Mira and Robert, Scand. J. Stat. 39,
//! 2012): each round is drawn from a distribution that follows from all draws so far, and
//! all draws are weighted against the mixture of all rounds.

use super::problem::{Problem, Seen, Simulate};
use super::proposal::Proposal;
use super::uncertainty::Certainty;
use super::weighted::{Weighted, tempered};
use engine::Stream;
use nalgebra::{DMatrix, DVector};

/// Rounds at most. Another is made while fewer than half as many draws as one has are effective.
const ROUNDS: usize = 3;

/// Fewer effective draws say nothing.
pub const LEAST: f64 = 8.0;

/// What the draws of a fit say. Coordinates are those of [`super::Parameter::coordinate`].
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// Points that were simulated.
    pub draws: usize,
    /// Draws of equal weight that would say as much (Kish: the squared sum of the weights over
    /// the sum of their squares).
    pub effective: f64,
    /// Mean of each parameter's coordinate.
    pub mean: Vec<f64>,
    /// Standard deviation of each parameter's coordinate.
    pub sigma: Vec<f64>,
    /// Correlation of each pair of parameters.
    pub correlation: Vec<Vec<f64>>,
    /// Where each figure lies by what the figures leave open of the values.
    pub figures: Vec<Option<Span>>,
    /// Where the others expect each figure, its own uncertainty included.
    pub from_others: Vec<Option<Span>>,
}

impl Ensemble {
    /// Whether enough of the draws count.
    pub fn is_known(&self) -> bool {
        self.effective >= LEAST
    }
}

/// The middle of what is possible and the interval that holds nine tenths of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its lower end.
    pub low: f64,
    /// The mean of the logarithms.
    pub median: f64,
    /// Its upper end.
    pub high: f64,
}

/// Share of what is possible that a [`Span`] holds.
pub const COVERS: f64 = 0.9;

/// A draw: its coordinates and its figures, which a model that cannot be built does not have.
struct Draw {
    place: DVector<f64>,
    seen: Option<Vec<Seen>>,
}

/// Where the draws begin.
pub(super) struct Start<'a> {
    pub(super) point: &'a [f64],
    /// Uncertainty of each figure.
    pub(super) sigma: &'a [f64],
    pub(super) certainty: Option<&'a Certainty>,
}

impl Start<'_> {
    fn proposal(&self, problem: &Problem, stream: &mut Stream) -> Option<Proposal> {
        let parameters = &problem.parameters;
        let places = parameters.iter().zip(self.point).map(|(p, value)| p.coordinate(*value));
        let middle = DVector::from_iterator(parameters.len(), places);
        // Where the derivatives say nothing, all that is within the bounds.
        let even = |j: usize| parameters[j].width() / 12f64.sqrt();
        let covariance =
            DMatrix::from_fn(parameters.len(), parameters.len(), |i, j| match self.certainty {
                Some(sure) => {
                    sure.correlation[i][j] * sure.sigma[i].min(even(i)) * sure.sigma[j].min(even(j))
                }
                None if i == j => even(i) * even(i),
                None => 0.0,
            });
        Proposal::new(problem, middle, &covariance, stream)
    }

    /// By how much squares are larger than the uncertainties of the figures explain.
    fn scale(&self) -> f64 {
        self.certainty.and_then(|sure| sure.reduced_chi_square).unwrap_or(1.0).max(1.0)
    }
}

/// Draws so many points a round; `None` if none of them meets the figures at all.
pub(super) fn draw<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    start: &Start<'_>,
    count: usize,
    seed: u64,
) -> Result<Option<Ensemble>, S::Error> {
    let mut stream = Stream::new(seed, "fit/draws");
    let Some(first) = start.proposal(problem, &mut stream) else { return Ok(None) };
    let mut proposals = vec![first];
    let mut draws: Vec<Draw> = Vec::new();
    loop {
        let Some(proposal) = proposals.last() else { return Ok(None) };
        simulate.stage(&format!("draws, round {}", proposals.len()));
        draws.extend(round(problem, simulate, proposal, count, &mut stream)?);
        let fits = fits(problem, &draws, start, None);
        let Some(weighted) = weigh(&draws, &fits, &proposals) else { return Ok(None) };
        if proposals.len() == ROUNDS || weighted.effective() >= count as f64 / 2.0 {
            return Ok(Some(said(problem, start, &draws, &proposals, &weighted)));
        }
        let next = next(problem, &draws, &fits, &proposals, count, &mut stream);
        let Some(next) = next else {
            return Ok(Some(said(problem, start, &draws, &proposals, &weighted)));
        };
        proposals.push(next);
    }
}

/// Draws and simulates the points of a round, all at the same time.
fn round<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    proposal: &Proposal,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<Draw>, S::Error> {
    let parameters = &problem.parameters;
    let mut point = || -> Vec<f64> {
        let place = proposal.draw(stream);
        parameters.iter().zip(place.iter()).map(|(p, x)| p.settle(p.value(*x))).collect()
    };
    let points: Vec<Vec<f64>> = (0..count).map(|_| point()).collect();
    let seen = simulate.simulate(&points)?;
    let place = |point: &Vec<f64>| {
        let places = parameters.iter().zip(point).map(|(p, value)| p.coordinate(*value));
        DVector::from_iterator(parameters.len(), places)
    };
    Ok(points.iter().zip(seen).map(|(point, seen)| Draw { place: place(point), seen }).collect())
}

/// The logarithm of each draw's likelihood, without one of the figures if asked.
fn fits(
    problem: &Problem,
    draws: &[Draw],
    start: &Start<'_>,
    without: Option<usize>,
) -> Vec<Option<f64>> {
    let one = |draw: &Draw| {
        let residuals = problem.residuals(draw.seen.as_ref()?, start.sigma);
        let kept = residuals.iter().enumerate().filter(|(i, _)| Some(*i) != without);
        Some(-0.5 * kept.map(|(_, r)| r * r).sum::<f64>() / start.scale())
    };
    draws.iter().map(one).collect()
}

/// The weight of each draw: its likelihood over how often it is drawn.
fn weigh(draws: &[Draw], fits: &[Option<f64>], proposals: &[Proposal]) -> Option<Weighted> {
    Weighted::of_logarithms(
        draws
            .iter()
            .zip(fits)
            .map(|(draw, fit)| fit.map(|fit| fit - Proposal::of_mixture(proposals, &draw.place))),
    )
}

/// What the next round is drawn from: what the draws so far say, their likelihoods flattened until
/// enough of them count.
fn next(
    problem: &Problem,
    draws: &[Draw],
    fits: &[Option<f64>],
    proposals: &[Proposal],
    count: usize,
    stream: &mut Stream,
) -> Option<Proposal> {
    let least = (2 * (problem.parameters.len() + 1)).max(count / 4) as f64;
    let weighted = tempered(least, |share| {
        let flat: Vec<Option<f64>> = fits.iter().map(|fit| fit.map(|fit| fit * share)).collect();
        weigh(draws, &flat, proposals)
    })?;
    let places: Vec<&DVector<f64>> = draws.iter().map(|draw| &draw.place).collect();
    let (mean, covariance) = weighted.of_vectors(&places);
    Proposal::new(problem, mean, &covariance, stream)
}

fn said(
    problem: &Problem,
    start: &Start<'_>,
    draws: &[Draw],
    proposals: &[Proposal],
    weighted: &Weighted,
) -> Ensemble {
    let places: Vec<&DVector<f64>> = draws.iter().map(|draw| &draw.place).collect();
    let (mean, covariance) = weighted.of_vectors(&places);
    let sigma: Vec<f64> = covariance.diagonal().iter().map(|variance| variance.sqrt()).collect();
    let correlate = |i: usize, j: usize| match sigma[i] * sigma[j] {
        product if product > 0.0 => covariance[(i, j)] / product,
        _ => f64::from(u8::from(i == j)),
    };
    let count = sigma.len();
    let all = 0..problem.figures.len();
    let from_others = |i: usize| {
        let fits = fits(problem, draws, start, Some(i));
        span(draws, i, &weigh(draws, &fits, proposals)?, start.sigma[i])
    };
    Ensemble {
        draws: draws.len(),
        effective: weighted.effective(),
        correlation: (0..count).map(|i| (0..count).map(|j| correlate(i, j)).collect()).collect(),
        mean: mean.iter().copied().collect(),
        figures: all.clone().map(|i| span(draws, i, weighted, 0.0)).collect(),
        from_others: all.map(from_others).collect(),
        sigma,
    }
}

/// Where a figure lies by the draws, and by an uncertainty of its own; `None` of too few draws.
fn span(draws: &[Draw], i: usize, weighted: &Weighted, own: f64) -> Option<Span> {
    let effective = weighted.effective();
    if effective < LEAST {
        return None;
    }
    let value = |draw: &Draw| draw.seen.as_ref().map_or(1.0, |seen| seen[i].value);
    // What cannot be built has no weight.
    let values: Vec<f64> = draws.iter().map(value).collect();
    let counted = values.iter().zip(weighted.shares()).filter(|(_, share)| **share > 0.0);
    if counted.map(|(value, _)| value).any(|value| !(*value > 0.0 && value.is_finite())) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| libm::log(*value)).collect();
    let (mean, variance) = weighted.of(&logs);
    let sigma = (variance * (1.0 + 1.0 / effective) + own * own).sqrt();
    let half = stats::student::critical(1.0 - COVERS, effective - 1.0) * sigma;
    let end = |off: f64| libm::exp(mean + off);
    Some(Span { low: end(-half), median: end(0.0), high: end(half) })
}
