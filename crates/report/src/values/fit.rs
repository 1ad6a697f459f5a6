//! Rows of a fit: measured figures before and after it, and the fitted values of the model.

use super::Row;
use super::collect::{Collect, number_at, text_at};
use super::warned::{Subject, Warned};
use serde_json::Value;
use std::sync::Arc;

/// Half width of a 95 % interval over the standard uncertainty.
const HALF_WIDTH: f64 = stats::percentile::NORMAL_975;

impl Collect<'_> {
    /// Figures as `before`, `fitted` and `from_the_others` (predicted without the figure itself),
    /// then parameters, then how well the whole fits.
    pub fn fit(&mut self, data: &Value) {
        let warned = Warned::of(&self.source.outcome);
        let model = text_at(data, "model");
        let about = Arc::new(self.about(model.as_deref(), data, &warned));
        for figure in self.list(data, "figures") {
            let (Some(metric), id) = (text_at(figure, "metric"), text_at(figure, "id")) else {
                self.problem("a figure of the fit has no `metric`; it is left out");
                continue;
            };
            let unit = text_at(figure, "unit").unwrap_or_default();
            for point in ["before", "fitted", "from_the_others"] {
                let Some(value) = number_at(figure, point) else { continue };
                self.rows.push(Row {
                    about: about.clone(),
                    figure: id.clone(),
                    point: Some(point.into()),
                    metric: metric.clone(),
                    value: Some(value),
                    unit: unit.clone(),
                    published: number_at(figure, "measured"),
                    basis: Some(if point == "fitted" { "fitted" } else { "predicted" }.into()),
                    warnings: warned.about(Subject { metric: &metric, ..Subject::default() }, &[]),
                    ..Row::default()
                });
            }
        }
        for parameter in self.list(data, "parameters") {
            let Some(key) = text_at(parameter, "key") else { continue };
            let unit = text_at(parameter, "unit").unwrap_or_default();
            let half = number_at(parameter, "uncertainty").map(|sigma| sigma * HALF_WIDTH);
            let at_bound = parameter.get("at_bound").filter(|at| at.as_bool() == Some(true));
            let more: Vec<String> =
                at_bound.map(|_| "ends at a bound of its range".to_owned()).into_iter().collect();
            for (point, half) in [("before", None), ("fitted", half)] {
                let Some(value) = number_at(parameter, point) else { continue };
                self.rows.push(Row {
                    about: about.clone(),
                    point: Some(point.into()),
                    metric: key.clone(),
                    value: Some(value),
                    unit: unit.clone(),
                    low95: half.map(|half| value - half),
                    high95: half.map(|half| value + half),
                    warnings: warned.about(Subject { metric: &key, ..Subject::default() }, &more),
                    ..Row::default()
                });
            }
        }
        for name in ["chi_square_before", "chi_square_fitted", "reduced_chi_square"] {
            let Some(value) = number_at(data, name) else { continue };
            self.rows.push(Row {
                about: about.clone(),
                metric: name.into(),
                value: Some(value),
                unit: "1".into(),
                ..Row::default()
            });
        }
    }
}
