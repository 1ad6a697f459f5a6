//! Walking through a source and gathering its rows.

use super::warned::Warned;
use super::{About, Options, Row};
use crate::{Problem, Source};
use serde_json::Value;
use stats::{Kind, Target};
use std::sync::Arc;

/// Rows of one source so far.
pub(super) struct Collect<'s> {
    pub source: &'s Source,
    pub options: Options,
    pub rows: Vec<Row>,
    pub problems: Vec<Problem>,
}

impl<'s> Collect<'s> {
    pub fn new(source: &'s Source, options: Options) -> Self {
        Self { source, options, rows: Vec::new(), problems: Vec::new() }
    }

    /// All rows of the source.
    pub fn source(&mut self) {
        let outcome = &self.source.outcome;
        if self.source.is_endurance() {
            return self.endurance(&outcome.data);
        }
        if let Some(run) = &outcome.run {
            self.fio_run(run);
        }
        match outcome.kind {
            Kind::FioRun if outcome.run.is_none() => self.problem("its run is missing"),
            Kind::FioRun => self.beside_the_run(&outcome.data),
            Kind::Method => self.method(&outcome.data),
            Kind::Reproduction => self.reproduction(&outcome.data),
            Kind::Comparison => self.comparison(&outcome.data),
            Kind::Fit => self.fit(&outcome.data),
        }
    }

    /// A row for each result, and one for each of its bounds.
    fn endurance(&mut self, data: &Value) {
        let warned = Warned::of(&self.source.outcome);
        let drive = self.source.endurance_drive();
        let mut about = self.about(Some(&drive), &Value::Null, &warned);
        about.kind = "endurance";
        about.origin = self.source.run_origin().word();
        let about = Arc::new(about);
        for (name, result) in data["results"].as_object().into_iter().flatten() {
            for (key, ending) in [("value", ""), ("low", ".low"), ("high", ".high")] {
                self.rows.push(Row {
                    about: about.clone(),
                    metric: format!("{name}{ending}").into(),
                    value: number_at(result, key),
                    unit: text_at(result, "unit").unwrap_or_default(),
                    ..Row::default()
                });
            }
        }
    }

    pub fn problem(&mut self, message: impl Into<String>) {
        let problem = Problem::new(self.source.name.as_str(), message);
        // Ten thousand broken numbers are one mistake.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The list at a key; one that is missing or something else is a problem.
    pub fn list<'v>(&mut self, value: &'v Value, key: &str) -> &'v [Value] {
        match value.get(key) {
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.problem(format!("`{key}` is not a list; its numbers are left out"));
                &[]
            }
            None => {
                self.problem(format!("`{key}` is missing"));
                &[]
            }
        }
    }

    /// What all rows of a target share; `result` is what was kept of it, `warned` what is to be
    /// kept in mind with it.
    pub fn about(&self, target: Option<&str>, result: &Value, warned: &Warned) -> About {
        let Source { name, outcome, hash, .. } = self.source;
        let known = target.and_then(|name| outcome.targets.iter().find(|t| t.name == name));
        let state = known.and_then(|target| brief(&target.state));
        let age = outcome.data.get("age").and_then(brief);
        let scale = known.map(|target| target.scale).filter(|_| self.source.tells_scale());
        About {
            source: name.clone(),
            hash: hash.clone(),
            version: Some(outcome.version.clone()).filter(|version| !version.is_empty()),
            kind: kind_name(outcome.kind),
            target: target.map(str::to_owned),
            state: match (state, age) {
                (Some(state), Some(age)) => Some(format!("{state}; age {age}")),
                (state, age) => state.or(age.map(|age| format!("age {age}"))),
            },
            origin: self.source.origin(target.unwrap_or_default(), result).word(),
            scale,
            seed: outcome.seed,
            run_warnings: warned.of_run(scale),
            ..About::default()
        }
    }

    /// The only target of the source.
    pub fn only_target(&self) -> Option<&'s Target> {
        match self.source.outcome.targets.as_slice() {
            [target] => Some(target),
            _ => None,
        }
    }

    /// A number as people's units have it, in the base unit.
    pub fn in_base(&self, value: Option<f64>, unit: &str) -> (Option<f64>, Arc<str>) {
        // Shares stay in percent where the review says so.
        match (self.options.to_base)(unit).filter(|_| unit != "%") {
            Some((factor, base)) => (value.map(|value| value * factor), base.into()),
            None => (value, unit.into()),
        }
    }
}

/// The word that a Record has for its kind.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::FioRun => "fio-run",
        Kind::Method => "method",
        Kind::Reproduction => "reproduction",
        Kind::Comparison => "comparison",
        Kind::Fit => "fit",
    }
}

/// A value in a cell: text as it is, objects as `name=value`, nothing for null.
pub(super) fn brief(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => {
            let pair = |(name, value): (&String, &Value)| {
                brief(value).map(|value| format!("{name}={value}"))
            };
            let pairs: Vec<String> = map.iter().filter_map(pair).collect();
            (!pairs.is_empty()).then(|| pairs.join("; "))
        }
        other => Some(other.to_string()),
    }
}

/// A text at a key.
pub(super) fn text_at(value: &Value, key: &str) -> Option<Arc<str>> {
    value.get(key)?.as_str().map(Arc::from)
}

/// A number at a key.
pub(super) fn number_at(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64()
}
