//! A whole fit: what can be fixed, the search, how sure it is, and what it predicts.

use super::again;
use super::cross::{self, Prediction};
use super::ensemble::{self, Ensemble};
use super::identify::{self, Dropped, Unidentified};
use super::jacobian::jacobian;
use super::problem::{Problem, Repeated, Seen, Simulate};
use super::solve::{Ended, Solution, solve};
use super::uncertainty::{Certainty, certainty};

/// How a fit is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Derivatives at most; each is followed by one or a few trial steps.
    pub iterations: usize,
    /// Relative error that is expected of any model besides the uncertainty of a figure. Without
    /// it a figure with many digits would outweigh all others.
    pub model_error: f64,
    /// Which of the free parameters are fitted.
    pub choice: Choice,
    /// Draws of the fitted values in each round, and their seed; `None` for no draws.
    pub draws: Option<(usize, u64)>,
}

/// Which of the free parameters are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All; it is an error if the figures do not fix one.
    All,
    /// Those that mend what the figures miss, half as many as there are figures at most.
    Mending,
    /// Those that the figures fix, whether they are missed or met.
    Fixed,
}

impl Default for Options {
    fn default() -> Self {
        Options { iterations: 8, model_error: 0.01, choice: Choice::All, draws: None }
    }
}

/// A fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was fitted: of the parameters only those that were free in the end.
    pub problem: Problem,
    /// Parameters that stayed as they were, and why.
    pub dropped: Vec<Dropped>,
    /// Values of the parameters.
    pub point: Vec<f64>,
    /// Values that the search found; they are the fitted ones if they are better beyond noise.
    pub found: Vec<f64>,
    /// Figures with the values of the model as it was: means over new seeds.
    pub before: Vec<Seen>,
    /// Figures with the fitted values: means over the same seeds.
    pub after: Vec<Seen>,
    /// Relative standard uncertainty of each figure, the scatter of a run over seeds included.
    pub sigma: Vec<f64>,
    /// How sure the values are; `None` if the derivatives at the end no longer say.
    pub certainty: Option<Certainty>,
    /// What draws of the values say, if some were asked for and any meets the figures.
    pub ensemble: Option<Ensemble>,
    /// Each figure predicted from a fit without it.
    pub predictions: Vec<Prediction>,
    /// Sum of weighted squares before.
    pub chi_square_before: f64,
    /// The same after.
    pub chi_square_after: f64,
    /// Why the search ended.
    pub ended: Ended,
    /// Derivatives that were taken in the search.
    pub iterations: usize,
}

impl Fit {
    /// Correlation of each pair of parameters: by the draws if enough of them count, else by the
    /// derivatives.
    pub fn correlation(&self) -> Option<&Vec<Vec<f64>>> {
        match self.ensemble.as_ref().filter(|drawn| drawn.is_known()) {
            Some(drawn) => Some(&drawn.correlation),
            None => Some(&self.certainty.as_ref()?.correlation),
        }
    }

    /// Standard uncertainty of a parameter's coordinate: by the draws if enough of them count, else
    /// by the derivatives.
    pub fn sigma_of(&self, j: usize) -> Option<f64> {
        let drawn = self.ensemble.as_ref().filter(|drawn| drawn.is_known());
        let sigma = match drawn {
            Some(drawn) => &drawn.sigma,
            None => &self.certainty.as_ref()?.sigma,
        };
        sigma.get(j).copied().filter(|sigma| sigma.is_finite())
    }
}

/// Why there is no fit.
#[derive(Clone, Debug, PartialEq)]
pub enum FitError<E> {
    /// The figures cannot fix the parameters.
    Unidentified(Unidentified),
    /// The model as it is cannot be measured.
    NoStart,
    /// The model cannot be measured under other seeds.
    NoRepeat,
    /// A simulation went wrong.
    Simulation(E),
}

/// Fits the parameters of a problem to its figures.
///
/// # Errors
/// See [`FitError`].
pub fn fit<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    options: Options,
) -> Result<Fit, FitError<S::Error>> {
    if options.choice == Choice::All
        && let Some(wrong) = identify::too_few(problem)
    {
        return Err(FitError::Unidentified(wrong));
    }
    let start = problem.start();
    let before = as_it_is(simulate, &start)?;
    let sigma = sigma(problem, &before, options.model_error);
    let (kept, dropped) = choose(problem, simulate, (&start, &before), &sigma, options)?;
    let simulate = Narrowed { inner: simulate, kept: &kept, whole: &start };
    let problem = problem.only(&kept);
    let start: Vec<f64> = kept.iter().map(|j| start[*j]).collect();
    let solution =
        solve(&problem, &simulate, &sigma, &start, &before, options.iterations).map_err(failed)?;
    let end = End::of(&problem, &simulate, (&start, &before), solution, options.model_error)?;
    let (certainty, predictions) = end.judge(&problem, &simulate).map_err(failed)?;
    let ensemble = end.draw(&problem, &simulate, certainty.as_ref(), options.draws);
    let ensemble = ensemble.map_err(failed)?;
    Ok(Fit {
        chi_square_before: problem.squares(&end.before, &end.sigma),
        chi_square_after: problem.squares(&end.after, &end.sigma),
        dropped,
        point: end.point,
        found: end.found,
        before: end.before,
        after: end.after,
        sigma: end.sigma,
        certainty,
        ensemble,
        predictions,
        ended: end.ended,
        iterations: end.iterations,
        problem,
    })
}

