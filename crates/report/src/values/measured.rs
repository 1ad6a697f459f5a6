//! Rows of measurements: the metrics of a target, its points and its series.

use super::collect::Collect;
use super::setting::{self, Settings};
use super::warned::{Subject, Warned, too_few};
use super::{About, Row};
use answer::Tested;
use answer::measured::{Measured, Number};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Collect<'_> {
    /// The result of a method on its targets.
    pub fn method(&mut self, tested: &Tested) {
        for target in &tested.targets {
            self.measured(target, Some(&tested.method), Some(&tested.params));
        }
    }

    /// One measurement; method and parameters stand in it where they are not given.
    pub fn measured(
        &mut self,
        measured: &Measured,
        method: Option<&String>,
        params: Option<&BTreeMap<String, String>>,
    ) {
        let mut own = measured.warnings.clone();
        if !measured.provenance.exact && !measured.provenance.about.is_empty() {
            own.push(format!("approximation: {}", measured.provenance.about));
        }
        let warned = Warned::of(self.source).with(own);
        let params = params.or(measured.params.as_ref());
        let pairs = || params.into_iter().flatten().map(|(k, v)| (k.as_str(), v.as_str()));
        let about = Arc::new(About {
            method: method.or(measured.method.as_ref()).cloned(),
            params: setting::brief(pairs()),
            settings: setting::params(pairs()),
            exact: measured.failed.is_none().then_some(measured.provenance.exact),
            ..self.about(Some(&measured.target), measured.origin, &warned)
        });
        self.metrics(&measured.metrics, &about, (None, None), &warned);
        for point in &measured.points {
            let at = || point.at.iter().map(|(name, value)| (name, value.as_str()));
            let named = setting::brief(at()).map(Arc::from);
            let settings = Some(Arc::new(setting::params(at())));
            self.metrics(&point.metrics, &about, (named.as_ref(), settings), &warned);
        }
        if self.options.series {
            for series in &measured.series {
                self.series(series, &about, &warned);
            }
        }
    }

    fn metrics(
        &mut self,
        metrics: &BTreeMap<String, Number>,
        about: &Arc<About>,
        (point, at): (Option<&Arc<str>>, Option<Arc<Settings>>),
        warned: &Warned,
    ) {
        for (name, number) in metrics {
            if !number.value.is_finite() {
                self.problem(format!("metric `{name}` has no number; it is left out"));
                continue;
            }
            let few = percent(name).zip(number.samples).and_then(|(p, n)| too_few(p, n));
            let mut more: Vec<String> = few.into_iter().collect();
            if number.unit.is_empty() {
                more.push("its unit is not told".to_owned());
            }
            let subject = Subject { metric: name, ..Subject::default() };
            self.rows.push(Row {
                about: about.clone(),
                point: point.cloned(),
                at: at.clone(),
                metric: name.as_str().into(),
                value: Some(number.value),
                unit: number.unit.as_str().into(),
                samples: number.samples,
                low95: number.interval95.map(|(low, _)| low),
                high95: number.interval95.map(|(_, high)| high),
                warnings: warned.about(subject, &more),
                ..Row::default()
            });
        }
    }
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
