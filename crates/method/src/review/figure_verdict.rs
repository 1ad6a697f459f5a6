//! One figure after its runs: published against simulated.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bench::{MeasureError, MetricValue};
use super::figure::{Basis, Figure};
use super::labels::Carrier;
use super::metric::Bound;
use super::subject::{Run, Subject};
use super::value::{Known, Values};
use super::verdict::{FITTED_WITHIN, Verdict, far_from_bound, ratio};

/// One figure of the result. The order of the fields is the order in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureResult {
    /// Name of the figure.
    pub id: String,
    /// The drive: a slug or a path, or the published name if none is modelled.
    pub target: String,
    /// The method.
    pub method: String,
    /// The metric as written.
    pub metric: String,
    /// Unit of `published` and `simulated`.
    pub unit: String,
    /// The published number.
    pub published: f64,
    /// The number of the model; `null` if there is none.
    pub simulated: Option<f64>,
    /// Simulated over published.
    pub ratio: Option<f64>,
    /// How the model relates to the number.
    pub basis: Basis,
    /// `min` or `max` if the number is a limit.
    pub bound: Option<Bound>,
    /// What became of it.
    pub verdict: Verdict,
    /// What a reader must know.
    pub warnings: Vec<String>,
    /// The method's parameters, completed with the defaults.
    pub params: BTreeMap<String, String>,
    /// Parameters of the model that were chosen with it.
    pub fitted_parameters: Vec<String>,
    /// The value of the model that carries it, if it is an input for that.
    pub carried_by: Option<Carrier>,
    /// Why it has this basis, or why it misses.
    pub why: Option<String>,
    /// The review.
    pub review: String,
}

impl FigureResult {
    pub(super) fn of(figure: &Figure, values: Values<'_>) -> Self {
        let mut result = blank(figure);
        if figure.basis == Basis::NotModelled {
            if let Subject::NotModelled(why) = &figure.subject {
                result.explain(why);
            }
            return result;
        }
        result.note_fit(figure, values);
        let known = match simulated(figure, values) {
            Ok(known) => known,
            Err(MeasureError::Failed(why)) => {
                result.verdict = Verdict::NotRun;
                result.warnings.push(why);
                return result;
            }
            Err(why) => {
                result.basis = Basis::NotModelled;
                result.warnings.push(why.to_string());
                return result;
            }
        };
        let value = figure.unit.from_base(known.value.value) - figure.beside;
        result.simulated = Some(value);
        result.ratio = ratio(figure.value, value);
        result.warnings.extend(known.warnings);
        result.verdict = Verdict::of(result.basis, figure.bound, figure.value, value, room(figure));
        if let Some(bound) = figure.bound {
            result.warnings.extend(far_from_bound(bound, figure.value, value));
        }
        result.remark(figure, known.value);
        result
    }

    fn explain(&mut self, why: &str) {
        if self.why.is_none() {
            self.why = Some(why.to_owned());
        }
    }

    /// What was derived is believed over a row that calls itself predicted.
    fn note_fit(&mut self, figure: &Figure, values: Values<'_>) {
        if self.basis != Basis::Predicted {
            return;
        }
        let label = values.plan.rows.labels.of_predicted(figure, values.bench);
        self.basis = label.basis;
        self.carried_by = label.carried_by;
        self.warnings.extend(label.remarks);
    }

    fn remark(&mut self, figure: &Figure, value: MetricValue) {
        if !matches!(self.verdict, Verdict::Miss | Verdict::Failed | Verdict::Differs) {
            return;
        }
        // The interval of a quotient is not that of its first side.
        let interval = value
            .interval95
            .filter(|_| figure.relative_to.is_none() && figure.relative_params.is_none());
        if interval.is_some_and(|(low, high)| (low..=high).contains(&figure.published())) {
            let within = "the published value lies within the run's 95 % interval";
            self.warnings.push(format!("{within}: a longer run may decide"));
        }
        if self.why.is_none() {
            self.warnings.push("no explanation is recorded for this figure".to_owned());
        }
    }
}

