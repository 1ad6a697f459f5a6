//! Points over time as rows: every column of numbers that is as long as the times.

use super::collect::{Collect, text_at};
use super::warned::{Subject, Warned};
use super::{About, Row};
use serde_json::Value;
use std::sync::Arc;

/// Endings of the names of columns, with the unit they tell. The longest stand first.
const UNITS: &[(&str, &str)] = &[
    ("bytes_per_s", "B/s"),
    ("bandwidth", "B/s"),
    ("iops", "1/s"),
    ("bytes", "B"),
    ("celsius", "C"),
    ("temperature", "C"),
    ("power_w", "W"),
    ("_w", "W"),
    ("_s", "s"),
    ("latency", "s"),
    ("share", "1"),
    ("level", "1"),
    ("fill", "1"),
    ("collecting", "1"),
    ("slc", "1"),
    ("watts", "W"),
    ("mapped", "1"),
    ("amplification", "1"),
];

impl Collect<'_> {
    /// A series of a measurement: an object of columns, one of which is `time_s`.
    pub fn series(&mut self, series: &Value, about: &Arc<About>, warned: &Warned, own: &[String]) {
        let name = text_at(series, "name");
        let Some(columns) = series.as_object() else {
            self.problem("a series is not an object of columns");
            return;
        };
        let Some(times) = columns.get("time_s").and_then(Value::as_array) else {
            self.problem("a series has no `time_s`; it is left out");
            return;
        };
        // Phases are words over stretches, no values.
        let values = |(column, _): &(&String, &Value)| *column != "time_s" && *column != "phases";
        for (column, values) in columns.iter().filter(values) {
            let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
                continue;
            };
            if values.len() != times.len() {
                let (have, wanted) = (values.len(), times.len());
                let text = format!("`{column}` of a series has {have} values for {wanted} times");
                self.problem(text + "; it is left out");
                continue;
            }
            let metric: Arc<str> = column.as_str().into();
            let unit = UNITS.iter().find(|(ending, _)| column.ends_with(ending));
            let unit: Arc<str> = unit.map_or("", |(_, unit)| unit).into();
            let warnings = warned.about(Subject { metric: column, ..Subject::default() }, own);
            for (time, value) in times.iter().zip(values) {
                let (Some(time), Some(value)) = (time.as_f64(), value.as_f64()) else { continue };
                self.rows.push(Row {
                    about: about.clone(),
                    point: name.clone(),
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
