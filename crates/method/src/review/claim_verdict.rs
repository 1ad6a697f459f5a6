//! Whether the simulated numbers say what a review says in words.

use serde::Serialize;

use super::claim::{Against, Check, Claim, Op, Side};
use super::label::{digits, show};
use super::subject::{Run, Subject};
use super::value::Values;

/// One claim after its checks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// Name of the claim.
    pub id: String,
    /// `true` or `false`; `null` if it cannot be checked.
    pub held: Option<bool>,
    /// Both numbers of every check, or why there are none.
    pub evidence: String,
    /// What the review says.
    pub claim: String,
    /// The review.
    pub review: String,
}

/// One check: whether it holds, with both numbers; or why it cannot be decided.
type Outcome = Result<(bool, String), String>;

impl ClaimResult {
    pub(super) fn of(claim: &Claim, values: Values<'_>) -> Self {
        let (held, evidence) = verdict(claim, values);
        Self {
            id: claim.id.clone(),
            held,
            evidence,
            claim: claim.claim.clone(),
            review: claim.review.clone(),
        }
    }
}

/// A claim holds if every check does, and fails if one fails. A check that cannot be decided
/// leaves open only a claim that has not failed already.
fn verdict(claim: &Claim, values: Values<'_>) -> (Option<bool>, String) {
    if claim.checks.is_empty() {
        let why = claim.unchecked.as_deref().unwrap_or("it has no checks");
        return (None, format!("not checkable: {why}"));
    }
    let mut held = Some(true);
    let mut lines: Vec<String> = Vec::new();
    for check in &claim.checks {
        let line = match outcome(check, values) {
            Ok((true, line)) => line,
            Ok((false, line)) => {
                held = Some(false);
                format!("FAILED: {line}")
            }
            Err(why) => {
                held = held.filter(|held| !held);
                format!("not checkable: {why}")
            }
        };
        // Several comparisons may lack the same thing; saying it once is enough.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let Some(rest) = &claim.unchecked {
        lines.push(format!("not checked: {rest}"));
    }
    (held, lines.join("; "))
}

fn outcome(check: &Check, values: Values<'_>) -> Outcome {
    let dimension = check.left.dimension();
    let left = number(&check.left, values)?;
    let shown = |value: f64| show(dimension, value);
    let about = |target: f64, tolerance: f64| (left - target).abs() <= tolerance * target.abs();
    let relation = |op: Op, target: f64, tolerance: f64| match op {
        Op::Less => left < target,
        Op::Greater => left > target,
        Op::AtMost => left <= target,
        Op::AtLeast => left >= target,
        Op::About => about(target, tolerance),
    };
    let width = |op: Op, tolerance: f64| match op {
        Op::About => format!(" (within {} %)", digits(tolerance * 100.0)),
        _ => String::new(),
    };
    match &check.against {
        Against::Side { op, right, factor, tolerance } => {
            let target = number(right, values)?;
            let times = if *factor == 1.0 { String::new() } else { format!("{factor} x ") };
            let (one, other) = names(&check.left, right);
            let line = format!(
                "{one} {} {} {times}{other} {}{}",
                shown(left),
                op.symbol(),
                shown(target),
                width(*op, *tolerance)
            );
            Ok((relation(*op, factor * target, *tolerance), line))
        }
        Against::Value { op, value, unit, tolerance } => {
            let line = format!(
                "{} {} {} {value} {}{}",
                name(&check.left),
                digits(unit.from_base(left)),
                op.symbol(),
                unit.symbol,
                width(*op, *tolerance)
            );
            Ok((relation(*op, unit.to_base(*value), *tolerance), line))
        }
        Against::Range { of, low, high } => {
            let divisor = number(of, values)?;
            let ratio = left / divisor;
            let (one, other) = names(&check.left, of);
            let line = format!(
                "{one} {} over {other} {} = {} (from {low} to {high})",
                shown(left),
                shown(divisor),
                digits(ratio)
            );
            Ok(((*low..=*high).contains(&ratio), line))
        }
        Against::ValueRange { low, high, unit } => {
            let value = unit.from_base(left);
            let (name, shown, unit) = (name(&check.left), digits(value), unit.symbol);
            let line = format!("{name} {shown} (from {low} to {high} {unit})");
            Ok(((*low..=*high).contains(&value), line))
        }
    }
}

fn number(side: &Side, values: Values<'_>) -> Result<f64, String> {
    let run = match &side.subject {
        Subject::NotModelled(why) => return Err(why.clone()),
        Subject::Runs { runs, .. } => runs.first().ok_or("it names no run")?,
    };
    let of = |run: &Run| -> Result<f64, String> {
        let known = values.of(run, &side.metric).map_err(|why| format!("{}: {why}", name(side)))?;
        Ok(known.value.value)
    };
    let value = of(run)?;
    match side.second(run) {
        None => Ok(value),
        Some(second) => match of(&second)? {
            0.0 => Err(format!("{}: nothing divides by 0", name(side))),
            divisor => Ok(value / divisor),
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
