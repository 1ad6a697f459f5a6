//! Which runs another seed is wanted of.

use super::bench::Bench;
use super::claim::Side;
use super::claim_verdict;
use super::figure::Figure;
use super::figure_verdict;
use super::plan::{Plan, PlannedRun, Results};
use super::value::Values;
use lab::Run;
use std::collections::BTreeSet;

impl Plan {
    /// The runs behind numbers that are not yet known to a precision: half the width of the 95 %
    /// interval, as a fraction of what was published, and of the mean itself where a claim
    /// compares. Verdicts have no part in it: who measures until a verdict is decided finds the
    /// one that chance brings first. `seeds` is as [`Plan::judge`] takes it.
    pub fn coarse(&self, bench: &dyn Bench, seeds: &[Results], precision: f64) -> Vec<PlannedRun> {
        let mut wanted: BTreeSet<Run> = BTreeSet::new();
        for figure in &self.rows.figures {
            let values = self.values(bench, seeds, figure.runs());
            if !figure_is_precise(figure, &values, precision) {
                wanted.extend(figure.runs());
            }
        }
        let checks = self.rows.claims.iter().flat_map(|claim| &claim.checks);
        for side in checks.flat_map(|check| check.sides()) {
            let values = self.values(bench, seeds, side.runs());
            if !side_is_precise(side, &values, precision) {
                wanted.extend(side.runs());
            }
        }
        self.runs().iter().filter(|planned| wanted.contains(&planned.run)).cloned().collect()
    }
}

/// What cannot be run is not run again.
fn figure_is_precise(figure: &Figure, values: &[Values<'_>], precision: f64) -> bool {
    let judged = figure_verdict::judged(figure, values);
    judged.simulated.zip(judged.half_width).is_none_or(|(simulated, half_width)| {
        let of = if figure.value == 0.0 { simulated } else { figure.value };
        half_width <= precision * of.abs()
    })
}

fn side_is_precise(side: &Side, values: &[Values<'_>], precision: f64) -> bool {
    claim_verdict::numbers(side, values)
        .map_or(true, |numbers| numbers.scatter().is_within(precision))
}
