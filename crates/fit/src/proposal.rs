//! What the draws of a round come from: Student's distribution of the coordinates within bounds,
//! and a share from anywhere within them.

use super::problem::Problem;
use engine::Stream;
use nalgebra::{DMatrix, DVector};

/// Student's distribution in several dimensions, cut off at the bounds of the parameters. Its tails
/// are heavier than those of what it follows: from a thin tail a draw would come rarely and have a
/// weight out of all proportion.
pub(super) struct Proposal {
    middle: DVector<f64>,
    /// The lower triangle whose square is the scale matrix.
    root: DMatrix<f64>,
    bounds: Vec<(f64, f64)>,
    /// Logarithm of what the density is divided by.
    whole: f64,
}

/// Share of the draws that come from anywhere within the bounds.
const ANYWHERE: f64 = 0.25;

/// Degrees of freedom.
const DEGREES: f64 = 4.0;

/// No narrower than this part of the bounds: rounding must not make it singular.
const NARROWEST: f64 = 1e-6;

/// Draws that tell how much lies within the bounds: known to a hundredth.
const TRIES: usize = 4096;

impl Proposal {
    /// A proposal around a place with the covariance as its scale; `None` if it is none.
    pub(super) fn new(
        problem: &Problem,
        middle: DVector<f64>,
        covariance: &DMatrix<f64>,
        stream: &mut Stream,
    ) -> Option<Self> {
        let parameters = &problem.parameters;
        let least = |j: usize| {
            let least = parameters[j].width() * NARROWEST;
            least * least
        };
        let wide = |i: usize, j: usize| covariance[(i, j)] + if i == j { least(i) } else { 0.0 };
        let count = parameters.len();
        let root = DMatrix::from_fn(count, count, wide).cholesky()?.unpack();
        let bounds = parameters.iter().map(|p| (p.coordinate(p.low), p.coordinate(p.high)));
        let mut made = Proposal { middle, bounds: bounds.collect(), whole: 0.0, root };
        let within = (0..TRIES).filter(|_| made.try_one(stream).is_some()).count();
        let share = within.max(1) as f64 / TRIES as f64;
        let spread: f64 = made.root.diagonal().iter().map(|side| libm::log(*side)).sum();
        made.whole = spread + libm::log(share);
        Some(made)
    }

    /// A place within the bounds.
    pub(super) fn draw(&self, stream: &mut Stream) -> DVector<f64> {
        if stream.unit() < ANYWHERE {
            let even = self.bounds.iter().map(|(low, high)| low + (high - low) * stream.unit());
            return DVector::from_iterator(self.bounds.len(), even);
        }
        (0..TRIES).find_map(|_| self.try_one(stream)).unwrap_or_else(|| self.middle.clone())
    }

    fn try_one(&self, stream: &mut Stream) -> Option<DVector<f64>> {
        let normals = DVector::from_fn(self.middle.len(), |_, _| normal(stream));
        // The sum of two exponentials, doubled, is chi-square of four degrees.
        let chi_square = 2.0 * (stream.exponential() + stream.exponential());
        let place = &self.middle + &self.root * normals * libm::sqrt(DEGREES / chi_square);
        let within = |(x, (low, high)): (&f64, &(f64, f64))| low <= x && x <= high;
        place.iter().zip(&self.bounds).all(within).then_some(place)
    }

    /// Logarithm of the density at a place within the bounds.
    fn logarithm(&self, place: &DVector<f64>) -> f64 {
        let off = place - &self.middle;
        let squares =
            self.root.solve_lower_triangular(&off).map_or(f64::INFINITY, |z| z.norm_squared());
        let dimensions = place.len() as f64;
        let power = f64::midpoint(DEGREES, dimensions);
        let whole = libm::lgamma(power)
            - libm::lgamma(DEGREES / 2.0)
            - dimensions / 2.0 * libm::log(DEGREES * std::f64::consts::PI);
        let student = whole - power * libm::log1p(squares / DEGREES) - self.whole;
        let volume: f64 = self.bounds.iter().map(|(low, high)| high - low).product();
        libm::log((1.0 - ANYWHERE) * libm::exp(student) + ANYWHERE / volume)
    }

    /// The same of all rounds together, each with as many draws.
    pub(super) fn of_mixture(proposals: &[Proposal], place: &DVector<f64>) -> f64 {
        let each: Vec<f64> = proposals.iter().map(|proposal| proposal.logarithm(place)).collect();
        let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = each.iter().map(|one| libm::exp(one - most)).sum();
        most + libm::log(sum / proposals.len().max(1) as f64)
    }
}

