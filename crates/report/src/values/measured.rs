//! Rows of measurements: the metrics of a target, its points and its series.

use super::collect::{Collect, brief, number_at, text_at};
use super::setting::{self, Settings};
use super::warned::{Subject, Warned, too_few};
use super::{About, Row};
use serde_json::Value;
use std::sync::Arc;

impl Collect<'_> {
    /// The result of a method on its targets.
    pub fn method(&mut self, data: &Value) {
        let method = text_at(data, "method");
        let params = data.get("params");
        for target in self.list(data, "targets") {
            self.measured(target, method.as_deref(), params);
        }
    }

    /// One measurement; method and parameters stand in it where `method` is `None`.
    pub fn measured(&mut self, value: &Value, method: Option<&str>, params: Option<&Value>) {
        let target = text_at(value, "target");
        let exact = value.pointer("/provenance/exact").and_then(Value::as_bool);
        let mut own = warnings_of(value);
        if exact == Some(false)
            && let Some(what) = value.pointer("/provenance/about").and_then(Value::as_str)
        {
            own.push(format!("approximation: {what}"));
        }
        let warned = Warned::of(&self.source.outcome).with(own);
        let mut about = self.about(target.as_deref(), value, &warned);
        about.method =
            method.map(str::to_owned).or(text_at(value, "method").map(|m| m.to_string()));
        let params = params.or_else(|| value.get("params"));
        about.params = params.and_then(brief);
        about.settings = setting::params(params);
        about.exact = exact;
        let about = Arc::new(about);
        self.metrics(value, &about, (None, None), &warned);
        for point in value.get("points").and_then(Value::as_array).into_iter().flatten() {
            let at = point.get("at");
            let named = at.and_then(brief).map(Arc::from);
            let settings = Some(Arc::new(setting::params(at)));
            self.metrics(point, &about, (named.as_ref(), settings), &warned);
        }
        if self.options.series {
            for series in value.get("series").and_then(Value::as_array).into_iter().flatten() {
                self.series(series, &about, &warned);
            }
        }
    }

    fn metrics(
        &mut self,
        holder: &Value,
        about: &Arc<About>,
        (point, at): (Option<&Arc<str>>, Option<Arc<Settings>>),
        warned: &Warned,
    ) {
        let Some(metrics) = holder.get("metrics").and_then(Value::as_object) else {
            self.problem("a measurement has no `metrics`");
            return;
        };
        for (name, metric) in metrics {
            let value = metric.as_f64().or_else(|| number_at(metric, "value"));
            if value.is_none() {
                self.problem(format!("metric `{name}` has no number; it is left out"));
                continue;
            }
            let samples = metric.get("samples").and_then(Value::as_u64);
            let few = percent(name).zip(samples).and_then(|(p, n)| too_few(p, n));
            let mut more: Vec<String> = few.into_iter().collect();
            let unit = text_at(metric, "unit");
            if unit.is_none() {
                more.push("its unit is not told".to_owned());
            }
            let end = |index: usize| metric.get("interval95")?.get(index)?.as_f64();
            let subject = Subject { metric: name, ..Subject::default() };
            self.rows.push(Row {
                about: about.clone(),
                point: point.cloned(),
                at: at.clone(),
                metric: name.as_str().into(),
                value,
                unit: unit.unwrap_or_default(),
                samples,
                low95: end(0),
                high95: end(1),
                warnings: warned.about(subject, &more),
                ..Row::default()
            });
        }
    }
}

/// The warnings of a measurement or a figure.
pub(super) fn warnings_of(value: &Value) -> Vec<String> {
    let list = value.get("warnings").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether it says that the method is an approximation.
pub(super) fn is_about_method(warning: &str) -> bool {
    warning.starts_with("approximation: ")
}

/// The percentile in `read_lat_p99.9`.
fn percent(metric: &str) -> Option<f64> {
    let (_, rest) = metric.rsplit_once("_p")?;
    rest.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
}
