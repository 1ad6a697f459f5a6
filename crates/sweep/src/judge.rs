//! What the points of a sweep mean: which keep the requirements, which are best, what binds.

use crate::effects::{Effect, effects};
use crate::goal::{Objective, Standing};
use crate::paired::{beats, confidence};
use crate::pareto::{Span, front};
use crate::point::{Estimate, Point};
use crate::space::Space;
use metric::Requirement;

pub use crate::goal::{shown, unit};

/// A requirement over all points.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Points that fail it.
    pub failed: usize,
    /// Points that fail it and no other.
    pub alone: usize,
    /// Points of which it cannot be said.
    pub open: usize,
    /// How far the best point is from the limit, as a share of it; the nearest of several.
    pub margin: Option<f64>,
}

/// What the points come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// How each point stands to all requirements together: the worst of them.
    pub standings: Vec<Standing>,
    /// Numbers of the points in the Pareto sets, class by class, the best in the first objective
    /// first.
    pub pareto: Vec<usize>,
    /// Of the Pareto set of each class the point that is best in the first objective of those that
    /// surely keep all requirements; without any, of those that fail none.
    pub best: Vec<usize>,
    /// Each requirement.
    pub bindings: Vec<Binding>,
    /// The effects of factors on what is required or sought.
    pub effects: Vec<Effect>,
}

/// Judges points. One that fails a requirement for sure is in no Pareto set; one of which it
/// cannot be said is, beside those that keep all. Points of different `classes` (one a point) are
/// not held against each other: what one load gives is no better than what another gives.
pub fn judge(
    space: &Space,
    points: &[Point],
    classes: &[usize],
    requirements: &[Requirement],
    objectives: &[Objective],
) -> Judged {
    let each: Vec<Vec<Standing>> = points.iter().map(|p| standings(p, requirements)).collect();
    let standings: Vec<Standing> = points
        .iter()
        .zip(&each)
        .map(|(point, all)| match point.is_ok() {
            true => all.iter().copied().max().unwrap_or(Standing::Met),
            false => Standing::Failed,
        })
        .collect();
    let sought = |i: &usize| {
        standings[*i] != Standing::Failed
            && objectives.iter().all(|goal| points[*i].values.contains_key(&goal.metric))
    };
    let mut candidates: Vec<usize> = match objectives.is_empty() {
        true => Vec::new(),
        false => (0..points.len()).filter(sought).collect(),
    };
    let first = |i: usize| {
        let goal = objectives.first();
        goal.and_then(|goal| Some(goal.turned(points[i].values.get(&goal.metric)?.value)))
            .unwrap_or(f64::INFINITY)
    };
    candidates.sort_by(|a, b| {
        let of_class = classes[*a].cmp(&classes[*b]).then(first(*a).total_cmp(&first(*b)));
        of_class.then(points[*a].at.cmp(&points[*b].at))
    });
    let (mut set, mut best): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for of_class in candidates.chunk_by(|a, b| classes[*a] == classes[*b]) {
        let members = pareto(points, of_class, &standings, objectives);
        let is_sure = |i: &&usize| standings[**i] == Standing::Met;
        best.extend(members.iter().find(is_sure).or(members.first()));
        set.extend(members);
    }
    let bindings = requirements.iter().enumerate().map(|(number, requirement)| {
        let values = best.iter().filter_map(|i| points[*i].values.get(&requirement.metric));
        let margins = values.map(|value| requirement.margin(value.value));
        binding(&each, number, margins.min_by(f64::total_cmp))
    });
    let mut metrics: Vec<String> = objectives.iter().map(|goal| goal.metric.clone()).collect();
    for requirement in requirements {
        if !metrics.contains(&requirement.metric) {
            metrics.push(requirement.metric.clone());
        }
    }
    Judged {
        bindings: bindings.collect(),
        effects: effects(space, points, &metrics),
        standings,
        pareto: set,
        best,
    }
}

/// The candidates that none is surely better than of those that are at least as sure of the
/// requirements: what may fail one drives out nothing that keeps all. Points are told apart by
/// their intervals and, where runs share seeds, by the differences of these too.
fn pareto(
    points: &[Point],
    candidates: &[usize],
    standings: &[Standing],
    objectives: &[Objective],
) -> Vec<usize> {
    let is_sure = |i: &usize| standings[*i] == Standing::Met;
    let of = |list: &[usize]| -> Vec<bool> {
        front(&list.iter().map(|i| spans(&points[*i], objectives)).collect::<Vec<_>>())
    };
    let sure: Vec<usize> = candidates.iter().copied().filter(is_sure).collect();
    let mut of_sure = of(&sure).into_iter();
    let of_all = candidates.iter().zip(of(candidates));
    let stays = |(i, is_in): (&usize, bool)| match is_sure(i) {
        true => of_sure.next().unwrap_or(is_in).then_some(*i),
        false => is_in.then_some(*i),
    };
    let set: Vec<usize> = of_all.filter_map(stays).collect();
    // Any two of the candidates may have been compared.
    let confidence = confidence(candidates.len() * candidates.len().saturating_sub(1));
    let beaten = |i: &usize| {
        set.iter().any(|rival| {
            rival != i
                && standings[*rival] <= standings[*i]
                && beats(&points[*rival], &points[*i], objectives, confidence)
        })
    };
    set.iter().copied().filter(|i| !beaten(i)).collect()
}

/// How a point stands to each requirement; a point without values to none.
fn standings(point: &Point, requirements: &[Requirement]) -> Vec<Standing> {
    let list = if point.is_ok() { requirements } else { &[] };
    list.iter().map(|one| Standing::of(one, point.values.get(&one.metric))).collect()
}

fn binding(each: &[Vec<Standing>], number: usize, margin: Option<f64>) -> Binding {
    let fails = |all: &Vec<Standing>| all.get(number) == Some(&Standing::Failed);
    let only =
        |all: &Vec<Standing>| all.iter().filter(|one| **one == Standing::Failed).count() == 1;
    Binding {
        failed: each.iter().filter(|all| fails(all)).count(),
        alone: each.iter().filter(|all| fails(all) && only(all)).count(),
        open: each.iter().filter(|all| all.get(number) == Some(&Standing::Open)).count(),
        margin,
    }
}

/// Where a point's objectives lie.
fn spans(point: &Point, objectives: &[Objective]) -> Vec<Span> {
    let span = |goal: &Objective| {
        let nowhere = Estimate::exact(f64::NAN);
        let value = point.values.get(&goal.metric).copied().unwrap_or(nowhere);
        let (a, b) = (goal.turned(value.low), goal.turned(value.high));
        Span { best: a.min(b), worst: a.max(b) }
    };
    objectives.iter().map(span).collect()
}
