//! Rows of a choice: each limit of each candidate, then what decides.

use super::Row;
use super::collect::Collect;
use super::warned::Warned;
use answer::Choice;
use metric::{Metric, tail};
use std::sync::Arc;

/// The base unit of a value of a choice; of a cost the user's currency.
fn base_unit(choice: &Choice, metric: &str) -> String {
    match (metric, Metric::parse(tail(metric))) {
        ("usable_capacity", _) => "B".to_owned(),
        (_, Ok((metric, _))) => metric.dimension().base().to_owned(),
        _ if metric == choice.objective.metric => choice.objective.unit.clone(),
        _ => "1".to_owned(),
    }
}

impl Collect<'_> {
    /// A row for each value that is held to a limit, and for what decides between candidates.
    pub fn choice(&mut self, choice: &Choice) {
        let warned = Warned::of(self.source);
        let about = Arc::new(self.about(None, None, &warned));
        for one in &choice.candidates {
            let held = one.conditions.iter().flat_map(|condition| {
                condition.limits.iter().map(move |limit| {
                    let point = format!("{}, {}", one.name, condition.name);
                    (point, limit.metric.as_str(), limit.value, limit.verdict)
                })
            });
            let sought =
                (one.name.clone(), choice.objective.metric.as_str(), one.objective, one.verdict);
            for (point, metric, value, verdict) in held.chain([sought]) {
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(point.as_str().into()),
                    metric: metric.into(),
                    value: value.map(|value| value.value),
                    unit: base_unit(choice, metric).as_str().into(),
                    samples: value.and_then(|value| value.samples),
                    low95: value.and_then(|value| value.low95),
                    high95: value.and_then(|value| value.high95),
                    verdict: Some(verdict.word().into()),
                    ..Row::default()
                });
            }
        }
    }
}
