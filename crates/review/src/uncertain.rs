//! Rows whose simulated number is wanted with the interval of the real drive.

use super::bench::Bench;
use super::plan::{Plan, Results};
use super::reviews::ReviewFile;
use answer::reproduction::{Basis, Figure};
use fio::Diagnostic;
use std::collections::BTreeSet;

impl Plan {
    /// The part of the plan whose figures came out as predicted: what the model contains, and what
    /// it was fitted to, is known already. `judged` is what [`Plan::judge`] gave.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn uncertain(&self, judged: &[Figure], bench: &dyn Bench) -> Result<Plan, Diagnostic> {
        let wanted = |figure: &&Figure| {
            figure.basis == Basis::Predicted && figure.simulated.is_some() && figure.bound.is_none()
        };
        let ids: BTreeSet<&str> =
            judged.iter().filter(wanted).map(|figure| figure.id.as_str()).collect();
        let mut figures = self.rows.figures.clone();
        figures.retain(|figure| ids.contains(figure.id.as_str()));
        let labels = self.rows.labels.clone();
        Plan::new(ReviewFile { figures, labels, ..ReviewFile::default() }, bench)
    }

    /// Id and number of each figure as these results have it; none where they have none.
    pub fn simulated(&self, bench: &dyn Bench, results: &Results) -> Vec<(String, Option<f64>)> {
        let judged = self.judge(bench, std::slice::from_ref(results)).figures;
        judged.into_iter().map(|figure| (figure.id, figure.simulated)).collect()
    }
}
