//! Draws of fitted values where what they must say is known.

use fit::{Ensemble, Fit, Options, Parameter, Problem, Quantity, Seen, Simulate, Wanted, fit};
use std::convert::Infallible;

struct Known<F>(F);

impl<F: Fn(&[f64]) -> Vec<f64>> Simulate for Known<F> {
    type Error = Infallible;

    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, Infallible> {
        let seen = |value: f64| Seen { value, noise: 0.0 };
        Ok(points
            .iter()
            .map(|point| Some((self.0)(point).into_iter().map(seen).collect()))
            .collect())
    }
}

const DRAWS: usize = 64;

fn parameter(key: &str, start: &str, low: f64, high: f64) -> Parameter {
    let start = Quantity::parse(start).unwrap();
    Parameter { key: key.into(), start, low, high, source: "assumed: a test".into() }
}

fn drawn(
    parameters: Vec<Parameter>,
    measured: &[f64],
    sigma: f64,
    function: impl Fn(&[f64]) -> Vec<f64>,
    seed: u64,
) -> Fit {
    let one = |(i, value): (usize, &f64)| Wanted { id: format!("f{i}"), value: *value, sigma };
    let figures = measured.iter().enumerate().map(one).collect();
    let draws = Some((DRAWS, seed));
    let options = Options { model_error: 0.0, iterations: 20, draws, ..Options::default() };
    fit(&Problem { parameters, figures }, &Known(function), options).unwrap()
}

fn ensemble(fit: &Fit) -> &Ensemble {
    fit.ensemble.as_ref().expect("draws")
}

/// Figures that are products of powers: their logarithms are linear in those of the parameters.
fn powers(p: &[f64]) -> Vec<f64> {
    vec![p[0], p[0] * p[1], p[0] * p[0] / p[1], p[1]]
}

fn two() -> Vec<Parameter> {
    vec![parameter("a", "90 us", 1.0, 10_000.0), parameter("b", "60 us", 1.0, 10_000.0)]
}

/// Where the derivatives are the same everywhere they say all there is.
#[test]
fn of_a_linear_model_draws_and_derivatives_say_the_same() {
    let fit = drawn(two(), &powers(&[100.0, 50.0]), 0.05, powers, 1);
    let (drawn, sure) = (ensemble(&fit), fit.certainty.as_ref().unwrap());
    assert!((32.0..64.0).contains(&drawn.effective), "{}", drawn.effective);
    assert_eq!(drawn.draws, DRAWS, "one round is enough");
    for j in 0..2 {
        // The scatter of n draws is known within 1 / sqrt(2 n), here a tenth; three of these.
        let ratio = drawn.sigma[j] / sure.sigma[j];
        assert!((0.7..1.3).contains(&ratio), "{j}: {ratio}");
        let off = (drawn.mean[j] - libm::log([100.0, 50.0][j])) / sure.sigma[j];
        assert!(off.abs() < 0.4, "{j}: {off}");
        assert_eq!(fit.sigma_of(j), Some(drawn.sigma[j]));
    }
    assert!((drawn.correlation[0][1] - sure.correlation[0][1]).abs() < 0.3);
}

/// A figure that the others give: least squares without it, and its own uncertainty.
#[test]
fn what_the_others_expect_of_a_figure_is_the_textbook_s_prediction() {
    const SIGMA: f64 = 0.05;
    let same = |p: &[f64]| vec![p[0]; 8];
    let mut measured = vec![100.0; 8];
    measured[7] = 112.0;
    let one = vec![parameter("a", "90 us", 1.0, 10_000.0)];
    let fit = drawn(one, &measured, SIGMA, same, 1);
    let span = ensemble(&fit).from_others[7].expect("enough draws");
    assert!((libm::log(span.median / 100.0)).abs() < 0.02, "{span:?}");
    // Seven figures of 5 % fix the value to 5 / sqrt(7) %, and the eighth is off by 5 % of its own.
    let wanted = 1.645 * SIGMA * (1.0 + 1.0 / 7.0f64).sqrt();
    let half = libm::log(span.high / span.low) / 2.0;
    assert!((half / wanted - 1.0).abs() < 0.15, "{half} {wanted}");
    assert!(span.high < 112.0, "12 % is more than that");
    let own = ensemble(&fit).figures[7].expect("enough draws");
    assert!(own.high / own.low < span.high / span.low && own.low < own.median);
}

/// A parameter that its figure hardly moves with below some value: what is possible goes far to
/// one side, which no derivative at the best point knows. The truth is an integral over a grid.
#[test]
fn where_derivatives_mislead_the_draws_do_not() {
    const SIGMA: f64 = 0.04;
    let behind = |p: &[f64]| vec![100.0 + p[0] * p[0] / 100.0, 100.0 + p[0] * p[0] / 110.0];
    let measured = behind(&[20.0]);
    let (low, high) = (1.0f64, 200.0f64);
    let one = vec![parameter("w", "60 us", low, high)];
    let fit = drawn(one, &measured, SIGMA, behind, 1);
    let drawn = ensemble(&fit);
    let cells = 20_000;
    let place =
        |i: i32| libm::log(low) + (f64::from(i) + 0.5) / f64::from(cells) * libm::log(high / low);
    let weight = |x: f64| {
        let seen = behind(&[libm::exp(x)]);
        let square = |(s, m): (&f64, &f64)| (libm::log(s / m) / SIGMA).powi(2);
        libm::exp(-0.5 * seen.iter().zip(&measured).map(square).sum::<f64>())
    };
    let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
    for x in (0..cells).map(place) {
        let w = weight(x);
        (sum, first, second) = (sum + w, first + w * x, second + w * x * x);
    }
    let mean = first / sum;
    let sigma = (second / sum - mean * mean).sqrt();
    let laplace = fit.certainty.as_ref().unwrap().sigma[0];
    assert!((laplace / sigma - 1.0).abs() > 0.25, "else this shows nothing: {laplace} {sigma}");
    assert!((drawn.sigma[0] / sigma - 1.0).abs() < 0.2, "{} {sigma}", drawn.sigma[0]);
    assert!((drawn.mean[0] - mean).abs() < 0.25 * sigma, "{} {mean}", drawn.mean[0]);
}

/// What is at a bound is even less free than its derivatives say.
#[test]
fn no_draw_leaves_the_bounds() {
    let mut parameters = two();
    (parameters[0].high, parameters[0].start.number) = (100.0, 99.0);
    let within = |p: &[f64]| {
        assert!(p[0] <= 100.0, "{p:?}");
        powers(p)
    };
    let fit = drawn(parameters, &powers(&[100.0, 50.0]), 0.05, within, 1);
    let (drawn, sure) = (ensemble(&fit), fit.certainty.as_ref().unwrap());
    // Half a normal distribution has a deviation of sqrt(1 - 2 / pi), 0.603.
    let ratio = drawn.sigma[0] / sure.sigma[0];
    assert!((ratio / 0.603 - 1.0).abs() < 0.25, "{ratio}");
}

#[test]
fn the_same_seed_draws_the_same() {
    let of = |seed: u64| drawn(two(), &powers(&[100.0, 50.0]), 0.05, powers, seed).ensemble;
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