/// A number of the standard normal distribution (Box and Muller, Ann. Math. Stat. 29, 1958).
fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(2.0 * stream.exponential());
    radius * libm::cos(2.0 * std::f64::consts::PI * stream.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameter, Quantity};

    fn problem(bounds: &[(f64, f64)]) -> Problem {
        let one = |(low, high): &(f64, f64)| Parameter {
            key: "k".into(),
            start: Quantity::parse("100 us").unwrap(),
            low: *low,
            high: *high,
            source: String::new(),
        };
        Problem { parameters: bounds.iter().map(one).collect(), figures: Vec::new() }
    }

    /// Half of what is drawn around a bound lies beyond it, so that the rest is twice as dense.
    #[test]
    fn what_is_cut_off_is_made_up_for() {
        let mut stream = Stream::new(1, "test");
        let middle = DVector::from_element(1, libm::log(100.0));
        let covariance = DMatrix::from_element(1, 1, 0.01);
        let mut made = |low: f64| {
            let problem = problem(&[(low, 10_000.0)]);
            Proposal::new(&problem, middle.clone(), &covariance, &mut stream).unwrap()
        };
        let (whole, half) = (made(1.0), made(100.0));
        let at = DVector::from_element(1, libm::log(104.0));
        let ratio = libm::exp(half.logarithm(&at) - whole.logarithm(&at));
        assert!((ratio - 2.0).abs() < 0.1, "{ratio}");
        let mut stream = Stream::new(2, "test");
        assert!((0..100).all(|_| half.draw(&mut stream)[0] >= libm::log(100.0)));
    }

    /// Of four degrees the variance is twice the scale, and the parts keep their correlation.
    #[test]
    fn most_draws_have_the_covariance_of_student_s_distribution() {
        const DRAWS: usize = 100_000;
        let problem = problem(&[(1e-300, 1e300), (1e-300, 1e300)]);
        let covariance = DMatrix::from_row_slice(2, 2, &[0.04, -0.018, -0.018, 0.01]);
        let mut stream = Stream::new(1, "test");
        let middle = DVector::from_vec(vec![1.0, 2.0]);
        let made = Proposal::new(&problem, middle, &covariance, &mut stream).unwrap();
        let draws: Vec<DVector<f64>> =
            std::iter::from_fn(|| Some(made.try_one(&mut stream))).flatten().take(DRAWS).collect();
        let moment = |i: usize, j: usize| {
            let middle = [1.0, 2.0];
            let all = draws.iter().map(|d| (d[i] - middle[i]) * (d[j] - middle[j]));
            all.sum::<f64>() / DRAWS as f64
        };
        for (i, j) in [(0, 0), (1, 1), (0, 1)] {
            let ratio = moment(i, j) / covariance[(i, j)] / 2.0;
            assert!((ratio - 1.0).abs() < 0.1, "{i} {j}: {ratio}");
        }
        // P(|t| > 2.776) = 5 %.
        let beyond = draws.iter().filter(|d| (d[0] - 1.0).abs() > 2.776 * 0.2).count();
        assert!((beyond as f64 / DRAWS as f64 - 0.05).abs() < 0.003, "{beyond}");
    }

    /// The sum of the density over a fine grid between the bounds.
    #[test]
    fn a_density_sums_to_one() {
        let problem = problem(&[(1.0, 1000.0)]);
        let (low, high) = (0.0, libm::log(1000.0));
        let covariance = DMatrix::from_element(1, 1, 0.3);
        let mut stream = Stream::new(1, "test");
        let middle = DVector::from_element(1, 1.0);
        let made = Proposal::new(&problem, middle, &covariance, &mut stream).unwrap();
        let cell = (high - low) / 10_000.0;
        let at = |i: i32| DVector::from_element(1, low + (f64::from(i) + 0.5) * cell);
        let sum: f64 = (0..10_000).map(|i| libm::exp(made.logarithm(&at(i))) * cell).sum();
        assert!((sum - 1.0).abs() < 0.02, "{sum}");
    }

    #[test]
    fn a_mixture_is_the_mean_of_its_parts() {
        let problem = problem(&[(1e-30, 1e30)]);
        let mut stream = Stream::new(1, "test");
        let mut at = |middle: f64| {
            let covariance = DMatrix::from_element(1, 1, 1.0);
            let middle = DVector::from_element(1, middle);
            Proposal::new(&problem, middle, &covariance, &mut stream).unwrap()
        };
        let (one, other) = (at(0.0), at(3.0));
        let place = DVector::from_element(1, 1.0);
        let mean = (libm::exp(one.logarithm(&place)) + libm::exp(other.logarithm(&place))) / 2.0;
        let both = Proposal::of_mixture(&[one, other], &place);
        assert!((libm::exp(both) / mean - 1.0).abs() < 1e-12);
    }
}
