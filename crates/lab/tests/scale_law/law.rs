//! The law: four corners and a mix of reads and writes agree at scales a factor of 4 apart and at
//! budgets a factor of 4 apart.

use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, Params};
use stats::difference::half_width_of_mean;

/// Largest difference of two means that is no difference.
const WITHIN: f64 = 0.02;
/// Seeds whose scatter is the interval where that is wider.
const SEEDS: u64 = 3;
/// Confidence of every interval.
const CONFIDENCE: f64 = 0.95;

/// A load by name, with the parameters of method `corner`.
pub type Load = (&'static str, &'static [(&'static str, &'static str)]);

/// Writes in order.
pub const SEQUENTIAL_WRITE: Load = ("sequential write", &[("op", "write"), ("pattern", "seq")]);
/// Random writes in the steady state.
pub const RANDOM_WRITE: Load = ("steady random write", &[("op", "write")]);
/// Random reads and writes in the steady state.
pub const MIX: Load = ("70/30", &[("read", "70 %")]);

/// The loads of the law.
pub const LOADS: [Load; 5] = [
    ("sequential read", &[("op", "read"), ("pattern", "seq")]),
    SEQUENTIAL_WRITE,
    ("random read", &[("op", "read")]),
    RANDOM_WRITE,
    MIX,
];

/// Scale in Mi units, and I/Os.
pub type Point = (u64, u64);

fn measure(target: &str, params: &Params, (units, ios): Point, seed: u64) -> Option<Measurement> {
    let scale = Scale::Units(units << 20);
    let bench =
        ModelBench::new(BenchOptions { seed, scale: Some(scale), ios, ..BenchOptions::default() });
    match bench.measure(target, "corner", params) {
        Ok(measured) => Some(measured),
        // What cannot scale is refused; it never turns into another number.
        Err(why) if why.to_string().contains("scale") => None,
        Err(why) => panic!("{target}: {why}"),
    }
}

/// A rate, and half the width of its 95 % interval by what the windows within the run do.
type Rate = (f64, f64);

/// The rate of one run, unless the target cannot be made so small.
fn iops(target: &str, params: &Params, point: Point, seed: u64) -> Option<Rate> {
    let metrics = measure(target, params, point, seed)?.metrics;
    let windows = metrics["iops_cv"].samples.unwrap_or(2).max(2) as f64;
    let t = stats::student::critical(1.0 - CONFIDENCE, windows - 1.0);
    Some((metrics["iops"].value, t * metrics["iops_cv"].value / windows.sqrt()))
}

/// Mean of runs, and half the width of its 95 % interval: by what the seeds scatter, or by what the
/// windows within a run do where that is wider.
fn mean_of(runs: &[Rate]) -> Rate {
    let rates: Vec<f64> = runs.iter().map(|(rate, _)| *rate).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let within = runs.iter().map(|(_, own)| own * mean).fold(0.0, f64::max);
    (mean, half_width_of_mean(&rates, CONFIDENCE).max(within))
}

/// What the law says of one load.
pub enum Held {
    /// The points agree.
    Agrees,
    /// They differ; how.
    Differs(String),
    /// Nothing was compared: fewer than two points could be measured.
    Uncompared(String),
}

/// Holds a target to the law at these points under a load.
pub fn hold_to(target: &str, (load, given): &Load, points: &[Point]) -> Held {
    let params = Params::from_pairs(given.iter().copied()).unwrap();
    let first = |point: &Point| Some((*point, iops(target, &params, *point, 1)?));
    let once: Vec<(Point, Rate)> = points.iter().filter_map(first).collect();
    if once.len() < 2 {
        let count = once.len();
        return Held::Uncompared(format!(
            "{target}, {load}: {count} of {points:?} can be measured"
        ));
    }
    let rates = || once.iter().map(|(_, (rate, _))| *rate);
    let (low, high) = (rates().fold(f64::MAX, f64::min), rates().fold(0.0, f64::max));
    if high <= low * (1.0 + WITHIN) {
        return Held::Agrees;
    }
    // Beyond it: is that more than what seeds scatter?
    let more = |(point, rate): &(Point, Rate)| {
        let others = (2..=SEEDS).map(|seed| iops(target, &params, *point, seed));
        let runs: Option<Vec<Rate>> = std::iter::once(Some(*rate)).chain(others).collect();
        Some((*point, mean_of(&runs?)))
    };
    let again: Vec<(Point, Rate)> = once.iter().filter_map(more).collect();
    let apart =
        |a: &Rate, b: &Rate| (a.0 - b.0).abs() > (WITHIN * a.0.min(b.0)).max(a.1.hypot(b.1));
    if again.iter().any(|(_, a)| again.iter().any(|(_, b)| apart(a, b))) {
        return Held::Differs(format!("{target}, {load}: {again:.0?}"));
    }
    Held::Agrees
}
