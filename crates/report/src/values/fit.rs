//! Rows of a fit: measured figures before and after it, and the fitted values of the model.

use super::Row;
use super::collect::Collect;
use super::warned::{Subject, Warned};
use answer::Fitted;
use std::sync::Arc;

/// Half width of a 95 % interval over the standard uncertainty.
const HALF_WIDTH: f64 = stats::percentile::NORMAL_975;

impl Collect<'_> {
    /// Figures as `before`, `fitted` and `from_the_others` (predicted without the figure itself),
    /// then parameters, then how well the whole fits.
    pub fn fit(&mut self, fit: &Fitted) {
        let warned = Warned::of(self.source);
        let about = Arc::new(self.about(Some(&fit.model), None, &warned));
        for figure in &fit.figures {
            let points = [
                ("before", figure.before, "predicted"),
                ("fitted", figure.fitted, "fitted"),
                ("from_the_others", figure.from_the_others, "predicted"),
            ];
            for (point, value, basis) in points.into_iter().filter(|(_, value, _)| value.is_some())
            {
                let subject = Subject { metric: &figure.metric, ..Subject::default() };
                self.rows.push(Row {
                    about: about.clone(),
                    figure: Some(figure.id.as_str().into()),
                    point: Some(point.into()),
                    metric: figure.metric.as_str().into(),
                    value,
                    unit: figure.unit.as_str().into(),
                    published: figure.measured,
                    basis: Some(basis.into()),
                    warnings: warned.about(subject, &[]),
                    ..Row::default()
                });
            }
        }
        for parameter in &fit.parameters {
            let half = parameter.uncertainty.map(|sigma| sigma * HALF_WIDTH);
            let at_bound = parameter.at_bound.then(|| "ends at a bound of its range".to_owned());
            let more: Vec<String> = at_bound.into_iter().collect();
            let points = [("before", parameter.before, None), ("fitted", parameter.fitted, half)];
            for (point, value, half) in points {
                let Some(value) = value else { continue };
                let subject = Subject { metric: &parameter.key, ..Subject::default() };
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(point.into()),
                    metric: parameter.key.as_str().into(),
                    value: Some(value),
                    unit: parameter.unit.as_str().into(),
                    low95: half.map(|half| value - half),
                    high95: half.map(|half| value + half),
                    warnings: warned.about(subject, &more),
                    ..Row::default()
                });
            }
        }
        let whole = [
            ("chi_square_before", fit.chi_square_before),
            ("chi_square_fitted", fit.chi_square_fitted),
            ("reduced_chi_square", fit.reduced_chi_square),
        ];
        for (name, value) in whole.into_iter().filter(|(_, value)| value.is_some()) {
            self.rows.push(Row {
                about: about.clone(),
                metric: name.into(),
                value,
                unit: "1".into(),
                ..Row::default()
            });
        }
    }
}
