//! Fitting on functions whose answer is known.

use engine::Stream;
use fit::{
    Choice, Ended, Fit, FitError, Options, Parameter, Prediction, Problem, Quantity, Repeated,
    Seen, Simulate, Wanted, fit, judge, search,
};
use std::convert::Infallible;

/// A function as a simulation.
struct Known<F> {
    figures: F,
    noise: f64,
}

impl<F: Fn(&[f64]) -> Option<Vec<f64>>> Simulate for Known<F> {
    type Error = Infallible;

    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, Infallible> {
        let seen = |value: f64| Seen { value, noise: self.noise };
        let one =
            |point: &Vec<f64>| (self.figures)(point).map(|all| all.into_iter().map(seen).collect());
        Ok(points.iter().map(one).collect())
    }
}

/// A simulation whose figures scatter with the seed and from point to point.
struct Noisy<F> {
    figures: F,
    scatter: f64,
}

impl<F: Fn(&[f64]) -> Vec<f64>> Noisy<F> {
    fn seen(&self, point: &[f64], seed: u64) -> Vec<Seen> {
        let name: Vec<String> =
            point.iter().map(|value| format!("{:x}", value.to_bits())).collect();
        let mut stream = Stream::new(seed, &name.join("/"));
        let mut normal = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
        let one = |value: f64| {
            let value = value * libm::exp(self.scatter * normal());
            Seen { value, noise: self.scatter }
        };
        (self.figures)(point).into_iter().map(one).collect()
    }
}

impl<F: Fn(&[f64]) -> Vec<f64>> Simulate for Noisy<F> {
    type Error = Infallible;

    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, Infallible> {
        Ok(points.iter().map(|point| Some(self.seen(point, 1))).collect())
    }

    fn repeat(&self, points: &[Vec<f64>], repeats: usize) -> Result<Repeated, Infallible> {
        let seeds = 2..2 + repeats as u64;
        let one = |point: &Vec<f64>| Some(seeds.clone().map(|s| self.seen(point, s)).collect());
        Ok(points.iter().map(one).collect())
    }
}

/// Fits `window` to two figures of a simulation with scatter, measured where it is 470.
fn fit_noisy(start: &str, scatter: f64) -> Fit {
    let figures = |point: &[f64]| vec![point[0], 100.0 + 0.1 * point[0]];
    let wanted = wanted(&figures(&[470.0]), 0.001);
    let parameters = vec![parameter("window", start, 20.0, 4000.0)];
    let problem = Problem { parameters, figures: wanted };
    let options = Options { model_error: 0.001, iterations: 12, ..Options::default() };
    fit(&problem, &Noisy { figures, scatter }, options).unwrap()
}

/// The search finds a point that looks better by chance. New seeds say that it is not.
#[test]
fn luck_is_not_kept() {
    let fit = fit_noisy("470 us", 0.05);
    assert_eq!(fit.ended, Ended::NotBetter, "{fit:?}");
    assert_eq!(fit.point, [470.0], "the value stays");
    assert_ne!(fit.found, fit.point);
    assert_eq!(fit.after, fit.before);
    assert_eq!(fit.chi_square_after, fit.chi_square_before);
}

/// What is reported is what another seed gives, and sigma is the scatter over seeds.
#[test]
fn what_is_reported_is_what_new_seeds_give() {
    const SCATTER: f64 = 0.03;
    let fit = fit_noisy("900 us", SCATTER);
    assert_ne!(fit.ended, Ended::NotBetter);
    assert!((fit.point[0] / 470.0 - 1.0).abs() < 0.1, "{:?}", fit.point);
    let exact = [fit.point[0], 100.0 + 0.1 * fit.point[0]];
    for ((seen, exact), sigma) in fit.after.iter().zip(exact).zip(&fit.sigma) {
        // A mean of five: its standard error is 1.3 %, and these are three of them.
        assert!((seen.value / exact - 1.0).abs() < 0.04, "{seen:?} for {exact}");
        // A scatter from eight degrees of freedom is known to a quarter.
        assert!((0.5..1.6).contains(&(sigma / SCATTER)), "{sigma}");
    }
    assert!(fit.chi_square_after < 0.1 * fit.chi_square_before);
}

