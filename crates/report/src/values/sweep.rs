//! Rows of a sweep: the points that no other is surely better than, then what each factor does.

use super::Row;
use super::collect::Collect;
use super::warned::Warned;
use crate::sweep::{base_unit, placed};
use answer::Sweep;
use answer::sweep::Kept;
use std::sync::Arc;

impl Collect<'_> {
    /// A row for each value of each point of the Pareto set, and for the mean of each metric at
    /// both ends of a factor. All points are in the sweep's own table.
    pub fn sweep(&mut self, sweep: &Sweep) {
        let warned = Warned::of(self.source);
        let about = Arc::new(self.about(None, None, &warned));
        for point in &sweep.pareto {
            let at = placed(&point.at, " ");
            let verdict = match point.verdict {
                Kept::Met => "met",
                Kept::Open => "open",
                Kept::Failed => "failed",
            };
            for (metric, value) in point.values.iter() {
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(at.as_str().into()),
                    metric: metric.into(),
                    value: Some(value.value),
                    unit: base_unit(sweep, metric).into(),
                    samples: value.samples,
                    low95: value.low95,
                    high95: value.high95,
                    verdict: Some(verdict.into()),
                    ..Row::default()
                });
            }
        }
        for effect in &sweep.effects {
            let ends = [(&effect.lowest_at, effect.lowest), (&effect.highest_at, effect.highest)];
            for (at, mean) in ends {
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(format!("all with {}={at}", effect.factor).into()),
                    metric: effect.metric.as_str().into(),
                    value: Some(mean),
                    unit: base_unit(sweep, &effect.metric).into(),
                    ..Row::default()
                });
            }
        }
    }
}
