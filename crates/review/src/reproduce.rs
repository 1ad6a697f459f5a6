//! Published figures against the models: makes the runs, judges, sums up.

use std::collections::BTreeSet;

use fio::Diagnostic;

use super::bench::Bench;
use super::claim_verdict;
use super::figure::Figure;
use super::figure_verdict;
use super::number::numbers;
use super::plan::{Plan, Results};
use super::reviews::ReviewFile;
use super::summary::summary;
use super::value::Values;
use answer::Reproduction;
use answer::reproduction::{Basis, Figure as FigureResult};
use lab::Run;
use metric::MeasureError;

/// How far the runs are.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Runs made.
    pub done: usize,
    /// Runs in all.
    pub total: usize,
    /// The run that starts now; none at the end.
    pub next: Option<&'a Run>,
}

impl Plan {
    /// Judges figures and claims by what the runs gave under each seed: one element of `seeds` a
    /// seed, each with every run. What is known of a single seed only has no interval.
    pub fn judge(&self, bench: &dyn Bench, seeds: &[Results]) -> Reproduction {
        let none = [Results::new()];
        let seeds = if seeds.is_empty() { &none } else { seeds };
        let values: Vec<Values<'_>> =
            seeds.iter().map(|results| Values { plan: self, results, bench }).collect();
        let figures = &self.rows.figures;
        let judged = figures.iter().map(|figure| figure_verdict::judged(figure, &values)).collect();
        let figures = counted_once(figures, judged);
        let claims: Vec<_> =
            self.rows.claims.iter().map(|claim| claim_verdict::judged(claim, &values)).collect();
        let summary = summary(&figures, &claims);
        let remarks = self.rows.remarks.clone();
        Reproduction { figures, claims, summary, remarks, ..Reproduction::default() }
    }
}

/// Says of each figure which number it states. Of a number with which something was chosen no
/// other row is a prediction that tests the model.
fn counted_once(rows: &[Figure], mut judged: Vec<FigureResult>) -> Vec<FigureResult> {
    let numbers = numbers(rows);
    let chosen: BTreeSet<usize> = (judged.iter().zip(&numbers))
        .filter(|(figure, _)| matches!(figure.basis, Basis::Fitted | Basis::Input))
        .map(|(_, number)| *number)
        .collect();
    for (figure, number) in judged.iter_mut().zip(&numbers) {
        figure.number.clone_from(&rows[*number].id);
        figure.informative &= !chosen.contains(number);
    }
    judged
}

/// Plans, makes each distinct run once, one after the other, and judges. A caller that wants the
/// runs at the same time uses [`Plan`] itself.
///
/// # Errors
/// As [`Plan::new`]. A run that fails is part of the result.
pub fn reproduce(
    rows: ReviewFile,
    bench: &dyn Bench,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Reproduction, Diagnostic> {
    let plan = Plan::new(rows, bench)?;
    let total = plan.runs().len();
    let mut results = Results::new();
    for (done, planned) in plan.runs().iter().enumerate() {
        let run = &planned.run;
        progress(Progress { done, total, next: Some(run) });
        let result: Result<_, MeasureError> = bench.measure(&run.target, &run.method, &run.params);
        results.insert(run.clone(), result);
    }
    progress(Progress { done: total, total, next: None });
    Ok(plan.judge(bench, &[results]))
}
