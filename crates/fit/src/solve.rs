//! The search for the best point: Levenberg and Marquardt's method with a trust region.

use super::jacobian::jacobian;
use super::problem::{Problem, Seen, Simulate};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};
use std::cell::RefCell;

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No step promises or gives a better point.
    Converged,
    /// It took as many steps as it was allowed.
    Iterations,
    /// It began at the best point.
    AtStart,
    /// What it found is not better beyond what seeds scatter: the values stay as they are.
    NotBetter,
}

impl Ended {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Iterations => "iterations",
            Self::AtStart => "at_start",
            Self::NotBetter => "not_better",
        }
    }
}

/// The best point.
pub(super) struct Solution {
    pub(super) point: Vec<f64>,
    pub(super) seen: Vec<Seen>,
    pub(super) ended: Ended,
    pub(super) iterations: usize,
}

/// Changes of the sum of squares below this part are noise.
const WITHIN: f64 = 1e-3;

/// The best point found, the sum of squares there, and the figures.
type Best = (f64, Vec<f64>, Vec<Seen>);

struct Search<'a, S: Simulate> {
    problem: &'a Problem,
    simulate: &'a S,
    sigma: &'a [f64],
    iterations: usize,
    free: DVector<f64>,
    state: RefCell<State<S::Error>>,
}

struct State<E> {
    failure: Option<E>,
    best: Option<Best>,
    jacobians: usize,
}

impl<S: Simulate> Search<'_, S> {
    fn point(&self) -> Vec<f64> {
        let parameters = &self.problem.parameters;
        parameters.iter().zip(self.free.iter()).map(|(p, free)| p.bounded(*free)).collect()
    }

    fn keep<T>(&self, result: Result<T, S::Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(failure) => {
                self.state.borrow_mut().failure = Some(failure);
                None
            }
        }
    }

    fn seen(&self) -> Option<Option<Vec<Seen>>> {
        let seen = self.keep(self.simulate.simulate(&[self.point()]))?;
        Some(seen.into_iter().next().flatten())
    }
}

impl<S: Simulate> LeastSquaresProblem<f64, Dyn, Dyn> for Search<'_, S> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, free: &DVector<f64>) {
        self.free.copy_from(free);
    }

    fn params(&self) -> DVector<f64> {
        self.free.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let seen = self.seen()?;
        let misses = self.problem.misses(seen.as_deref());
        let residuals: Vec<f64> = misses.iter().zip(self.sigma).map(|(m, s)| m / s).collect();
        let squares: f64 = residuals.iter().map(|r| r * r).sum();
        let mut state = self.state.borrow_mut();
        let better = state.best.as_ref().is_none_or(|(least, ..)| squares < *least);
        if let (true, Some(seen)) = (better, seen) {
            state.best = Some((squares, self.point(), seen));
        }
        Some(DVector::from_vec(residuals))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let number = self.state.borrow().jacobians + 1;
        if number > self.iterations {
            return None;
        }
        self.state.borrow_mut().jacobians = number;
        self.simulate.stage(&format!("iteration {number}"));
        let point = self.point();
        let seen = self.seen()??;
        let at = jacobian(self.problem, self.simulate, &point, &seen, self.sigma);
        let mut matrix = self.keep(at)?.weighted;
        for (j, parameter) in self.problem.parameters.iter().enumerate() {
            matrix.column_mut(j).scale_mut(parameter.slope(point[j]));
        }
        Some(matrix)
    }
}

/// Searches from a start, whose figures are `seen`, with at most this many iterations.
pub(super) fn solve<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    sigma: &[f64],
    start: &[f64],
    seen: &[Seen],
    iterations: usize,
) -> Result<Solution, S::Error> {
    let free = problem.parameters.iter().zip(start).map(|(p, value)| p.free(*value));
    let search = Search {
        problem,
        simulate,
        sigma,
        iterations,
        free: DVector::from_iterator(start.len(), free),
        state: RefCell::new(State { failure: None, best: None, jacobians: 0 }),
    };
    let method = LevenbergMarquardt::new()
        .with_ftol(WITHIN)
        .with_xtol(WITHIN)
        .with_gtol(WITHIN)
        .with_stepbound(1.0)
        // Trial steps an iteration; more are needed only where the model is nowhere smooth.
        .with_patience((iterations * 2).max(4));
    let (search, report) = method.minimize(search);
    let state = search.state.into_inner();
    if let Some(failure) = state.failure {
        return Err(failure);
    }
    let squares = problem.squares(seen, sigma);
    let ended = match report.termination {
        TerminationReason::User(_) | TerminationReason::LostPatience => Ended::Iterations,
        _ => Ended::Converged,
    };
    let iterations = state.jacobians;
    Ok(match state.best {
        Some((least, point, seen)) if least < squares => {
            Solution { point, seen, ended, iterations }
        }
        _ => Solution {
            point: start.to_vec(),
            seen: seen.to_vec(),
            ended: Ended::AtStart,
            iterations,
        },
    })
}
