//! Published figures against the models: makes the runs, judges, sums up.

use fio::Diagnostic;
use serde::Serialize;

use super::bench::{Bench, MeasureError};
use super::claim_verdict::ClaimResult;
use super::figure_verdict::FigureResult;
use super::library::{Remark, ReviewFile};
use super::plan::{Plan, Results};
use super::subject::Run;
use super::summary::Summary;
use super::value::Values;

/// The whole result; `drivelab reproduce --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduction {
    /// Every figure, in the order of the files.
    pub figures: Vec<FigureResult>,
    /// Every claim, in the order of the files.
    pub claims: Vec<ClaimResult>,
    /// Errors and counts.
    pub summary: Summary,
    /// What must be known of the reviews as a whole.
    pub remarks: Vec<Remark>,
}

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
    /// Judges figures and claims by what the runs gave.
    pub fn judge(&self, bench: &dyn Bench, results: &Results) -> Reproduction {
        let values = Values { plan: self, results, bench };
        let figures: Vec<_> =
            self.rows.figures.iter().map(|figure| FigureResult::of(figure, values)).collect();
        let claims: Vec<_> =
            self.rows.claims.iter().map(|claim| ClaimResult::of(claim, values)).collect();
        let summary = Summary::of(&figures, &claims);
        Reproduction { figures, claims, summary, remarks: self.rows.remarks.clone() }
    }
}

/// Plans, makes each distinct run once, one after the other, and judges. A caller that wants the
/// runs at the same time uses [`Plan`] itself.
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
    Ok(plan.judge(bench, &results))
}