fn parameter(key: &str, start: &str, low: f64, high: f64) -> Parameter {
    let start = Quantity::parse(start).unwrap();
    Parameter { key: key.into(), start, low, high, source: "assumed: a test".into() }
}

fn wanted(values: &[f64], sigma: f64) -> Vec<Wanted> {
    let one = |(i, value): (usize, &f64)| Wanted { id: format!("f{i}"), value: *value, sigma };
    values.iter().enumerate().map(one).collect()
}

/// Read latencies behind a window `w` and a segment `s` over a base `b`, as the tails of a drive
/// under writes: a mean and three percentiles, smooth in all three.
fn tails(point: &[f64]) -> Option<Vec<f64>> {
    let (b, w, s) = (point[0], point[1], point[2]);
    let coincide = libm::sqrt(w * s);
    Some(vec![b + 0.02 * w, b + 0.7 * w, b + w + 0.01 * s, b + 0.9 * s, b + 0.3 * coincide])
}

fn three() -> Vec<Parameter> {
    vec![
        parameter("base", "60 us", 10.0, 1000.0),
        parameter("window", "900 us", 20.0, 4000.0),
        parameter("segment", "300 us", 50.0, 15000.0),
    ]
}

const TRUTH: [f64; 3] = [108.0, 470.0, 665.0];

fn run<F: Fn(&[f64]) -> Option<Vec<f64>>>(
    parameters: Vec<Parameter>,
    figures: Vec<Wanted>,
    noise: f64,
    function: F,
    options: Options,
) -> Result<Fit, FitError<Infallible>> {
    fit(&Problem { parameters, figures }, &Known { figures: function, noise }, options)
}

#[test]
fn known_parameters_of_a_smooth_model_are_found() {
    let figures = wanted(&tails(&TRUTH).unwrap(), 0.002);
    let options = Options { iterations: 20, ..Options::default() };
    let fit = run(three(), figures, 0.0, tails, options).unwrap();
    for (value, truth) in fit.point.iter().zip(TRUTH) {
        assert!((value / truth - 1.0).abs() < 0.005, "{:?}", fit.point);
    }
    assert!(fit.chi_square_after < 0.1 && fit.chi_square_before > 100.0);
    let sure = fit.certainty.unwrap();
    // The segment is in the fourth figure above all, the window in the second and third.
    assert!(sure.information[2][3] > 0.6, "{:?}", sure.information);
    assert!(sure.information[1][1] + sure.information[1][2] > 0.6);
}

/// Percentiles come in buckets of 1/64 of a doubling: the figures are steps.
#[test]
fn steps_as_wide_as_the_buckets_of_a_histogram_do_not_stop_the_search() {
    let bucket = |value: f64| {
        let width = libm::exp2(libm::floor(libm::log2(value))) / 64.0;
        libm::floor(value / width) * width
    };
    let stepped = |point: &[f64]| Some(tails(point)?.into_iter().map(bucket).collect::<Vec<_>>());
    let figures = wanted(&stepped(&TRUTH).unwrap(), 0.005);
    let fit = run(three(), figures, 0.005, stepped, Options::default()).unwrap();
    for (value, truth) in fit.point.iter().zip(TRUTH) {
        assert!((value / truth - 1.0).abs() < 0.04, "{:?}", fit.point);
    }
}

/// Repeated with figures drawn anew: the estimates scatter by what the fit says.
#[test]
fn standard_uncertainties_are_those_of_repeated_fits() {
    const SIGMA: f64 = 0.02;
    const TIMES: usize = 150;
    let mut stream = Stream::new(7, "figures");
    let mut normal = || {
        let sum: f64 = (0..12).map(|_| stream.unit()).sum();
        sum - 6.0
    };
    let options = Options { model_error: 0.0, iterations: 12, ..Options::default() };
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut said = [0.0; 3];
    for _ in 0..TIMES {
        let drawn: Vec<f64> =
            tails(&TRUTH).unwrap().iter().map(|v| v * libm::exp(SIGMA * normal())).collect();
        let fit = run(three(), wanted(&drawn, SIGMA), 0.0, tails, options).unwrap();
        // Without the factor for residuals larger than expected, which is one on the average.
        let sure = fit.certainty.unwrap();
        let scale = sure.reduced_chi_square.unwrap().max(1.0).sqrt();
        for (said, sigma) in said.iter_mut().zip(&sure.sigma) {
            *said += sigma / scale / TIMES as f64;
        }
        found.push(fit.point.iter().map(|v| libm::log(*v)).collect());
    }
    for j in 0..3 {
        let mean = found.iter().map(|p| p[j]).sum::<f64>() / TIMES as f64;
        let square = found.iter().map(|p| (p[j] - mean) * (p[j] - mean)).sum::<f64>();
        let scatter = (square / (TIMES - 1) as f64).sqrt();
        // The scatter of n draws is known within 1/sqrt(2 n), here 6 %; three of these.
        let ratio = scatter / said[j];
        assert!((0.82..1.18).contains(&ratio), "parameter {j}: {ratio}");
        // And they scatter around the truth.
        let off = (mean - libm::log(TRUTH[j])) / (scatter / (TIMES as f64).sqrt());
        assert!(off.abs() < 4.0, "parameter {j}: {off}");
    }
}

