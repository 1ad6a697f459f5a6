//! The value of one metric of one run, measured or read from the model.

use super::bench::Bench;
use super::plan::{Plan, Results};
use lab::Run;
use metric::Metric;
use metric::{MeasureError, MetricValue, Provenance};

/// Where values come from once the runs are made.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) plan: &'a Plan,
    pub(super) results: &'a Results,
    pub(super) bench: &'a dyn Bench,
}

/// A value, and what a reader must know of it.
pub(super) struct Known {
    pub(super) value: MetricValue,
    pub(super) warnings: Vec<String>,
}

impl Known {
    /// How well its run knows it: half the width of the 95 % interval, 0 without one.
    pub(super) fn half_width(&self) -> f64 {
        self.value.interval95.map_or(0.0, |(low, high)| (high - low).abs() / 2.0)
    }
}

impl Values<'_> {
    pub(super) fn of(&self, run: &Run, metric: &Metric) -> Result<Known, MeasureError> {
        if run.is_fact() {
            return self.fact(run, metric);
        }
        if let Some(value) = metric.stated(&run.params) {
            return Ok(Known { value: MetricValue::exact(value), warnings: Vec::new() });
        }
        if metric.is_carried() && self.plan.bar(run).is_none() {
            let why = format!("no method measures `{metric}` yet");
            return Err(MeasureError::NotModelled(why));
        }
        let measurement = self.plan.outcome(self.results, run)?;
        let value = *measurement.metrics.get(metric.name()).ok_or_else(|| {
            let method = &run.method;
            MeasureError::NotModelled(match lab::find(method) {
                Ok(known) if known.gives(metric.name()) => {
                    format!("this run of method `{method}` gave no `{metric}`")
                }
                _ => format!("method `{method}` does not measure `{metric}`"),
            })
        })?;
        if !value.value.is_finite() {
            return Err(MeasureError::Failed(format!("`{metric}` came out as no number")));
        }
        let mut warnings = measurement.warnings.clone();
        if let Provenance::Approximation(what) = &measurement.method_provenance {
            warnings.push(format!("approximation: {what}"));
        }
        warnings.extend(thin_tail(metric, value));
        Ok(Known { value, warnings })
    }

    fn fact(&self, run: &Run, metric: &Metric) -> Result<Known, MeasureError> {
        if let Some(why) = self.plan.bar(run) {
            return Err(why.clone());
        }
        let fact = |name: &str| {
            self.bench.fact(&run.target, name).ok_or_else(|| {
                let target = &run.target;
                MeasureError::NotModelled(format!("the model `{target}` states no `{name}`"))
            })
        };
        let given_up = run.params.give_up();
        let value = match metric.name() {
            // Giving capacity up is arithmetic on the capacity and needs no run.
            "capacity" => fact("capacity")? * (1.0 - given_up),
            "size" if given_up > 0.0 => fact("capacity")? * given_up,
            name => fact(name)?,
        };
        Ok(Known { value: MetricValue::exact(value), warnings: Vec::new() })
    }
}

fn thin_tail(metric: &Metric, value: MetricValue) -> Option<String> {
    let (percent, samples) = (metric.percent()?, value.samples?);
    let needed = stats::percentile::samples_for(percent)?;
    let text = || format!("{metric} rests on {samples} samples; it takes {needed}");
    (!stats::enough_samples(percent, samples)).then(text)
}
