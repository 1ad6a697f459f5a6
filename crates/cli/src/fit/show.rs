//! A fit as text and as an answer.

use super::figures::Row;
use super::free::Free;
use answer::Fitted;
use answer::fit::{Dropped, FitFigure, FitParameter};
use fit::{Axis, Ensemble, Fit, Prediction, REPEATS, Span};
use library::System;
use metric::{counted, plain, show_metric};
use report::{Column, Table};
use std::path::Path;

/// What is reported.
pub struct Report<'a> {
    pub model: &'a System,
    pub rows: &'a [Row],
    pub free: &'a Free,
    pub fit: &'a Fit,
}

/// Shares of the information below this are not shown as text.
const SHOWN: f64 = 0.1;

/// A value was fitted on the figures that hold at least this share of what is known of it: where
/// all of them together tell it from noise by ten, such a figure does by one.
const FIXES: f64 = 0.01;

/// Parameters that are correlated by more than this are reported.
const CORRELATED: f64 = 0.5;
/// The most that a model file says: with 1 there would be one value.
const MOST_CORRELATED: f64 = 0.99;

fn percent(fraction: f64) -> String {
    format!("{:+.1} %", fraction * 100.0)
}

/// An interval of a figure by the draws, in the unit of the figure.
fn span(fit: &Fit, of: impl Fn(&Ensemble) -> Option<Span>) -> Option<(f64, f64)> {
    let span = of(fit.ensemble.as_ref()?)?;
    Some((span.low, span.high))
}

