//! Whether the simulated numbers say what a review says in words.

use super::claim::{Against, Check, Claim, Op, Side};
use super::relation::{Sample, quotient, relation};
use super::subject::Subject;
use super::value::Values;
use answer::reproduction::{Claim as ClaimResult, Said};
use lab::Run;
use metric::{Dimension, kept, kept_digits};

/// One check: what became of it, with both numbers; or why it cannot be made.
type Outcome = Result<(Option<bool>, String), String>;

/// The claim as the runs of every seed have it.
pub(super) fn judged(claim: &Claim, seeds: &[Values<'_>]) -> ClaimResult {
    let (verdict, evidence) = verdict(claim, seeds);
    ClaimResult {
        id: claim.id.clone(),
        held: match verdict {
            Said::Held => Some(true),
            Said::Failed => Some(false),
            Said::Open | Said::Unchecked => None,
        },
        verdict: Some(verdict),
        evidence,
        claim: claim.claim.clone(),
        review: claim.review.clone(),
    }
}

/// A claim holds if every check does, and fails if one fails. A check that cannot be made leaves
/// unchecked, and one that is not decided leaves open, only a claim that has not failed already.
/// That a check holds whose sides the models were given says nothing; that it fails does.
fn verdict(claim: &Claim, seeds: &[Values<'_>]) -> (Said, String) {
    if claim.checks.is_empty() {
        let why = claim.unchecked.as_deref().unwrap_or("it has no checks");
        return (Said::Unchecked, format!("not checkable: {why}"));
    }
    let mut all = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for check in &claim.checks {
        let (said, line) = match outcome(check, seeds) {
            Ok((Some(true), line)) => {
                match seeds.first().and_then(|values| given(check, *values)) {
                    Some(what) => {
                        (None, format!("not counted, the models were given {what}: {line}"))
                    }
                    None => (Some(Said::Held), line),
                }
            }
            Ok((Some(false), line)) => (Some(Said::Failed), format!("FAILED: {line}")),
            Ok((None, line)) => (Some(Said::Open), format!("OPEN: {line}")),
            Err(why) => (Some(Said::Unchecked), format!("not checkable: {why}")),
        };
        all.extend(said);
        // Several comparisons may lack the same thing; saying it once is enough.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let Some(rest) = &claim.unchecked {
        lines.push(format!("not checked: {rest}"));
    }
    let first = [Said::Failed, Said::Unchecked, Said::Open, Said::Held].into_iter();
    let said = first.into_iter().find(|said| all.contains(said)).unwrap_or(Said::Unchecked);
    (said, lines.join("; "))
}

/// As what the models were given what a check compares, if they were given all of it.
fn given(check: &Check, values: Values<'_>) -> Option<String> {
    let labels = &values.plan.rows.labels;
    let one = |side: &Side| Some(labels.given(side, values.bench)?.words());
    let left = one(&check.left)?;
    match &check.against {
        Against::Side { right: other, .. } | Against::Range { of: other, .. } => {
            Some(format!("both ({left}, {})", one(other)?))
        }
        Against::Value { .. } | Against::ValueRange { .. } => Some(format!("it ({left})")),
    }
}

/// What the relation is, seed by seed: the sides of one seed belong together.
fn outcome(check: &Check, seeds: &[Values<'_>]) -> Outcome {
    let dimension = check.left.dimension();
    let left = numbers(&check.left, seeds)?;
    let width = |op: Op, tolerance: f64| match op {
        Op::About => format!(" (within {} %)", kept_digits(tolerance * 100.0)),
        _ => String::new(),
    };
    match &check.against {
        Against::Side { op, right, factor, tolerance } => {
            let other = numbers(right, seeds)?;
            let times = if *factor == 1.0 { String::new() } else { format!("{factor} x ") };
            let (one, name) = names(&check.left, right);
            let line = format!(
                "{one} {} {} {times}{name} {}{}",
                shown(dimension, &left),
                op.symbol(),
                shown(dimension, &other),
                width(*op, *tolerance)
            );
            Ok((relation(*op, &left, &other.times(*factor), *tolerance), line))
        }
        Against::Value { op, value, unit, tolerance } => {
            let line = format!(
                "{} {} {} {value} {}{}",
                name(&check.left),
                with_interval(kept_digits, &left.map(|value| unit.from_base(value))),
                op.symbol(),
                unit.symbol,
                width(*op, *tolerance)
            );
            let limit = Sample::exact(unit.to_base(*value), left.len());
            Ok((relation(*op, &left, &limit, *tolerance), line))
        }
        Against::Range { of, low, high } => {
            let divisors = numbers(of, seeds)?;
            let ratios = left.over(&divisors);
            let (one, other) = names(&check.left, of);
            let line = format!(
                "{one} {} over {other} {} = {} (from {low} to {high})",
                shown(dimension, &left),
                shown(dimension, &divisors),
                with_interval(kept_digits, &ratios)
            );
            Ok((ratios.spread().within(*low, *high), line))
        }
        Against::ValueRange { low, high, unit } => {
            let own = left.map(|value| unit.from_base(value));
            let (name, shown, unit) =
                (name(&check.left), with_interval(kept_digits, &own), unit.symbol);
            let line = format!("{name} {shown} (from {low} to {high} {unit})");
            Ok((own.spread().within(*low, *high), line))
        }
    }
}

/// The number of a side under each seed.
pub(super) fn numbers(side: &Side, seeds: &[Values<'_>]) -> Result<Sample, String> {
    seeds.iter().map(|values| number(side, *values)).collect()
}

/// A mean with its unit, and with its interval if it has one. It is kept with the result of a
/// review, so that it is written as all kept results are.
fn shown(dimension: Dimension, values: &Sample) -> String {
    with_interval(|mean| kept(dimension, mean), values)
}

fn with_interval(text: impl Fn(f64) -> String, values: &Sample) -> String {
    let spread = values.spread();
    let share = spread.half_width / spread.mean.abs();
    match share.is_finite() && share > 0.0 {
        true => format!("{} +-{:.2} %", text(spread.mean), share * 100.0),
        false => text(spread.mean),
    }
}

/// The number of a side, and how well its run knows it (half the width of the 95 % interval).
fn number(side: &Side, values: Values<'_>) -> Result<(f64, f64), String> {
    let run = match &side.subject {
        Subject::NotModelled(why) => return Err(why.clone()),
        Subject::Runs { runs, .. } => runs.first().ok_or("it names no run")?,
    };
    let of = |run: &Run| -> Result<(f64, f64), String> {
        let known = values.of(run, &side.metric).map_err(|why| format!("{}: {why}", name(side)))?;
        Ok((known.value.value, known.half_width()))
    };
    let one = of(run)?;
    match side.second(run) {
        None => Ok(one),
        Some(second) => match of(&second)? {
            (0.0, _) => Err(format!("{}: nothing divides by 0", name(side))),
            other => Ok(quotient(one, other)),
        },
    }
}

/// Drive, run and metric of one side.
fn name(side: &Side) -> String {
    let Some(run) = side.subject.runs().first() else { return side.metric.to_string() };
    let over = side.relative_to.as_ref().map(|other| format!(" over {other}")).unwrap_or_default();
    if run.is_fact() {
        return format!("{}{over} {}", run.target, side.metric);
    }
    format!("{}{over} {} {}", run.target, run.label(), side.metric)
}

/// Both names, the second only as far as it differs.
fn names(left: &Side, right: &Side) -> (String, String) {
    let (Some(a), Some(b)) = (left.subject.runs().first(), right.subject.runs().first()) else {
        return (name(left), name(right));
    };
    let mut parts = Vec::new();
    if a.target != b.target {
        parts.push(b.target.clone());
    }
    if a.label() != b.label() {
        parts.push(b.label());
    }
    if left.metric != right.metric || parts.is_empty() {
        parts.push(right.metric.to_string());
    }
    (name(left), parts.join(" "))
}
