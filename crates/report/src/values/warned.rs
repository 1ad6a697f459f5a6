//! Which warnings stand beside which number.

use super::collect::Collect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a number is, as far as a warning can be about it.
#[derive(Clone, Copy, Default)]
pub(super) struct Subject<'a> {
    pub job: Option<&'a str>,
    pub metric: &'a str,
}

/// Warnings of a source by what they are about.
pub(super) struct Warned {
    /// With every number.
    all: Vec<String>,
    /// With the numbers of a job, a percentile (`p99.9`) or a metric.
    some: Vec<(String, String)>,
}

impl Warned {
    /// The warnings of the source. One that names a job of `jobs`, a percentile or a metric is
    /// about these numbers; one that names something else (an option, a phase) about all.
    pub fn of(collect: &Collect<'_>, jobs: &[&str]) -> Self {
        let mut warned = Self { all: Vec::new(), some: Vec::new() };
        let outcome = &collect.source.outcome;
        let metrics = metric_names(&outcome.data);
        let mut scaled = false;
        for warning in &outcome.warnings {
            let concerns = warning.concerns.as_str();
            scaled |= warning.code == "scaled";
            let narrow =
                jobs.contains(&concerns) || percentile(concerns) || metrics.contains(concerns);
            match narrow {
                true => warned.some.push((concerns.to_owned(), warning.message.clone())),
                false => warned.all.push(warning.message.clone()),
            }
        }
        if !scaled
            && let Some(text) = collect
                .only_target()
                .filter(|_| collect.source.tells_scale())
                .and_then(|t| scale_text(t.scale))
        {
            warned.all.push(text);
        }
        warned
    }

    /// The warnings of a number, joined, with `more` behind them.
    pub fn about(&self, subject: Subject<'_>, more: &[String]) -> Option<Arc<str>> {
        let metric = subject.metric;
        let concerned = |(about, _): &&(String, String)| {
            subject.job == Some(about)
                || metric == about
                || metric.strip_suffix(about.as_str()).is_some_and(|rest| rest.ends_with('_'))
        };
        let some = self.some.iter().filter(concerned).map(|(_, message)| message);
        let mut parts: Vec<&str> = Vec::new();
        for part in self.all.iter().chain(some).chain(more) {
            if !parts.contains(&part.as_str()) {
                parts.push(part);
            }
        }
        (!parts.is_empty()).then(|| parts.join("; ").into())
    }
}

/// `p99.99`.
fn percentile(text: &str) -> bool {
    text.strip_prefix('p').is_some_and(|rest| rest.parse::<f64>().is_ok())
}

/// That not the whole drive was simulated.
pub(super) fn scale_text(scale: f64) -> Option<String> {
    (scale > 0.0 && scale < 1.0)
        .then(|| format!("simulated at 1/{} of the capacity", crate::plain(1.0 / scale)))
}

/// Names of all metrics of a result.
fn metric_names(data: &Value) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for key in ["targets", "runs"] {
        for target in data.get(key).and_then(Value::as_array).into_iter().flatten() {
            let points = target.get("points").and_then(Value::as_array).into_iter().flatten();
            for at in std::iter::once(target).chain(points) {
                let metrics = at.get("metrics").and_then(Value::as_object);
                names.extend(metrics.into_iter().flatten().map(|(name, _)| name.as_str()));
            }
        }
    }
    names
}

/// What a percentile that rests on too few samples is told with.
pub(super) fn too_few(percent: f64, samples: u64) -> Option<String> {
    let beyond = stats::percentile::samples_for(percent)?;
    (!stats::enough_samples(percent, samples)).then(|| {
        format!("p{percent} rests on {samples} samples, and {beyond} are needed for one to trust")
    })
}
