//! Two names of a shelf against each other.

use super::store::Kept;
use answer::comparison::Verdict;
use answer::measured::Number;
use answer::shelf::{ShelfComparison, ShelfRow, Side};
use lab::Run;
use metric::{Better, Metric, Params, tail};
use stats::difference::holm;
use stats::{Difference, Pairing};
use std::collections::{BTreeMap, BTreeSet};

/// Confidence of the intervals, and of all verdicts together.
const CONFIDENCE: f64 = 0.95;

/// A test: what it is called, and its parameters.
type Test = (String, BTreeMap<String, String>);
/// The results of each test.
type Tests<'k> = BTreeMap<Test, Vec<&'k Kept>>;
/// A number of a test: the point of a sweep, or none, and the metric.
type Key = (String, String);

/// Both sides of all that both have.
pub fn comparison(
    kept: &[Kept],
    names: [&str; 2],
    metrics: &[String],
    points: bool,
) -> ShelfComparison {
    let sides = names
        .map(|name| kept.iter().filter(|kept| kept.about.name == name).collect::<Vec<&Kept>>());
    let tests = [0, 1].map(|side: usize| by_test(&sides[side]));
    let wanted = |metric: &str| metrics.is_empty() || metrics.iter().any(|one| one == metric);
    let mut rows = Vec::new();
    for (test, first) in &tests[0] {
        let Some(second) = tests[1].get(test) else { continue };
        let (first, second) = (numbers(first, points), numbers(second, points));
        for (key, values) in first {
            if let Some(others) = second.get(&key)
                && wanted(tail(&key.1))
            {
                rows.push(row(test, key, values, others.clone()));
            }
        }
    }
    let verdicts = judged(&rows);
    for (row, verdict) in rows.iter_mut().zip(verdicts) {
        row.verdict = verdict;
    }
    let alone = [alone(names[0], &tests[0], &tests[1]), alone(names[1], &tests[1], &tests[0])];
    let alone = alone.concat();
    let [first, second] = [0, 1].map(|side: usize| Side {
        name: names[side].to_owned(),
        drives: set(sides[side].iter().filter_map(|kept| kept.about.drive.clone())),
        dates: set(sides[side].iter().map(|kept| kept.about.date.clone())),
    });
    ShelfComparison { first, second, confidence: CONFIDENCE, rows, alone }
}

/// The tests of a name that the other does not have.
fn alone(name: &str, own: &Tests<'_>, other: &Tests<'_>) -> Vec<String> {
    let missing = own.keys().filter(|test| !other.contains_key(*test));
    missing.map(|test| format!("{name}: {}", label(test))).collect()
}

fn set(of: impl Iterator<Item = String>) -> Vec<String> {
    of.collect::<BTreeSet<String>>().into_iter().collect()
}

fn by_test<'k>(side: &[&'k Kept]) -> Tests<'k> {
    let mut tests: Tests<'k> = BTreeMap::new();
    for kept in side {
        let test = (kept.about.method.clone(), kept.about.params.clone());
        tests.entry(test).or_default().push(kept);
    }
    tests
}

/// The values of all runs by point and metric; what one run lacks is left out.
fn numbers(runs: &[&Kept], points: bool) -> BTreeMap<Key, Vec<f64>> {
    let mut all: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    let mut add = |point: &str, metrics: &BTreeMap<String, Number>| {
        for (name, number) in metrics.iter().filter(|(_, number)| number.value.is_finite()) {
            all.entry((point.to_owned(), name.clone())).or_default().push(number.value);
        }
    };
    for kept in runs {
        let Some(measured) = kept.tested.targets.first() else { continue };
        add("", &measured.metrics);
        for point in measured.points.iter().filter(|_| points) {
            let at: Vec<String> = point.at.iter().map(|(k, v)| format!("{k} {v}")).collect();
            add(&at.join(", "), &point.metrics);
        }
    }
    all.retain(|_, values| values.len() == runs.len());
    all
}

/// A test in a few words.
fn label((method, params): &Test) -> String {
    let pairs = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let params = Params::from_pairs(pairs).unwrap_or_default();
    Run { target: String::new(), method: method.clone(), params }.label()
}

fn better(metric: &str) -> Better {
    Metric::parse(tail(metric)).map_or(Better::Neither, |(metric, _)| metric.better())
}

fn row(test: &Test, (point, metric): Key, first: Vec<f64>, second: Vec<f64>) -> ShelfRow {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of = mean(&first).abs();
    let relative = (of > 0.0).then(|| (mean(&second) - mean(&first)) / of);
    let difference = Difference::new(&first, &second, Pairing::Independent, CONFIDENCE);
    let half = difference.filter(|_| of > 0.0).map(|difference| difference.half_width / of);
    let dimension = Metric::parse(tail(&metric)).map(|(metric, _)| metric.dimension());
    ShelfRow {
        test: label(test),
        point,
        unit: dimension.map_or("1", metric::Dimension::base).to_owned(),
        metric,
        first,
        second,
        relative,
        relative_half_width: half,
        verdict: None,
    }
}

/// What each difference means, all of them judged together.
fn judged(rows: &[ShelfRow]) -> Vec<Option<Verdict>> {
    let of =
        |row: &ShelfRow| Difference::new(&row.first, &row.second, Pairing::Independent, CONFIDENCE);
    let differences: Vec<Option<Difference>> = rows.iter().map(of).collect();
    let all: Vec<f64> = differences.iter().flatten().map(|difference| difference.p).collect();
    let mut corrected = holm(&all).into_iter();
    let one = |(row, difference): (&ShelfRow, &Option<Difference>)| {
        let difference = difference.as_ref()?;
        let real = corrected.next().unwrap_or(1.0) <= 1.0 - CONFIDENCE;
        Some(match (real, better(&row.metric)) {
            (false, _) => Verdict::WithinNoise,
            (true, Better::Neither) => Verdict::Differs,
            (true, better) => match (better == Better::Higher) == (difference.difference > 0.0) {
                true => Verdict::Better,
                false => Verdict::Worse,
            },
        })
    };
    rows.iter().zip(&differences).map(one).collect()
}