fn refusal(result: Result<Fit, FitError<Infallible>>) -> String {
    match result {
        Err(FitError::Unidentified(why)) => format!("{}\n{}", why.message, why.help),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_parameter_that_moves_no_figure_is_named() {
    let mut parameters = three();
    parameters.push(parameter("idle", "3 us", 1.0, 10.0));
    let figures = wanted(&tails(&TRUTH).unwrap(), 0.01);
    let text = refusal(run(parameters, figures, 0.001, tails, Options::default()));
    assert!(text.contains("idle: it moves none of f0, f1, f2, f3, f4"), "{text}");
}

#[test]
fn two_parameters_that_only_act_together_are_named_with_the_figures() {
    // Only the product matters, and only to the second and third.
    let product = |p: &[f64]| Some(vec![p[0], p[1] * p[2], 2.0 * p[1] * p[2], p[0] * 3.0]);
    let figures = wanted(&[100.0, 5e4, 1e5, 300.0], 0.01);
    let text = refusal(run(three(), figures.clone(), 0.001, product, Options::default()));
    assert!(text.contains("f1, f2 cannot tell it from"), "{text}");
    let propose = Options { choice: Choice::Mending, ..Options::default() };
    let fit = run(three(), figures, 0.001, product, propose).unwrap();
    assert_eq!(fit.problem.parameters.len(), 2);
    assert_eq!(fit.dropped.len(), 1);
    assert!((fit.point[0] / 100.0 - 1.0).abs() < 0.01, "{:?}", fit.point);
}

/// The figures determine the window best, which may move furthest, but it is right already.
#[test]
fn proposals_are_the_parameters_that_reduce_the_residual() {
    let apart = |p: &[f64]| Some(vec![p[0], p[1] * 0.7]);
    let figures = wanted(&[108.0, 630.0], 0.01);
    let parameters = three()[..2].to_vec();
    let propose = Options { choice: Choice::Mending, ..Options::default() };
    let fit = run(parameters.clone(), figures, 0.001, apart, propose).unwrap();
    assert_eq!(fit.problem.parameters[0].key, "base", "one of two figures is left to test it");
    assert!((fit.point[0] / 108.0 - 1.0).abs() < 0.005, "{:?}", fit.point);
    // What cannot move far enough within its bounds improves little.
    let mut narrow = parameters.clone();
    (narrow[0].low, narrow[0].high) = (59.0, 61.0);
    let both = |p: &[f64]| Some(vec![p[0] * p[1], p[0]]);
    let figures = wanted(&[108.0 * 450.0, 60.0], 0.01);
    let fit = run(narrow, figures, 0.001, both, propose).unwrap();
    assert_eq!(fit.problem.parameters[0].key, "window");
    // Where nothing is missed there is nothing to propose.
    let met = wanted(&apart(&[60.0, 900.0]).unwrap(), 0.01);
    let text = refusal(run(parameters, met, 0.001, apart, propose));
    assert!(text.contains("base: moving it within its bounds mends nothing"), "{text}");
    assert!(text.contains("--free"), "{text}");
}

#[test]
fn more_parameters_than_figures_are_refused_before_anything_runs() {
    let never = |_: &[f64]| -> Option<Vec<f64>> { panic!("nothing is simulated") };
    let text = refusal(run(three(), wanted(&[1.0, 2.0], 0.1), 0.0, never, Options::default()));
    assert!(text.contains("2 figures (f0, f1) cannot fix 3 parameters"), "{text}");
    // As many as figures is the limit.
    let few = |p: &[f64]| Some(vec![p[0] + 0.1 * p[1], p[0] + p[2], p[1] + p[2]]);
    let figures = wanted(&few(&TRUTH).unwrap(), 0.01);
    let fit = run(three(), figures, 0.0, few, Options::default()).unwrap();
    assert_eq!(fit.certainty.unwrap().reduced_chi_square, None);
    assert_eq!(fit.predictions, vec![Prediction::Alone; 3], "nothing is left to predict from");
}

#[test]
fn a_value_beyond_the_bounds_ends_at_the_bound() {
    let mut parameters = three();
    parameters[1].high = 400.0;
    parameters[1].start = Quantity::parse("300 us").unwrap();
    let figures = wanted(&tails(&TRUTH).unwrap(), 0.01);
    let options = Options { iterations: 15, ..Options::default() };
    let fit = run(parameters, figures, 0.0, tails, options).unwrap();
    assert!(fit.point[1] <= 400.0 && fit.problem.parameters[1].at_bound(fit.point[1]));
}

/// A model that cannot be built above some value is left alone there.
#[test]
fn what_cannot_be_built_is_gone_around() {
    let limited = |p: &[f64]| if p[1] < 1000.0 { tails(p) } else { None };
    let figures = wanted(&tails(&TRUTH).unwrap(), 0.01);
    let options = Options { iterations: 20, ..Options::default() };
    let fit = run(three(), figures, 0.0, limited, options).unwrap();
    assert!((fit.point[1] / TRUTH[1] - 1.0).abs() < 0.01, "{:?}", fit.point);
}

/// The cheap prediction is what a whole fit without the figure would predict.
#[test]
fn leaving_one_out_predicts_as_a_fit_without_it() {
    let mut figures = wanted(&tails(&TRUTH).unwrap(), 0.01);
    for (figure, off) in figures.iter_mut().zip([1.03, 0.98, 1.02, 0.97, 1.05]) {
        figure.value *= off;
    }
    let options = Options { iterations: 20, ..Options::default() };
    let whole = run(three(), figures.clone(), 0.0, tails, options).unwrap();
    let mut compared = 0;
    for i in 0..figures.len() {
        let Prediction::Value(cheap) = whole.predictions[i] else { continue };
        let mut rest = figures.clone();
        rest.remove(i);
        let without = |p: &[f64]| {
            let mut all = tails(p)?;
            all.remove(i);
            Some(all)
        };
        let fit = run(three(), rest, 0.0, without, options).unwrap();
        let full = tails(&fit.point).unwrap()[i];
        assert!((cheap / full - 1.0).abs() < 0.02, "figure {i}: {cheap} {full}");
        compared += 1;
    }
    assert!(compared >= 3, "{:?}", whole.predictions);
}

/// A search finds the point; judged there, what the figures do not fix is named, and the rest keeps
/// an uncertainty.
#[test]
fn a_search_and_a_judgement_are_the_parts_of_a_fit() {
    let mut parameters = three();
    parameters.push(parameter("idle", "3 us", 1.0, 10.0));
    let problem = Problem { parameters, figures: wanted(&tails(&TRUTH).unwrap(), 0.01) };
    let known = Known { figures: tails, noise: 0.001 };
    let found = search(&problem, &known, Options { iterations: 12, ..Options::default() }).unwrap();
    for (found, truth) in found.point.iter().zip(TRUTH) {
        assert!((found / truth - 1.0).abs() < 0.02, "{found} for {truth}");
    }
    assert!(found.chi_square < 1.0, "{}", found.chi_square);
    let fixed = Options { choice: Choice::Fixed, ..Options::default() };
    let mut there = problem;
    for (parameter, value) in there.parameters.iter_mut().zip(&found.point) {
        parameter.start.number = *value;
    }
    let judged = judge(&there, &known, fixed).unwrap();
    assert_eq!(judged.problem.parameters.len(), 3);
    assert_eq!(judged.dropped.len(), 1, "{:?}", judged.dropped);
    assert_eq!(judged.dropped[0].key, "idle");
    let sigma = judged.certainty.unwrap().sigma;
    assert!(sigma.iter().all(|sigma| *sigma > 0.0 && *sigma < 1.0), "{sigma:?}");
}
