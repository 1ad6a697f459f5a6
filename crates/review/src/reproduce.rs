//! Published figures against the models: makes the runs, judges, sums up.

use std::collections::BTreeSet;

use fio::Diagnostic;

use super::bench::Bench;
use super::claim::{Claim, Side};
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
    /// seed, the first with every run, later ones with those that were made once more. What is
    /// known of a single seed only has no interval.
    pub fn judge(&self, bench: &dyn Bench, seeds: &[Results]) -> Reproduction {
        let none = [Results::new()];
        let seeds = if seeds.is_empty() { &none } else { seeds };
        let figures = &self.rows.figures;
        let judged = figures.iter().map(|figure| {
            figure_verdict::judged(figure, &self.values(bench, seeds, figure.runs()))
        });
        let figures = counted_once(figures, judged.collect());
        let claim = |claim: &Claim| {
            let runs = claim.checks.iter().flat_map(|check| check.sides()).flat_map(Side::runs);
            claim_verdict::judged(claim, &self.values(bench, seeds, runs))
        };
        let claims: Vec<_> = self.rows.claims.iter().map(claim).collect();
        let summary = summary(&figures, &claims);
        let remarks = self.rows.remarks.clone();
        Reproduction { figures, claims, summary, remarks, ..Reproduction::default() }
    }

    /// The values of the seeds under which all of these runs were made; at least of the first.
    pub(super) fn values<'a>(
        &'a self,
        bench: &'a dyn Bench,
        seeds: &'a [Results],
        runs: impl Iterator<Item = Run>,
    ) -> Vec<Values<'a>> {
        let planned = |run: &Run| self.runs().binary_search_by(|p| p.run.cmp(run)).is_ok();
        let runs: Vec<Run> = runs.filter(planned).collect();
        let made = |results: &Results| runs.iter().all(|run| results.contains_key(run));
        let several = seeds.iter().enumerate();
        several
            .filter(|(number, results)| *number == 0 || made(results))
            .map(|(_, results)| Values { plan: self, results, bench })
            .collect()
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
