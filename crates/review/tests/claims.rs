//! Each claim of the shipped reviews can fail: against a model changed against it, it does.

use lab::Run;
use metric::{MeasureError, Measurement, Metric, MetricValue, Params, Provenance};
use review::{Against, Bench, Check, Claim, Library, Op, Plan, Results, ReviewFile, Side};
use std::collections::BTreeMap;

/// A bench on which everything is 1, but for what was changed.
struct Changed {
    values: BTreeMap<(Run, Metric), f64>,
}

impl Bench for Changed {
    fn measure(&self, _: &str, _: &str, _: &Params) -> Result<Measurement, MeasureError> {
        unreachable!("the results are made beforehand")
    }

    fn fact(&self, target: &str, metric: &str) -> Option<f64> {
        let same = |run: &Run| run.is_fact() && run.target == target;
        let mut known = self.values.iter();
        let found = known.find(|((run, known), _)| same(run) && known.name() == metric);
        Some(found.map_or(1.0, |(_, value)| *value))
    }
}

/// What is changed: the first run of a side, in the metric of the side, to this.
fn set(values: &mut BTreeMap<(Run, Metric), f64>, side: &Side, to: f64) {
    for (at, run) in side.runs().enumerate() {
        // A second drive divides.
        values.insert((run, side.metric.clone()), if at == 0 { to } else { 1.0 });
    }
}

fn judged(claim: &Claim, values: BTreeMap<(Run, Metric), f64>) -> Option<bool> {
    let rows = ReviewFile { claims: vec![claim.clone()], ..ReviewFile::default() };
    let bench = Changed { values };
    let plan = Plan::new(rows, &bench).unwrap();
    let mut results = Results::new();
    for planned in plan.runs() {
        let value = |metric: &Metric| {
            let key = (planned.run.clone(), metric.clone());
            MetricValue::exact(bench.values.get(&key).copied().unwrap_or(1.0))
        };
        let metrics = planned.metrics.iter().map(|m| (m.name().to_owned(), value(m))).collect();
        let measurement = Measurement {
            metrics,
            points: Vec::new(),
            series: Vec::new(),
            histograms: Vec::new(),
            convergence: Vec::new(),
            warnings: Vec::new(),
            method_provenance: Provenance::Exact("a test".into()),
            limits: Vec::new(),
            about: serde_json::Value::Null,
        };
        results.insert(planned.run.clone(), Ok(measurement));
    }
    plan.judge(&bench, std::slice::from_ref(&results)).claims[0].held
}

/// Values of both sides that contradict a check.
fn against(check: &Check) -> BTreeMap<(Run, Metric), f64> {
    let mut values = BTreeMap::new();
    match &check.against {
        Against::Side { op, right, factor, tolerance } => {
            set(&mut values, right, 1.0);
            set(&mut values, &check.left, factor * beyond(*op, *tolerance));
        }
        Against::Value { op, value, unit, tolerance } => {
            set(&mut values, &check.left, unit.to_base(*value) * beyond(*op, *tolerance));
        }
        Against::Range { of, high, .. } => {
            set(&mut values, of, 1.0);
            set(&mut values, &check.left, high * 1.001);
        }
        Against::ValueRange { high, unit, .. } => {
            set(&mut values, &check.left, unit.to_base(high * 1.001));
        }
    }
    values
}

/// What times the other side just breaks a relation. Two sides that are equal break each that says
/// more than "not worse": a model in which something has no effect does not hold a claim about it.
fn beyond(op: Op, tolerance: f64) -> f64 {
    match op {
        Op::Less | Op::Greater => 1.0,
        Op::AtMost => 1.001,
        Op::AtLeast => 0.999,
        Op::About => 1.001 + tolerance,
    }
}

#[test]
fn every_claim_fails_on_a_model_changed_against_it() {
    let mut wrong = Vec::new();
    let rows = Library::shipped().unwrap().select(&[]).unwrap();
    let mut checked = 0;
    for claim in &rows.claims {
        for (at, check) in claim.checks.iter().enumerate() {
            // A check without drives or tests stays undecided, whatever the model.
            if check.sides().any(|side| side.subject.runs().is_empty()) {
                continue;
            }
            checked += 1;
            let one = Claim { checks: vec![check.clone()], ..claim.clone() };
            if judged(&one, against(check)) != Some(false) {
                wrong.push(format!("{}: check {}", claim.id, at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "these hold on a model that contradicts them: {wrong:#?}");
    assert!(checked > 100, "{checked}");
}

/// What one parameter does is not a claim if equality is enough: where both sides are the same
/// drive under the same method and `>=` or `<=` without a factor compares them, a parameter without
/// any effect holds it.
#[test]
fn no_claim_about_a_parameter_is_held_by_one_without_effect() {
    let rows = Library::shipped().unwrap().select(&[]).unwrap();
    let idle = |check: &Check| match &check.against {
        Against::Side { op: Op::AtLeast | Op::AtMost, right, factor, .. } => {
            let (left, right) = (check.left.subject.runs(), right.subject.runs());
            let same = |a: &Run, b: &Run| a.target == b.target && a.method == b.method;
            *factor == 1.0 && left.iter().zip(right).all(|(a, b)| same(a, b))
        }
        _ => false,
    };
    let named = rows.claims.iter().filter(|claim| claim.checks.iter().any(idle));
    let ids: Vec<&str> = named.map(|claim| claim.id.as_str()).collect();
    assert!(ids.is_empty(), "{ids:?}");
}
