//! Which warnings stand beside which number, and which with the whole run.

use crate::Source;
use answer::{Answer, Measured};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a number is, as far as a warning can be about it.
#[derive(Clone, Copy, Default)]
pub(super) struct Subject<'a> {
    pub job: Option<&'a str>,
    pub metric: &'a str,
}

/// Warnings of a source by what they are about.
#[derive(Clone)]
pub(super) struct Warned {
    /// About the whole run.
    run: Vec<String>,
    /// With the numbers of a job, a percentile (`p99.9`) or a metric.
    some: Vec<(String, String)>,
    /// Metrics of the result.
    metrics: BTreeSet<String>,
    /// Whether one of the warnings states the scale.
    scaled: bool,
}

impl Warned {
    /// The warnings of the source. One that names a job, a percentile or a metric is about these
    /// numbers; one that names something else (an option, a phase) about the run.
    pub fn of(source: &Source) -> Self {
        let outcome = &source.outcome;
        let is_job = |name: &str| {
            outcome.run.iter().flat_map(|run| &run.jobs).any(|job| job.jobname == name)
        };
        let metrics = metric_names(&source.answer);
        let mut warned = Self { run: Vec::new(), some: Vec::new(), metrics, scaled: false };
        for warning in &outcome.warnings {
            let concerns = warning.concerns.as_str();
            warned.scaled |= warning.code == "scaled";
            match is_job(concerns) || warned.is_number(concerns) {
                true => warned.some.push((concerns.to_owned(), warning.message.clone())),
                false => warned.run.push(warning.message.clone()),
            }
        }
        warned
    }

    /// The same with the warnings of one measurement. One that begins with the name of a metric or
    /// of a percentile is about these numbers, any other about the measurement as a whole.
    pub fn with(&self, own: impl IntoIterator<Item = String>) -> Self {
        let mut warned = self.clone();
        for warning in own {
            let first = warning.split(' ').next().unwrap_or_default();
            let name = first.trim_matches(|c: char| matches!(c, '`' | ':' | ','));
            match warned.is_number(name) {
                true => warned.some.push((name.to_owned(), warning)),
                false => {
                    warned.scaled |= is_about_scale(&warning);
                    warned.run.push(warning);
                }
            }
        }
        warned
    }

    /// Whether it names a percentile or a metric.
    fn is_number(&self, name: &str) -> bool {
        percentile(name) || self.metrics.contains(name)
    }

    /// What concerns the whole run, joined, each once; `scale` is added if no warning states it.
    pub fn of_run(&self, scale: Option<f64>) -> Option<Arc<str>> {
        let scale = scale.filter(|_| !self.scaled).and_then(scale_text);
        joined(self.run.iter().chain(&scale))
    }

    /// The warnings of a number, joined, with `more` behind them.
    pub fn about(&self, subject: Subject<'_>, more: &[String]) -> Option<Arc<str>> {
        let metric = subject.metric;
        // `p99` is about `read_lat_p99`, `iops_cv` about `load.iops_cv` and `iops_cv.difference`.
        let names = |about: &str| match metric.strip_suffix(about) {
            Some(rest) => rest.is_empty() || rest.ends_with(['_', '.']),
            None => metric.strip_suffix(".difference") == Some(about),
        };
        let concerned = |(about, _): &&(String, String)| subject.job == Some(about) || names(about);
        let some = self.some.iter().filter(concerned).map(|(_, message)| message);
        joined(some.chain(more))
    }
}

/// Texts in a cell, each once.
fn joined<'t>(texts: impl Iterator<Item = &'t String>) -> Option<Arc<str>> {
    let mut parts: Vec<&str> = Vec::new();
    for part in texts {
        if !parts.contains(&part.as_str()) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| parts.join("; ").into())
}

/// `p99.99`.
fn percentile(text: &str) -> bool {
    text.strip_prefix('p').is_some_and(|rest| rest.parse::<f64>().is_ok())
}

/// Whether it says that not the whole drive was simulated.
pub(super) fn is_about_scale(warning: &str) -> bool {
    warning.starts_with("simulated at 1/")
}

/// That not the whole drive was simulated.
fn scale_text(scale: f64) -> Option<String> {
    (scale > 0.0 && scale < 1.0)
        .then(|| format!("simulated at 1/{} of the capacity", metric::plain(1.0 / scale)))
}

/// Names of all metrics of a result.
fn metric_names(answer: &Answer) -> BTreeSet<String> {
    match answer {
        Answer::Tested(tested) => {
            tested.targets.iter().flat_map(Measured::metric_names).cloned().collect()
        }
        Answer::Comparison(comparison) => {
            comparison.rows.iter().map(|row| row.metric.clone()).collect()
        }
        Answer::Reproduction(result) => {
            let figures = result.figures.iter().map(|figure| figure.metric.clone());
            result.runs.iter().flat_map(Measured::metric_names).cloned().chain(figures).collect()
        }
        Answer::Fitted(fitted) => fitted.figures.iter().map(|f| f.metric.clone()).collect(),
        Answer::Twin(twin) => twin.tests.iter().map(|test| test.metric.clone()).collect(),
        Answer::Choice(_) | Answer::Sweep(_) | Answer::Blind(_) => BTreeSet::new(),
        Answer::Fleet(_) => BTreeSet::new(),
        Answer::Run(_) | Answer::Endurance(_) => BTreeSet::new(),
    }
}

/// The mark of a percentile that rests on too few samples.
pub(super) fn too_few(percent: f64, samples: u64) -> Option<String> {
    let beyond = stats::percentile::samples_for(percent)?;
    (!stats::enough_samples(percent, samples)).then(|| {
        format!("p{percent} rests on {samples} samples, and {beyond} are needed for one to trust")
    })
}