/// The best point that a search finds, of which nothing more is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Values of the parameters.
    pub point: Vec<f64>,
    /// Sum of weighted squares there.
    pub chi_square: f64,
}

/// Searches alone: a step on the way to a [`fit`] of more parameters. What the figures do not fix
/// stays where it is.
///
/// # Errors
/// See [`FitError`].
pub fn search<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    options: Options,
) -> Result<Found, FitError<S::Error>> {
    let start = problem.start();
    let before = as_it_is(simulate, &start)?;
    let sigma = sigma(problem, &before, options.model_error);
    let found = solve(problem, simulate, &sigma, &start, &before, options.iterations);
    let Solution { point, seen, .. } = found.map_err(failed)?;
    Ok(Found { chi_square: problem.squares(&seen, &sigma), point })
}

/// How sure the values of a point are, where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The problem with the parameters that the figures fix.
    pub problem: Problem,
    /// Their values.
    pub point: Vec<f64>,
    /// The figures there.
    pub seen: Vec<Seen>,
    /// How sure they are; `None` if the derivatives do not say.
    pub certainty: Option<Certainty>,
    /// Parameters that the figures do not fix, and why.
    pub dropped: Vec<Dropped>,
}

/// Says how sure values are by the derivatives where a problem begins, without a search.
///
/// # Errors
/// See [`FitError`].
pub fn judge<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    options: Options,
) -> Result<Judged, FitError<S::Error>> {
    let start = problem.start();
    let seen = as_it_is(simulate, &start)?;
    let sigma = sigma(problem, &seen, options.model_error);
    let (kept, dropped) = choose(problem, simulate, (&start, &seen), &sigma, options)?;
    let narrowed = Narrowed { inner: simulate, kept: &kept, whole: &start };
    let problem = problem.only(&kept);
    let point: Vec<f64> = kept.iter().map(|j| start[*j]).collect();
    let last = jacobian(&problem, &narrowed, &point, &seen, &sigma).map_err(failed)?;
    let certainty = certainty(&last.weighted, &problem.residuals(&seen, &sigma));
    Ok(Judged { problem, point, seen, certainty, dropped })
}

/// The figures of the model as it is.
fn as_it_is<S: Simulate>(simulate: &S, start: &[f64]) -> Result<Vec<Seen>, FitError<S::Error>> {
    simulate.stage("the model as it is");
    let seen = simulate.simulate(&[start.to_vec()]).map_err(failed)?;
    seen.into_iter().next().flatten().ok_or(FitError::NoStart)
}

/// Relative standard uncertainty of each figure. It is fixed from the start on, so that the sum of
/// squares means the same at every point.
fn sigma(problem: &Problem, before: &[Seen], model_error: f64) -> Vec<f64> {
    let figures = problem.figures.iter().zip(before);
    let sigma = figures
        .map(|(figure, seen)| libm::hypot(libm::hypot(figure.sigma, seen.noise), model_error));
    sigma.collect()
}

/// Parameters that are fitted, by their number, and those that stay as they are.
type Chosen = (Vec<usize>, Vec<Dropped>);

/// Chooses the parameters that the figures fix.
fn choose<S: Simulate>(
    problem: &Problem,
    simulate: &S,
    (start, before): (&[f64], &[Seen]),
    sigma: &[f64],
    options: Options,
) -> Result<Chosen, FitError<S::Error>> {
    simulate.stage("which figures move with which parameters");
    let all = jacobian(problem, simulate, start, before, sigma).map_err(failed)?;
    // What is proposed leaves at least every second figure to test it.
    let proposes = options.choice == Choice::Mending;
    let most = match proposes {
        true => problem.figures.len().div_ceil(2),
        false => problem.figures.len(),
    };
    let misses = problem.residuals(before, sigma);
    let missed = proposes.then_some((&misses[..], start));
    let (kept, dropped) = identify::choose(problem, &all, most, missed);
    let refused = options.choice == Choice::All && !dropped.is_empty();
    if refused || kept.is_empty() {
        return Err(FitError::Unidentified(unidentified(&dropped, proposes)));
    }
    Ok((kept, dropped))
}

