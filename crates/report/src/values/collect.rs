//! Walking through a source and gathering its rows.

use super::warned::Warned;
use super::{About, Options, Row};
use crate::{Problem, Source};
use answer::{Answer, Endurance, Origin};
use serde_json::Value;
use stats::Target;
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
        let source = self.source;
        let run = source.outcome.run.as_ref();
        match &source.answer {
            Answer::Run(_) if run.is_none() => self.problem("its run is missing"),
            Answer::Run(answer) => {
                run.into_iter().for_each(|run| self.fio_run(run));
                self.beside_the_run(answer);
            }
            Answer::Tested(tested) => self.method(tested),
            Answer::Reproduction(reproduction) => self.reproduction(reproduction),
            Answer::Comparison(comparison) => self.comparison(comparison),
            Answer::Fitted(fitted) => self.fit(fitted),
            Answer::Endurance(endurance) => self.endurance(endurance),
            Answer::Choice(choice) => self.choice(choice),
            Answer::Fleet(fleet) => self.fleet(fleet),
            Answer::Sweep(sweep) => self.sweep(sweep),
            Answer::Twin(twin) => self.twin(twin),
            Answer::Blind(blind) => self.blind(blind),
        }
    }

    /// A row for each result, and one for each of its bounds.
    fn endurance(&mut self, endurance: &Endurance) {
        let warned = Warned::of(self.source);
        let origin = Some(endurance.origin());
        let about = Arc::new(self.about(Some(&endurance.name()), origin, &warned));
        for (name, result) in endurance.results.iter() {
            let ends = [(result.value, ""), (result.low, ".low"), (result.high, ".high")];
            for (value, ending) in ends {
                self.rows.push(Row {
                    about: about.clone(),
                    metric: format!("{name}{ending}").into(),
                    value,
                    unit: result.unit.as_str().into(),
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

    /// What all rows of a target share; `said` is what the result says of its origin, `warned`
    /// what is to be kept in mind with it.
    pub fn about(&self, target: Option<&str>, said: Option<Origin>, warned: &Warned) -> About {
        let Source { name, outcome, hash, answer, .. } = self.source;
        let known = target.and_then(|name| outcome.targets.iter().find(|t| t.name == name));
        let state = known.and_then(|target| brief(&target.state));
        let scale = known.map(|target| target.scale).filter(|_| self.source.tells_scale());
        About {
            source: name.clone(),
            hash: hash.clone(),
            version: Some(outcome.version.clone()).filter(|version| !version.is_empty()),
            kind: kind_name(answer),
            target: target.map(str::to_owned),
            state: match (state, age(answer)) {
                (Some(state), Some(age)) => Some(format!("{state}; age {age}")),
                (state, age) => state.or(age.map(|age| format!("age {age}"))),
            },
            origin: self.source.origin(target.unwrap_or_default(), said).word(),
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

/// The word for what a source holds.
fn kind_name(answer: &Answer) -> &'static str {
    match answer {
        Answer::Run(_) => "fio-run",
        Answer::Tested(_) => "method",
        Answer::Reproduction(_) => "reproduction",
        Answer::Comparison(_) => "comparison",
        Answer::Fitted(_) => "fit",
        Answer::Endurance(_) => "endurance",
        Answer::Choice(_) => "choice",
        Answer::Fleet(_) => "fleet",
        Answer::Sweep(_) => "sweep",
        Answer::Twin(_) => "twin",
        Answer::Blind(_) => "twin-blind",
    }
}

/// What the drives had been through before, in a cell.
fn age(answer: &Answer) -> Option<String> {
    let age = match answer {
        Answer::Run(run) => run.aged.map(|aged| aged.age),
        Answer::Tested(tested) => tested.age,
        _ => None,
    };
    brief(&serde_json::to_value(age?).ok()?)
}

/// A value in a cell: text as it is, objects as `name=value`, nothing for null.
fn brief(value: &Value) -> Option<String> {
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
