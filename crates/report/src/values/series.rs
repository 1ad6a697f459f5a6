//! Points over time as rows: every column of numbers that is as long as the times.

use super::collect::Collect;
use super::warned::{Subject, Warned};
use super::{About, Row};
use serde_json::Value;
use stats::Series;
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
    /// A curve: every column but the times, whatever columns there are.
    pub fn series(&mut self, series: &Series, about: &Arc<About>, warned: &Warned) {
        let Ok(Value::Object(columns)) = serde_json::to_value(series) else { return };
        let times = &series.time_s;
        let points = points(series);
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
                let (time, Some(value)) = (*time, value.as_f64()) else { continue };
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
fn points(series: &Series) -> Vec<Option<Arc<str>>> {
    let (name, phases) = (series.name.as_str(), &series.phases);
    let plain: Option<Arc<str>> = (!name.is_empty()).then(|| name.into());
    let mut made: Vec<Option<Arc<str>>> = vec![None; phases.len()];
    let mut at = 0;
    let point = |time: &f64| {
        while phases.get(at).is_some_and(|phase| phase.to_s < *time) {
            at += 1;
        }
        let Some(phase) = phases.get(at) else { return plain.clone() };
        let made = made[at].get_or_insert_with(|| match name {
            "" => format!("phase={}", phase.name).into(),
            name => format!("{name}; phase={}", phase.name).into(),
        });
        Some(made.clone())
    };
    series.time_s.iter().map(point).collect()
}
