//! Rows of a reproduction: published figures beside the simulated ones, claims, and the runs.

use super::collect::Collect;
use super::measured::is_about_method;
use super::setting;
use super::warned::{Subject, Warned, is_about_scale};
use super::{About, Row};
use answer::Reproduction;
use answer::reproduction::{Claim, Figure};
use metric::Bound;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Collect<'_> {
    /// Figures, claims and runs, in this order.
    pub fn reproduction(&mut self, result: &Reproduction) {
        let warned = Warned::of(self.source);
        let of_runs: BTreeSet<&String> = result.runs.iter().flat_map(|run| &run.warnings).collect();
        for figure in &result.figures {
            self.figure(figure, &warned, &of_runs);
        }
        for claim in &result.claims {
            self.claim(claim, &warned);
        }
        for run in &result.runs {
            self.measured(run, None, None);
        }
    }

    fn figure(&mut self, figure: &Figure, warned: &Warned, of_runs: &BTreeSet<&String>) {
        // Warnings of its run are about the run; the rest is about the figure.
        let all = figure.warnings.iter().cloned();
        let approximated = figure.warnings.iter().any(|warning| is_about_method(warning));
        let (run, mut own): (Vec<String>, Vec<String>) = all.partition(|warning| {
            is_about_method(warning) || is_about_scale(warning) || of_runs.contains(warning)
        });
        let warned = warned.with(run);
        let to = figure.published_to;
        own.extend(to.map(|to| format!("published as a range up to {to}")));
        let pairs = || figure.params.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let about = About {
            method: Some(figure.method.clone()),
            params: setting::brief(pairs()),
            settings: setting::params(pairs()),
            exact: figure.simulated.map(|_| !approximated),
            ..self.about(Some(&figure.target), None, &warned)
        };
        let (value, unit) = self.in_base(figure.simulated, &figure.unit);
        let (published, _) = self.in_base(Some(figure.published), &figure.unit);
        let end = |side: f64| Some(figure.simulated? + side * figure.half_width?);
        let (low95, _) = self.in_base(end(-1.0), &figure.unit);
        let (high95, _) = self.in_base(end(1.0), &figure.unit);
        let bound = figure.bound.map(|bound| match bound {
            Bound::Min => "min",
            Bound::Max => "max",
        });
        let subject = Subject { metric: &figure.metric, ..Subject::default() };
        self.rows.push(Row {
            about: Arc::new(about),
            review: text(&figure.review),
            figure: text(&figure.id),
            value,
            unit,
            low95,
            high95,
            published,
            bound: to.map_or(bound, |_| Some("range")).map(Arc::from),
            basis: Some(figure.basis.name().into()),
            verdict: Some(figure.verdict.name().into()),
            warnings: warned.about(subject, &own),
            metric: figure.metric.as_str().into(),
            ..Row::default()
        });
    }

    /// A claim holds (1), does not (0), or was not checked.
    fn claim(&mut self, claim: &Claim, warned: &Warned) {
        self.rows.push(Row {
            about: Arc::new(self.about(None, None, warned)),
            review: text(&claim.review),
            figure: text(&claim.id),
            metric: "claim_held".into(),
            value: claim.held.map(|held| if held { 1.0 } else { 0.0 }),
            unit: "1".into(),
            verdict: Some(claim.said().name().into()),
            warnings: warned.about(Subject::default(), &[]),
            ..Row::default()
        });
    }
}

/// A cell; empty without a text.
fn text(text: &str) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| text.into())
}
