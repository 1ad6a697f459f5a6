//! Rows of a comparison: each target's mean, and its difference to the baseline.

use super::Row;
use super::collect::{Collect, brief, number_at, text_at};
use super::measured::warnings_of;
use super::warned::{Subject, Warned};
use serde_json::Value;
use std::sync::Arc;

/// Confidence of the intervals that the columns are named for.
const CONFIDENCE: f64 = 0.95;

impl Collect<'_> {
    /// A row for each cell, and one more for its difference to the baseline.
    pub fn comparison(&mut self, data: &Value) {
        let warned = Warned::of(self, &[]);
        let targets = self.list(data, "targets");
        let baseline = text_at(data, "baseline").unwrap_or_default();
        let confident = number_at(data, "confidence") == Some(CONFIDENCE);
        for line in self.list(data, "rows") {
            let Some(metric) = text_at(line, "metric") else {
                self.problem("a row of the comparison has no `metric`; it is left out");
                continue;
            };
            for (target, cell) in targets.iter().zip(self.list(line, "cells")) {
                self.compared(line, target, cell, (&metric, &baseline, confident), &warned);
            }
        }
    }

    fn compared(
        &mut self,
        line: &Value,
        target: &Value,
        cell: &Value,
        (metric, baseline, confident): (&Arc<str>, &str, bool),
        warned: &Warned,
    ) {
        let Some(mean) = number_at(cell, "mean") else { return };
        let label = text_at(target, "name");
        let mut about = self.about(label.as_deref());
        if about.scale.is_none()
            && let Some(model) = text_at(target, "target")
        {
            let known = self.about(Some(&model));
            (about.scale, about.state) = (known.scale, known.state);
        }
        about.method = text_at(line, "method").map(|method| method.to_string());
        about.params = line.get("params").and_then(brief);
        let about = Arc::new(about);
        let mut own = of_this(line, label.as_deref(), self.source.outcome.data.get("warnings"));
        if cell.get("too_few_samples").and_then(Value::as_bool) == Some(true) {
            own.push("rests on too few samples".to_owned());
        }
        let unit = text_at(line, "unit").unwrap_or_default();
        let verdict = text_at(cell, "verdict");
        let row = |metric: Arc<str>, value: f64, half: Option<f64>| {
            let half = half.filter(|_| confident);
            Row {
                about: about.clone(),
                warnings: warned.about(Subject { metric: &metric, ..Subject::default() }, &own),
                metric,
                value: Some(value),
                unit: unit.clone(),
                low95: half.map(|half| value - half),
                high95: half.map(|half| value + half),
                verdict: verdict.clone(),
                ..Row::default()
            }
        };
        let first = row(metric.clone(), mean, number_at(cell, "half_width"));
        let second = cell.get("difference").and_then(|difference| {
            let name = format!("{metric}.difference");
            let half = number_at(difference, "half_width");
            let mut row = row(name.into(), number_at(difference, "value")?, half);
            row.point = Some(format!("to {baseline}").into());
            Some(row)
        });
        self.rows.push(first);
        self.rows.extend(second);
    }
}

/// Warnings of a comparison begin with target and load where they are about one; of this target
/// and load, and those about all.
fn of_this(line: &Value, target: Option<&str>, warnings: Option<&Value>) -> Vec<String> {
    let load = text_at(line, "load").unwrap_or_default();
    let own = format!("{}, {load}: ", target.unwrap_or_default());
    let all = warnings_of(&serde_json::json!({ "warnings": warnings }));
    let mut list: Vec<String> = Vec::new();
    for warning in all {
        if let Some(rest) = warning.strip_prefix(&own) {
            list.push(rest.to_owned());
        } else if warning.starts_with("approximation: ") {
            list.push(warning);
        }
    }
    list
}