impl Report<'_> {
    /// The source of a fitted value in the new file.
    pub fn source(&self, j: usize) -> String {
        let parameter = &self.fit.problem.parameters[j];
        let was = self.free.parameters.iter().position(|free| free.key == parameter.key);
        let was = was.map_or("", |k| self.free.sources[k].as_str());
        let sure = match self.uncertainty(j) {
            Some(sigma) => format!("standard uncertainty {sigma}"),
            None => "uncertainty unknown".to_owned(),
        };
        let start = &parameter.start;
        format!(
            "drivelab fit, {}, {sure}; before {} {} ({was})",
            counted(self.fixed_by(j).len(), "figure"),
            start.number,
            start.unit
        )
    }

    /// The least and the largest value that a fitted one may have, by its uncertainty.
    pub fn range(&self, j: usize) -> Option<(String, String)> {
        let parameter = &self.fit.problem.parameters[j];
        let (low, high) = parameter.range(self.fit.point[j], self.fit.sigma_of(j)?);
        let text = |value: f64| format!("{value} {}", parameter.start.unit);
        Some((text(low), text(high)))
    }

    /// The parameter before this one that it goes with most, if it goes with any, and how.
    pub fn partner(&self, j: usize) -> Option<(String, f64)> {
        let correlation = self.fit.correlation()?;
        let before = (0..j).map(|i| (i, correlation[i][j]));
        let (i, r) = before.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let known = self.range(i).is_some() && self.range(j).is_some();
        let r = r.clamp(-MOST_CORRELATED, MOST_CORRELATED);
        (known && r.abs() > CORRELATED).then(|| (self.fit.problem.parameters[i].key.clone(), r))
    }

    /// The figures that fix a parameter: those that move with it. All of them where the derivatives
    /// do not say.
    pub fn fixed_by(&self, j: usize) -> Vec<String> {
        let share = |i: usize| self.fit.certainty.as_ref().map(|sure| sure.information[j][i]);
        let moves = |i: &usize| share(*i).is_none_or(|share| share >= FIXES);
        let ids = (0..self.rows.len()).filter(moves);
        ids.map(|i| self.rows[i].figure.id.clone()).collect()
    }

    /// The uncertainty of a parameter's coordinate in the unit of the parameter.
    pub fn in_unit(&self, j: usize, sigma: f64) -> f64 {
        let parameter = &self.fit.problem.parameters[j];
        match parameter.axis() {
            Axis::Log => sigma * self.fit.point[j],
            Axis::Linear => sigma * (parameter.high - parameter.low),
        }
    }

    /// The same as text: two digits of an uncertainty are enough (JCGM 100, 7.2.6).
    pub fn uncertainty_text(&self, j: usize, sigma: f64) -> String {
        let rounded = format!("{:.1e}", self.in_unit(j, sigma)).parse::<f64>().unwrap_or_default();
        format!("{rounded} {}", self.fit.problem.parameters[j].start.unit)
    }

    /// The standard uncertainty of a value.
    fn uncertainty(&self, j: usize) -> Option<String> {
        Some(self.uncertainty_text(j, self.fit.sigma_of(j)?))
    }

    /// A value of a figure as it is shown.
    pub fn shown(&self, i: usize, value: f64) -> String {
        let figure = &self.rows[i].figure;
        match figure.relative_to.is_some() || figure.relative_params.is_some() {
            true => plain(value),
            false => show_metric(figure.metric.name(), figure.metric.dimension(), value),
        }
    }

    fn error(&self, i: usize, value: f64) -> f64 {
        value / self.fit.problem.figures[i].value - 1.0
    }

    /// All tables.
    pub fn as_text(&self) -> String {
        let mut text = format!("{}\n\n{}", self.model.slug, self.figures().to_text());
        text.push_str(&self.sums());
        text.push_str(&format!("\n{}", self.parameters().to_text()));
        text.push_str(&self.correlations());
        text.push_str(&self.information());
        if !self.fit.dropped.is_empty() {
            text.push_str("\nNot fitted\n");
        }
        for dropped in &self.fit.dropped {
            text.push_str(&format!("  {}: {}\n", dropped.key, dropped.why));
        }
        text
    }

    fn figures(&self) -> Table {
        let mut columns = vec![Column::left("Figure"), Column::left("Metric")];
        let titles =
            ["Measured", "Sigma", "Before", "Error", "Fitted", "Error", "From the others", "Error"];
        columns.extend(titles.map(Column::right));
        let mut table = Table::new(columns);
        for (i, row) in self.rows.iter().enumerate() {
            let show = |value: f64| self.shown(i, value);
            let (before, after) = (self.fit.before[i].value, self.fit.after[i].value);
            let (predicted, off) = match self.fit.predictions[i] {
                Prediction::Value(value) => (show(value), percent(self.error(i, value))),
                Prediction::Alone => ("-".to_owned(), "-".to_owned()),
            };
            table.row(vec![
                row.figure.id.clone(),
                row.figure.metric_text.clone(),
                show(row.figure.published()),
                format!("{:.1} %", self.fit.sigma[i] * 100.0),
                show(before),
                percent(self.error(i, before)),
                show(after),
                percent(self.error(i, after)),
                predicted,
                off,
            ]);
        }
        table
    }

    fn sums(&self) -> String {
        let fit = self.fit;
        let freedom = self.rows.len() - fit.point.len();
        let predicted: Vec<f64> = (0..self.rows.len())
            .filter_map(|i| match fit.predictions[i] {
                Prediction::Value(value) => Some(self.error(i, value).abs()),
                Prediction::Alone => None,
            })
            .collect();
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let of = |seen: &[fit::Seen]| {
            mean((0..seen.len()).map(|i| self.error(i, seen[i].value).abs()).collect())
        };
        let mut text = format!(
            "Mean error {:.1} % before, {:.1} % fitted",
            of(&fit.before) * 100.0,
            of(&fit.after) * 100.0
        );
        match predicted.len() {
            0 => text.push_str("; no figure can be predicted from the others\n"),
            count => text.push_str(&format!(
                ", {:.1} % where {count} of {} are predicted from the others\n",
                mean(predicted) * 100.0,
                self.rows.len()
            )),
        }
        text.push_str(&format!(
            "Sum of weighted squares {} before, {} fitted, {freedom} degrees of freedom; {} \
             iterations, {}\n",
            plain(fit.chi_square_before),
            plain(fit.chi_square_after),
            fit.iterations,
            self.ended()
        ));
        text.push_str(&format!(
            "Before and fitted are means of {REPEATS} runs with new seeds; \
             sigma holds the scatter of one\n"
        ));
        if fit.ended == fit::Ended::NotBetter {
            text.push_str(&self.stays());
        }
        text
    }

    /// Why no value was changed.
    fn stays(&self) -> String {
        let found = self.fit.problem.parameters.iter().zip(&self.fit.found);
        let found: Vec<String> = found
            .map(|(parameter, value)| format!("{} = {}", parameter.key, parameter.text(*value)))
            .collect();
        format!(
            "No value is changed: what the search found ({}) is not better than \
             the model as it is\nbeyond what the seeds scatter. \
             More work for each figure (--budget) scatters less\n",
            found.join(", ")
        )
    }

    fn ended(&self) -> &'static str {
        match self.fit.ended {
            fit::Ended::Converged => "converged",
            fit::Ended::Iterations => "not converged: give more --iterations",
            fit::Ended::AtStart => "the model as it is fits best",
            fit::Ended::NotBetter => "nothing better than the model as it is",
        }
    }

    fn parameters(&self) -> Table {
        let mut columns = vec![Column::left("Parameter")];
        let titles = ["Before", "Fitted", "Uncertainty", "Bounds"];
        columns.extend(titles.map(Column::right));
        columns.push(Column::left(""));
        let mut table = Table::new(columns);
        for (j, parameter) in self.fit.problem.parameters.iter().enumerate() {
            let unit = &parameter.start.unit;
            let remark = match parameter.at_bound(self.fit.point[j]) {
                true => "at a bound",
                false => "",
            };
            table.row(vec![
                parameter.key.clone(),
                format!("{} {unit}", parameter.start.number),
                parameter.text(self.fit.point[j]),
                self.uncertainty(j).unwrap_or_else(|| "unknown".to_owned()),
                format!("{} to {} {unit}", plain(parameter.low), plain(parameter.high)),
                remark.to_owned(),
            ]);
        }
        table
    }

    fn correlations(&self) -> String {
        let Some(sure) = &self.fit.certainty else { return String::new() };
        let mut text = String::new();
        let parameters = &self.fit.problem.parameters;
        for i in 0..parameters.len() {
            for j in 0..i {
                let correlation = sure.correlation[i][j];
                if correlation.abs() > CORRELATED {
                    let (one, other) = (&parameters[j].key, &parameters[i].key);
                    text.push_str(&format!("  {one} and {other}: {correlation:+.2}\n"));
                }
            }
        }
        match text.is_empty() {
            true => text,
            false => format!("\nCorrelated by more than {CORRELATED}\n{text}"),
        }
    }

    fn information(&self) -> String {
        let Some(sure) = &self.fit.certainty else { return String::new() };
        let mut text = "\nWhat the figures say of each parameter\n".to_owned();
        for (j, parameter) in self.fit.problem.parameters.iter().enumerate() {
            let mut shares: Vec<(usize, f64)> =
                sure.information[j].iter().copied().enumerate().collect();
            shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let named = shares.iter().filter(|(_, share)| *share >= SHOWN);
            let named: Vec<String> = named
                .map(|(i, share)| format!("{} {:.0} %", self.rows[*i].figure.id, share * 100.0))
                .collect();
            text.push_str(&format!("  {}: {}\n", parameter.key, named.join(", ")));
        }
        text
    }

    /// All numbers. Figures are in the base unit of their metric.
    pub fn answer(&self, output: &Path, measurements: usize) -> Fitted {
        let fit = self.fit;
        let dropped = fit.dropped.iter();
        Fitted {
            model: self.model.slug.clone(),
            output: output.display().to_string(),
            figures: (0..self.rows.len()).map(|i| self.figure(i)).collect(),
            parameters: (0..fit.problem.parameters.len()).map(|j| self.parameter(j)).collect(),
            not_fitted: dropped
                .map(|dropped| Dropped { key: dropped.key.clone(), why: dropped.why.clone() })
                .collect(),
            chi_square_before: Some(fit.chi_square_before),
            chi_square_fitted: Some(fit.chi_square_after),
            degrees_of_freedom: Some(self.rows.len() - fit.point.len()),
            reduced_chi_square: fit.certainty.as_ref().and_then(|sure| sure.reduced_chi_square),
            iterations: Some(fit.iterations),
            ended: fit.ended.name().to_owned(),
            repeats: Some(REPEATS),
            measurements: Some(measurements),
            draws: fit.ensemble.as_ref().map(|drawn| drawn.draws),
            effective_draws: fit.ensemble.as_ref().map(|drawn| drawn.effective),
            notes: Vec::new(),
        }
    }

    fn figure(&self, i: usize) -> FitFigure {
        let (fit, figure) = (self.fit, &self.rows[i].figure);
        let predicted = match fit.predictions[i] {
            Prediction::Value(value) => Some(value),
            Prediction::Alone => None,
        };
        let error = |value: f64| self.error(i, value);
        let (before, fitted) = (fit.before[i].value, fit.after[i].value);
        FitFigure {
            id: figure.id.clone(),
            metric: figure.metric_text.clone(),
            unit: figure.unit.dimension.base().to_owned(),
            measured: Some(fit.problem.figures[i].value),
            sigma: Some(fit.sigma[i]),
            before: Some(before),
            error_before: Some(error(before)),
            fitted: Some(fitted),
            error_fitted: Some(error(fitted)),
            from_the_others: predicted,
            error_from_the_others: predicted.map(error),
            leverage: fit.certainty.as_ref().map(|sure| sure.leverage[i]),
            interval90: span(fit, |drawn| drawn.figures[i]),
            expected90: span(fit, |drawn| drawn.from_others[i]),
        }
    }

    fn parameter(&self, j: usize) -> FitParameter {
        let fit = self.fit;
        let (sure, parameter) = (fit.certainty.as_ref(), &fit.problem.parameters[j]);
        let drawn = fit.ensemble.as_ref().filter(|drawn| drawn.is_known());
        let share = |sure: &fit::Certainty| {
            let ids = self.rows.iter().map(|row| row.figure.id.clone());
            ids.zip(sure.information[j].iter().copied()).collect()
        };
        FitParameter {
            key: parameter.key.clone(),
            unit: parameter.start.unit.clone(),
            before: Some(parameter.start.number),
            fitted: Some(fit.point[j]),
            found: Some(fit.found[j]),
            fixed_by: self.fixed_by(j),
            uncertainty: fit.sigma_of(j).map(|sigma| self.in_unit(j, sigma)),
            by_derivatives: sure.map(|sure| self.in_unit(j, sure.sigma[j])),
            by_draws: drawn.map(|drawn| self.in_unit(j, drawn.sigma[j])),
            low: Some(parameter.low),
            high: Some(parameter.high),
            bounds: Some(parameter.source.clone()),
            at_bound: parameter.at_bound(fit.point[j]),
            correlation: sure.map(|sure| sure.correlation[j].clone()),
            information: sure.map(share),
        }
    }
}
