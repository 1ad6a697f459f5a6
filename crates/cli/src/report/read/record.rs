//! Records, and what drivelab prints without one.

use super::warn;
use ::report::source::code;
use ::report::{Problem, Source};
use answer::{Answer, Measured};
use metric::Metric;
use serde_json::Value;
use stats::{Cost, Kind, Outcome, Record, RecordError, Warning};
use std::collections::BTreeSet;
use std::path::Path;

/// A JSON with a schema: a Record, whole or edited.
pub fn proven(name: &str, text: &str, value: &Value) -> Result<(Source, Vec<Problem>), String> {
    let path = Path::new(name);
    let source = match Record::from_json(text.trim(), path) {
        Ok(record) => Source::of_record(name, record).map_err(|error| error.to_string())?,
        Err(error @ RecordError::WrongHash { .. }) => {
            let mut source = edited(name, value)?;
            let said = without_name(&error.to_string(), name);
            let message = format!("do not rely on these numbers: {said} after it was saved");
            warn(&mut source.outcome, code::EDITED, message);
            source
        }
        Err(error @ RecordError::OtherSchema { .. }) => {
            let said = without_name(&error.to_string(), name);
            return Err(format!("{said}; make it again, or use the drivelab that wrote it"));
        }
        Err(error) => return Err(without_name(&error.to_string(), name)),
    };
    Ok((source, Vec::new()))
}

/// A Record whose numbers are not the ones that were saved: they are shown, and nothing proves
/// them.
fn edited(name: &str, value: &Value) -> Result<Source, String> {
    let outcome: Outcome = serde_json::from_value(value["result"].clone())
        .map_err(|error| format!("this is no Record: {error}"))?;
    let cost: Cost = serde_json::from_value(value["cost"].clone()).unwrap_or_default();
    Ok(Source { cost, ..of_outcome(name, outcome)? })
}

/// An error that begins with the name of the file, without it.
fn without_name(message: &str, name: &str) -> String {
    message.strip_prefix(&format!("{name}: ")).unwrap_or(message).to_owned()
}

/// What `--json` prints.
pub fn unproven(name: &str, value: &Value) -> Result<Source, String> {
    let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
    let kind = if has(&["figures", "claims", "summary"]) {
        Kind::Reproduction
    } else if has(&["method", "targets"]) {
        Kind::Method
    } else if has(&["baseline", "targets", "rows"]) {
        Kind::Comparison
    } else if has(&["model", "figures", "parameters"]) {
        Kind::Fit
    } else {
        return Err("this JSON is neither a Record (it has no `schema`), nor of fio (it has no \
                    `fio version`), nor what drivelab prints with --json"
            .to_owned());
    };
    let mut outcome = Outcome { kind, data: value.clone(), ..Outcome::default() };
    let message = "this is no Record: version, seed, state and scale are not told, and nothing \
                   proves the numbers; --record FILE keeps all that";
    warn(&mut outcome, code::UNPROVEN, message);
    of_outcome(name, outcome)
}

/// What `endurance --json` prints.
pub fn own(name: &str, value: &Value) -> Result<Source, String> {
    of_outcome(name, Outcome { data: value.clone(), ..Outcome::default() })
}

fn of_outcome(name: &str, outcome: Outcome) -> Result<Source, String> {
    Source::of_outcome(name, outcome).map_err(|error| error.to_string())
}

/// Metrics that this version does not know are shown as they are, and it is said.
pub fn unknown_metrics(source: &mut Source) {
    let measured = match &source.answer {
        Answer::Tested(tested) => &tested.targets,
        Answer::Reproduction(reproduction) => &reproduction.runs,
        _ => return,
    };
    let names: BTreeSet<&String> = measured.iter().flat_map(Measured::metric_names).collect();
    let unknown = names.into_iter().filter(|name| !is_known(name)).cloned();
    source.outcome.warnings.extend(unknown.map(|name| Warning {
        code: code::UNKNOWN_METRIC.to_owned(),
        message: format!("metric `{name}` is unknown to this version; it is shown as it is"),
        concerns: name,
    }));
}

/// Whether it is a metric, or one of a named measurement: `MEASUREMENT.METRIC`.
fn is_known(name: &str) -> bool {
    let metric = |name: &str| Metric::parse(name).is_ok();
    metric(name) || name.match_indices('.').any(|(dot, _)| metric(&name[dot + 1..]))
}