/// How far an input may be from the published number: half of its last digit, but a run comes only
/// so near to the value that carries its figure.
fn room(figure: &Figure) -> f64 {
    match figure.subject.runs().iter().all(Run::is_fact) {
        true => figure.rounding,
        false => figure.rounding.max(FITTED_WITHIN * figure.value.abs()),
    }
}

fn blank(figure: &Figure) -> FigureResult {
    let (target, method) = match &figure.subject {
        Subject::Runs { target, method, .. } => (target.name.clone(), method.name.clone()),
        Subject::NotModelled(_) => (figure.device.clone(), String::new()),
    };
    let params = figure.subject.runs().first().map(|run| &run.params);
    // The corners of a row about all of them differ in most parameters: only what is common holds.
    let common = |name: &str, text: &str| {
        let same = |run: &Run| run.params.get(name).is_some_and(|v| v.to_string() == text);
        figure.subject.runs().iter().all(same)
    };
    FigureResult {
        id: figure.id.clone(),
        target,
        method,
        metric: figure.metric_text.clone(),
        unit: figure.unit.symbol.to_owned(),
        published: figure.value,
        simulated: None,
        ratio: None,
        basis: figure.basis,
        bound: figure.bound,
        verdict: Verdict::NotModelled,
        warnings: Vec::new(),
        params: params
            .into_iter()
            .flat_map(|params| params.iter())
            .filter(|(name, text)| common(name, text))
            .map(|(name, text)| (name.to_owned(), text))
            .collect(),
        fitted_parameters: figure.fitted_parameters.clone(),
        carried_by: None,
        why: figure.why.clone(),
        review: figure.review.clone(),
    }
}

/// The simulated value in the base unit. Of several runs the one nearest to breaking the bound
/// counts.
fn simulated(figure: &Figure, values: Values<'_>) -> Result<Known, MeasureError> {
    let mut worst: Option<(Known, &Run)> = None;
    let runs = figure.subject.runs();
    for run in runs {
        let known = one(figure, run, values)?;
        let worse = worst.as_ref().is_none_or(|(held, _)| match figure.bound {
            Some(Bound::Max) => known.value.value > held.value.value,
            Some(Bound::Min) | None => known.value.value < held.value.value,
        });
        if worse {
            worst = Some((known, run));
        }
    }
    let (mut known, run) =
        worst.ok_or_else(|| MeasureError::NotModelled("the row names no run".to_owned()))?;
    if runs.len() > 1 {
        known.warnings.push(format!("nearest to the bound of {}: {}", runs.len(), run.label()));
    }
    Ok(known)
}

/// The value of one run, or its ratio to the second target's.
fn one(figure: &Figure, run: &Run, values: Values<'_>) -> Result<Known, MeasureError> {
    if let Some(versus) = figure.metric.versus() {
        let second = figure.second(run).ok_or_else(|| {
            let metric = &figure.metric;
            MeasureError::NotModelled(format!("`{metric}` needs a second drive: relative_to"))
        })?;
        let (mut known, other) = (values.of(run, &versus.of)?, values.of(&second, &versus.of)?);
        let value = (versus.make)(known.value.value, other.value.value);
        if !value.is_finite() {
            let metric = &figure.metric;
            return Err(MeasureError::Failed(format!("`{metric}` came out as no number")));
        }
        known.warnings.extend(other.warnings);
        known.value = MetricValue::exact(value);
        return Ok(known);
    }
    let mut known = values.of(run, &figure.metric)?;
    if let Some(second) = figure.second(run) {
        let target = &second.target;
        let divisor = values.of(&second, &figure.metric)?;
        let quotient = ratio(divisor.value.value, known.value.value).ok_or_else(|| {
            MeasureError::Failed(format!("`{target}` gives 0, and nothing divides by that"))
        })?;
        known.warnings.extend(divisor.warnings);
        known.value = MetricValue::exact(quotient);
    }
    Ok(known)
}
