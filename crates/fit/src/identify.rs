//! Which parameters the figures can fix, and why not the others.

use super::jacobian::Jacobian;
use super::problem::Problem;
use nalgebra::{DMatrix, DVector};

/// A parameter that stays as it is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its key.
    pub key: String,
    /// Why the figures do not fix it.
    pub why: String,
}

/// Parameters that the figures cannot fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unidentified {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A change below this many times the noise of its difference is none.
const SIGNAL: f64 = 2.0;

/// Columns of unit length of which less than this is left beside the others are collinear: a
/// condition index above 30 (Belsley, Kuh and Welsch 1980).
const COLLINEAR: f64 = 1.0 / 30.0;

/// The figures are too few for the parameters, which is known before anything runs.
pub(super) fn too_few(problem: &Problem) -> Option<Unidentified> {
    let (parameters, figures) = (problem.parameters.len(), problem.figures.len());
    (parameters > figures).then(|| Unidentified {
        message: format!(
            "{} ({}) cannot fix {parameters} parameters ({})",
            metric::counted(figures, "figure"),
            names(problem, 0..figures),
            keys(problem, 0..parameters),
        ),
        help: "free fewer parameters, or give more figures".to_owned(),
    })
}

/// What a parameter has to remove of the sum of squares where the fit begins, to be proposed: this
/// share, and as much as two standard deviations of one figure.
const MENDS: f64 = 0.01;
const LEAST_SQUARES: f64 = 4.0;

/// The parameters that the figures fix, `most` of them at most, and the others with the reason.
/// Those come first that the figures determine best; if the program proposes them, those that
/// remove most of what is `missed`, the weighted residuals at `start`.
pub(super) fn choose(
    problem: &Problem,
    jacobian: &Jacobian,
    most: usize,
    missed: Option<(&[f64], &[f64])>,
) -> (Vec<usize>, Vec<Dropped>) {
    let matrix = &jacobian.weighted;
    let mut missed = missed.map(|(misses, start)| Missed::new(misses, start));
    let parameters = 0..problem.parameters.len();
    let (mut open, still): (Vec<usize>, Vec<usize>) =
        parameters.partition(|j| jacobian.signal[*j] >= SIGNAL);
    let all = names(problem, 0..problem.figures.len());
    let unmoved = |j: usize| (j, format!("it moves none of {all}"));
    let mut dropped: Vec<(usize, String)> = still.into_iter().map(unmoved).collect();
    let mut kept: Vec<usize> = Vec::new();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    loop {
        if kept.len() >= most {
            let figures = metric::counted(problem.figures.len(), "figure");
            let why = format!("{figures} fix {most} parameters, not more; others tell more");
            dropped.extend(open.drain(..).map(|j| (j, why.clone())));
        }
        // A pivoted orthogonalisation: what is left of each column beside those that were kept.
        let left = |j: usize| rest(matrix, j, &basis);
        let (gone, rest): (Vec<usize>, Vec<usize>) =
            open.into_iter().partition(|j| left(*j).norm() < COLLINEAR * matrix.column(*j).norm());
        dropped.extend(gone.into_iter().map(|j| (j, alike(problem, matrix, j, &kept))));
        let weight = |j: usize| match &missed {
            Some(missed) => missed.reduction(problem, j, &left(j)),
            None => left(j).norm() * problem.parameters[j].width(),
        };
        let best = rest.iter().copied().max_by(|a, b| weight(*a).total_cmp(&weight(*b)));
        let Some(best) = best else { break };
        if missed.as_ref().is_some_and(|missed| weight(best) < missed.least()) {
            let why = "moving it within its bounds mends nothing of what the figures miss";
            dropped.extend(rest.into_iter().map(|j| (j, why.to_owned())));
            break;
        }
        let column = left(best);
        if let Some(missed) = &mut missed {
            missed.reduce(problem, best, &column);
        }
        kept.push(best);
        basis.push(column.normalize());
        open = rest.into_iter().filter(|j| *j != best).collect();
    }
    kept.sort_unstable();
    dropped.sort_unstable();
    let named = |(j, why): (usize, String)| {
        let key = problem.parameters[j].key.clone();
        Dropped { key, why }
    };
    (kept, dropped.into_iter().map(named).collect())
}

/// What the figures miss by, as far as the kept parameters do not remove it.
struct Missed<'a> {
    squares: f64,
    rest: DVector<f64>,
    start: &'a [f64],
}

impl<'a> Missed<'a> {
    fn new(misses: &[f64], start: &'a [f64]) -> Self {
        let rest = DVector::from_column_slice(misses);
        Missed { squares: rest.norm_squared(), rest, start }
    }

    /// Squares that are worth a parameter.
    fn least(&self) -> f64 {
        (MENDS * self.squares).max(LEAST_SQUARES)
    }

    /// How far a parameter moves along what is left of its column, within its bounds.
    fn change(&self, problem: &Problem, j: usize, left: &DVector<f64>) -> f64 {
        let parameter = &problem.parameters[j];
        let at = parameter.coordinate(self.start[j]);
        let (low, high) =
            (parameter.coordinate(parameter.low), parameter.coordinate(parameter.high));
        (-self.rest.dot(left) / left.norm_squared()).clamp(low - at, high - at)
    }

    /// The squares that it removes so.
    fn reduction(&self, problem: &Problem, j: usize, left: &DVector<f64>) -> f64 {
        let moved = &self.rest + left * self.change(problem, j, left);
        self.rest.norm_squared() - moved.norm_squared()
    }

    fn reduce(&mut self, problem: &Problem, j: usize, left: &DVector<f64>) {
        let change = self.change(problem, j, left);
        self.rest.axpy(change, left, 1.0);
    }
}

/// What is left of a column beside an orthonormal basis.
fn rest(matrix: &DMatrix<f64>, j: usize, basis: &[DVector<f64>]) -> DVector<f64> {
    let mut column: DVector<f64> = matrix.column(j).into_owned();
    for unit in basis {
        let along = column.dot(unit);
        column.axpy(-along, unit, 1.0);
    }
    column
}

/// Why a column adds nothing to those that were kept.
fn alike(problem: &Problem, matrix: &DMatrix<f64>, j: usize, kept: &[usize]) -> String {
    let column = matrix.column(j);
    let cosine = |k: usize| {
        let other = matrix.column(k);
        (column.dot(&other) / column.norm() / other.norm()).abs()
    };
    let nearest = kept.iter().copied().max_by(|a, b| cosine(*a).total_cmp(&cosine(*b)));
    let others = match nearest {
        Some(k) if cosine(k) > 0.999 => problem.parameters[k].key.clone(),
        _ => keys(problem, kept.iter().copied()),
    };
    let largest = column.amax();
    let seen = (0..problem.figures.len()).filter(|i| column[*i].abs() > 0.1 * largest);
    format!("{} cannot tell it from {others}", names(problem, seen))
}

/// The names of figures in a sentence.
fn names(problem: &Problem, which: impl Iterator<Item = usize>) -> String {
    listed(which.map(|i| problem.figures[i].id.clone()))
}

fn keys(problem: &Problem, which: impl Iterator<Item = usize>) -> String {
    listed(which.map(|j| problem.parameters[j].key.clone()))
}

/// At most eight names; more are a number.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.len() {
        0..=8 => names.join(", "),
        more => format!("{} and {} more", names[..7].join(", "), more - 7),
    }
}
