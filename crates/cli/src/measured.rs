//! A measurement as JSON: in the answer of `test`, in that of `reproduce` and in Records.

use metric::{Dimension, Measurement, Metric, MetricValue, Provenance, tail};
use report::Origin;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What was measured on a target; `real` if it is a file or device that exists.
pub fn as_json(target: &str, real: bool, measurement: &Measurement) -> Value {
    let points: Vec<Value> = measurement
        .points
        .iter()
        .map(|point| {
            let at: Map<String, Value> =
                point.at.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({ "at": at, "metrics": metrics_json(&point.metrics) })
        })
        .collect();
    let (exact, provenance) = match &measurement.method_provenance {
        Provenance::Exact(source) => (true, source),
        Provenance::Approximation(what) => (false, what),
    };
    json!({
        "target": target,
        "origin": Origin::of_real(real).word(),
        "metrics": metrics_json(&measurement.metrics),
        "points": points,
        "series": measurement.series,
        "histograms": measurement.histograms,
        "limited_by": measurement.limits,
        "warnings": measurement.warnings,
        "provenance": { "exact": exact, "about": provenance },
    })
}

/// What limited the runs of a measurement, in words: of points that the same thing limits one after
/// the other, the first and the last are named with the values of the last.
pub fn limited_by(measurement: &Measurement) -> Vec<String> {
    let several = measurement.limits.len() > 1;
    let line = |(part, limit): (String, &stats::Limit)| match several {
        false => limit.to_string(),
        true => format!("{limit} in {part}"),
    };
    stats::stretches(&measurement.limits).map(line).collect()
}

/// The headings of a table with a column a target, each with whether it is real: where some are
/// real and others are models, each heading says which it is.
pub fn headings<'t>(targets: impl IntoIterator<Item = (&'t str, bool)>) -> Vec<String> {
    let named = targets.into_iter().map(|(name, real)| (name.to_owned(), Origin::of_real(real)));
    report::origin::apart(&named.collect::<Vec<_>>())
}

fn metrics_json(metrics: &BTreeMap<String, MetricValue>) -> Map<String, Value> {
    metrics
        .iter()
        .map(|(name, metric)| {
            let unit = dimension(tail(name)).base();
            let value = json!({
                "value": metric.value,
                "unit": unit,
                "samples": metric.samples,
                "interval95": metric.interval95.map(|(low, high)| [low, high]),
            });
            (name.clone(), value)
        })
        .collect()
}

/// What the metric of this name measures.
pub fn dimension(name: &str) -> Dimension {
    Metric::parse(name).map_or(Dimension::Number, |(metric, _)| metric.dimension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_and_modelled_columns_say_what_they_are() {
        assert_eq!(
            headings([("p4510-8tb", false), ("sn850-1tb", false)]),
            ["p4510-8tb", "sn850-1tb"]
        );
        let both = headings([("./f.img", true), ("sn850-1tb", false), ("./mine.toml", false)]);
        assert_eq!(both, ["./f.img (measured)", "sn850-1tb (modelled)", "./mine.toml (modelled)"]);
    }
}