/// Where a fit ends: what the search found if it is better under new seeds, else where it began.
struct End {
    point: Vec<f64>,
    found: Vec<f64>,
    /// What the search saw there.
    seen: Vec<Seen>,
    before: Vec<Seen>,
    after: Vec<Seen>,
    sigma: Vec<f64>,
    ended: Ended,
    iterations: usize,
}

impl End {
    fn of<S: Simulate>(
        problem: &Problem,
        simulate: &S,
        (start, seen): (&[f64], &[Seen]),
        solution: Solution,
        model_error: f64,
    ) -> Result<Self, FitError<S::Error>> {
        simulate.stage("both ends under new seeds");
        let ends = [start, &solution.point[..]];
        let again = again::measure(problem, simulate, ends, model_error).map_err(failed)?;
        let again = again.ok_or(FitError::NoRepeat)?;
        let Solution { point: found, seen: found_seen, ended, iterations } = solution;
        let stays = !again.better && ended != Ended::AtStart;
        let (point, seen, after, ended) = match stays {
            true => (start.to_vec(), seen.to_vec(), again.before.clone(), Ended::NotBetter),
            false => (found.clone(), found_seen, again.after, ended),
        };
        let (before, sigma) = (again.before, again.sigma);
        Ok(End { point, found, seen, before, after, sigma, ended, iterations })
    }

    /// How sure the values are, and each figure predicted from the others.
    fn judge<S: Simulate>(
        &self,
        problem: &Problem,
        simulate: &S,
    ) -> Result<(Option<Certainty>, Vec<Prediction>), S::Error> {
        simulate.stage("uncertainty");
        let last = jacobian(problem, simulate, &self.point, &self.seen, &self.sigma)?;
        let residuals = problem.residuals(&self.after, &self.sigma);
        let certainty = certainty(&last.weighted, &residuals);
        simulate.stage("each figure from the others");
        let predictions = match &certainty {
            Some(sure) => {
                let place =
                    cross::Place { point: &self.point, seen: &self.seen, again: &self.after };
                cross::predict(problem, simulate, place, &self.sigma, &last, &sure.leverage)?
            }
            None => vec![Prediction::Alone; problem.figures.len()],
        };
        Ok((certainty, predictions))
    }

    /// The values drawn from what is known of them.
    fn draw<S: Simulate>(
        &self,
        problem: &Problem,
        simulate: &S,
        certainty: Option<&Certainty>,
        draws: Option<(usize, u64)>,
    ) -> Result<Option<Ensemble>, S::Error> {
        let Some((count, seed)) = draws else { return Ok(None) };
        let start = ensemble::Start { point: &self.point, sigma: &self.sigma, certainty };
        ensemble::draw(problem, simulate, &start, count, seed)
    }
}

/// The same simulation with only some of its parameters free.
struct Narrowed<'a, S> {
    inner: &'a S,
    kept: &'a [usize],
    whole: &'a [f64],
}

impl<S> Narrowed<'_, S> {
    fn widen(&self, points: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let widen = |point: &Vec<f64>| {
            let mut whole = self.whole.to_vec();
            for (j, value) in self.kept.iter().zip(point) {
                whole[*j] = *value;
            }
            whole
        };
        points.iter().map(widen).collect()
    }
}

impl<S: Simulate> Simulate for Narrowed<'_, S> {
    type Error = S::Error;

    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, S::Error> {
        self.inner.simulate(&self.widen(points))
    }

    fn repeat(&self, points: &[Vec<f64>], repeats: usize) -> Result<Repeated, S::Error> {
        self.inner.repeat(&self.widen(points), repeats)
    }

    fn stage(&self, what: &str) {
        self.inner.stage(what);
    }
}

fn failed<E>(error: E) -> FitError<E> {
    FitError::Simulation(error)
}

fn unidentified(dropped: &[Dropped], propose: bool) -> Unidentified {
    let each: Vec<String> =
        dropped.iter().map(|dropped| format!("{}: {}", dropped.key, dropped.why)).collect();
    if propose {
        return Unidentified {
            message: "no proposed value reduces the error of the figures".to_owned(),
            help: format!("{}\nname the values to fit with --free", each.join("\n")),
        };
    }
    Unidentified {
        message: "the figures cannot fix the free parameters".to_owned(),
        help: format!(
            "{}\nleave these out of --free, or give figures that they move",
            each.join("\n")
        ),
    }
}
