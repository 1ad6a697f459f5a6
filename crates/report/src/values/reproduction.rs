//! Rows of a reproduction: published figures beside the simulated ones, claims, and the runs.

use super::Row;
use super::collect::{Collect, brief, number_at, text_at};
use super::measured::{is_about_method, warnings_of};
use super::setting;
use super::warned::{Subject, Warned, is_about_scale};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Collect<'_> {
    /// Figures, claims and runs, in this order.
    pub fn reproduction(&mut self, data: &Value) {
        let warned = Warned::of(&self.source.outcome);
        let runs = data.get("runs").and_then(Value::as_array).into_iter().flatten();
        let of_runs: BTreeSet<String> = runs.flat_map(warnings_of).collect();
        for figure in self.list(data, "figures") {
            self.figure(figure, &warned, &of_runs);
        }
        for claim in self.list(data, "claims") {
            self.claim(claim, &warned);
        }
        // Records of earlier versions have no runs.
        for run in data.get("runs").and_then(Value::as_array).into_iter().flatten() {
            self.measured(run, None, None);
        }
    }

    fn figure(&mut self, figure: &Value, warned: &Warned, of_runs: &BTreeSet<String>) {
        let (Some(metric), Some(id)) = (text_at(figure, "metric"), text_at(figure, "id")) else {
            self.problem("a figure has no `id` or no `metric`; it is left out");
            return;
        };
        // Warnings of its run are about the run; the rest is about the figure.
        let all = warnings_of(figure);
        let approximated = all.iter().any(|warning| is_about_method(warning));
        let (run, own): (Vec<String>, Vec<String>) = all.into_iter().partition(|warning| {
            is_about_method(warning) || is_about_scale(warning) || of_runs.contains(warning)
        });
        let warned = warned.with(run);
        let to = number_at(figure, "published_to");
        let mut own = own;
        own.extend(to.map(|to| format!("published as a range up to {to}")));
        let simulated = number_at(figure, "simulated");
        let target = text_at(figure, "target");
        let mut about = self.about(target.as_deref(), figure, &warned);
        about.method = text_at(figure, "method").map(|method| method.to_string());
        about.params = figure.get("params").and_then(brief);
        about.settings = setting::params(figure.get("params"));
        about.exact = simulated.map(|_| !approximated);
        let symbol = text_at(figure, "unit").unwrap_or_default();
        let (value, unit) = self.in_base(simulated, &symbol);
        let (published, _) = self.in_base(number_at(figure, "published"), &symbol);
        let end = |side: f64| Some(simulated? + side * number_at(figure, "half_width")?);
        let (low95, _) = self.in_base(end(-1.0), &symbol);
        let (high95, _) = self.in_base(end(1.0), &symbol);
        self.rows.push(Row {
            about: Arc::new(about),
            review: text_at(figure, "review"),
            figure: Some(id),
            value,
            unit,
            low95,
            high95,
            published,
            bound: to.map(|_| "range".into()).or(text_at(figure, "bound")),
            basis: text_at(figure, "basis"),
            verdict: text_at(figure, "verdict"),
            warnings: warned.about(Subject { metric: &metric, ..Subject::default() }, &own),
            metric,
            ..Row::default()
        });
    }

    /// A claim holds (1), does not (0), or was not checked.
    fn claim(&mut self, claim: &Value, warned: &Warned) {
        let Some(id) = text_at(claim, "id") else {
            self.problem("a claim has no `id`; it is left out");
            return;
        };
        let held = claim.get("held").and_then(Value::as_bool);
        let word = text_at(claim, "verdict");
        let verdict = word.as_deref().unwrap_or(match held {
            Some(true) => "held",
            Some(false) => "failed",
            None => "unchecked",
        });
        self.rows.push(Row {
            about: Arc::new(self.about(None, claim, warned)),
            review: text_at(claim, "review"),
            figure: Some(id),
            metric: "claim_held".into(),
            value: held.map(|held| if held { 1.0 } else { 0.0 }),
            unit: "1".into(),
            verdict: Some(verdict.into()),
            warnings: warned.about(Subject::default(), &[]),
            ..Row::default()
        });
    }
}
