//! Rows of a comparison: each target's mean, and its difference to the baseline.

use super::Row;
use super::collect::{Collect, brief, number_at, text_at};
use super::measured::{is_about_method, warnings_of};
use super::setting;
use super::warned::{Subject, Warned};
use crate::origin::Origin;
use metric::plain;
use serde_json::Value;
use std::sync::Arc;

/// Confidence of the intervals that the columns are named for.
const CONFIDENCE: f64 = 0.95;

impl Collect<'_> {
    /// A row for each cell, and one more for its difference to the baseline.
    pub fn comparison(&mut self, data: &Value) {
        let warned = Warned::of(&self.source.outcome);
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
        let told = self.source.outcome.data.get("warnings");
        let warned = warned.with(of_this(line, label.as_deref(), told));
        let mut about = self.about(label.as_deref(), target, &warned);
        let model = text_at(target, "target");
        if about.scale.is_none()
            && let Some(model) = &model
        {
            let known = self.about(Some(model), target, &warned);
            (about.scale, about.state) = (known.scale, known.state);
            about.run_warnings = known.run_warnings;
        }
        let real = target.get("real").and_then(Value::as_bool);
        let origin = real.map_or_else(
            || {
                self.source
                    .origin(model.as_deref().or(label.as_deref()).unwrap_or_default(), target)
            },
            Origin::of_real,
        );
        about.origin = origin.word();
        about.method = text_at(line, "method").map(|method| method.to_string());
        let params = params(line, target);
        about.params = brief(&params);
        about.settings = setting::params(Some(&params));
        let about = Arc::new(about);
        let mut own = Vec::new();
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

/// The parameters of a load as this target ran them: a variation gives up more of its capacity than
/// the load says, or has values of its own.
fn params(line: &Value, target: &Value) -> Value {
    let mut params = line.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(share) = number_at(target, "give_up").filter(|share| *share > 0.0) {
        let percent = |text: &str| text.strip_suffix('%')?.trim().parse::<f64>().ok();
        let of_load = params.get("give_up").and_then(Value::as_str).and_then(percent);
        // The larger of the two counts, as on the drive.
        if of_load.is_none_or(|of_load| of_load < share * 100.0) {
            params.insert("give_up".to_owned(), format!("{} %", plain(share * 100.0)).into());
        }
    }
    let set = target.get("set").and_then(Value::as_object).into_iter().flatten();
    params.extend(set.map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(params)
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
        } else if is_about_method(&warning) {
            list.push(warning);
        }
    }
    list
}
