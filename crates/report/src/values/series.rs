//! Points over time as rows: every column of numbers that is as long as the times.

use super::collect::{Collect, number_at, text_at};
use super::warned::{Subject, Warned};
use super::{About, Row};
use serde_json::Value;
use std::sync::Arc;

/// Endings of the names of columns, with the unit they tell; the first that fits counts.
const UNITS: &[(&str, &str)] = &[
    ("bytes_per_s", "B/s"),
    ("iops", "1/s"),
    ("_bytes", "B"),
    ("celsius", "C"),
    ("watts", "W"),
    ("_s", "s"),
    ("write_amplification", "1"),
    ("collecting", "1"),
    ("mapped", "1"),
];

impl Collect<'_> {
    /// A series of a measurement: an object of columns, one of which is `time_s`.
    pub fn series(&mut self, series: &Value, about: &Arc<About>, warned: &Warned) {
        let name = text_at(series, "name");
        let Some(columns) = series.as_object() else {
            self.problem("a series is not an object of columns");
            return;
        };
        let Some(times) = columns.get("time_s").and_then(Value::as_array) else {
            self.problem("a series has no `time_s`; it is left out");
            return;
        };
        let points = points(name.as_deref().unwrap_or_default(), series, times);
        for (column, values) in columns.iter().filter(|(column, _)| *column != "time_s") {
            let numbers = |values: &&Vec<Value>| {
                !values.is_empty() && values.iter().all(|v| v.is_number() || v.is_null())
            };
            // Names of phases are no values.
            let Some(values) = values.as_array().filter(numbers) else { continue };
            if values.len() != times.len() {
                let (have, wanted) = (values.len(), times.len());
                let text = format!("`{column}` of a series has {have} values for {wanted} times");
                self.problem(text + "; it is left out");
                continue;
            }
            let metric: Arc<str> = column.as_str().into();
            let unit = UNITS.iter().find(|(ending, _)| column.ends_with(ending));
            let unit: Arc<str> = unit.map_or("", |(_, unit)| unit).into();
            let warnings = warned.about(Subject { metric: column, ..Subject::default() }, &[]);
            for ((time, value), point) in times.iter().zip(values).zip(&points) {
                let (Some(time), Some(value)) = (time.as_f64(), value.as_f64()) else { continue };
                self.rows.push(Row {
                    about: about.clone(),
                    point: point.clone(),
                    time_s: Some(time),
                    metric: metric.clone(),
                    value: Some(value),
                    unit: unit.clone(),
                    warnings: warnings.clone(),
                    ..Row::default()
                });
            }
        }
    }
}

/// What distinguishes the points of a series: its name, and the phase of each.
fn points(name: &str, series: &Value, times: &[Value]) -> Vec<Option<Arc<str>>> {
    let phases = series.get("phases").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let plain: Option<Arc<str>> = (!name.is_empty()).then(|| name.into());
    let mut made: Vec<Option<Arc<str>>> = vec![None; phases.len()];
    let mut at = 0;
    let point = |time: &Value| {
        let time = time.as_f64().unwrap_or(0.0);
        let ends = |phase: &Value| number_at(phase, "to_s").unwrap_or(f64::INFINITY);
        while phases.get(at).is_some_and(|phase| ends(phase) < time) {
            at += 1;
        }
        let Some(phase) = phases.get(at).and_then(|phase| text_at(phase, "name")) else {
            return plain.clone();
        };
        let made = made[at].get_or_insert_with(|| match name {
            "" => format!("phase={phase}").into(),
            name => format!("{name}; phase={phase}").into(),
        });
        Some(made.clone())
    };
    times.iter().map(point).collect()
}
