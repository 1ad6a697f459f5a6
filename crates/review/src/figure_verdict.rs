//! One figure after its runs: published against simulated.

use std::collections::BTreeMap;

use serde::Serialize;

use super::figure::{Basis, Figure};
use super::labels::Carrier;
use super::spread::Spread;
use super::subject::Subject;
use super::value::{Known, Values};
use super::verdict::{FITTED_WITHIN, Published, Verdict, ratio};
use lab::Run;
use metric::Bound;
use metric::{MeasureError, MetricValue};

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
    /// The published number; of a range its lower end.
    pub published: f64,
    /// The upper end of a published range.
    pub published_to: Option<f64>,
    /// The number of the model, mean over the seeds; `null` if there is none.
    pub simulated: Option<f64>,
    /// Half the width of its 95 % interval.
    pub half_width: Option<f64>,
    /// Simulated over published.
    pub ratio: Option<f64>,
    /// Error as a fraction; of a ratio a fraction of its distance from 1. `null` of a limit.
    pub error: Option<f64>,
    /// How the model relates to the number.
    pub basis: Basis,
    /// `min` or `max` if the number is a limit.
    pub bound: Option<Bound>,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it is a prediction that tests the model.
    pub informative: bool,
    /// Id of the first figure that states the same number: its own if there is none before it.
    pub number: String,
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
    /// The figure as the runs of every seed give it.
    pub(super) fn of(figure: &Figure, seeds: &[Values<'_>]) -> Self {
        let mut result = blank(figure);
        result.warnings.extend(figure.inherited.clone());
        if figure.basis == Basis::NotModelled {
            if let Subject::NotModelled(why) = &figure.subject {
                result.explain(why);
            }
            return result;
        }
        if let Some(values) = seeds.first() {
            result.note_fit(figure, *values);
        }
        let known: Result<Vec<Known>, MeasureError> =
            seeds.iter().map(|values| simulated(figure, *values)).collect();
        match known {
            Ok(known) => result.judge(figure, &known),
            // Only the row itself may say that it is not modelled; what cannot be run, for whatever
            // reason, is reported and not dropped silently from a total.
            Err(why) => {
                result.verdict = Verdict::NotRun;
                result.warnings.push(why.reason());
            }
        }
        result
    }

    fn judge(&mut self, figure: &Figure, known: &[Known]) {
        let value = |known: &Known| figure.unit.from_base(known.value.value) - figure.beside;
        let values: Vec<f64> = known.iter().map(value).collect();
        // A run may know its value less well than it scatters over three seeds.
        let own = known.iter().filter_map(|known| known.value.interval95);
        let own = own.map(|(low, high)| figure.unit.from_base(high - low).abs() / 2.0);
        let spread = Spread::of(&values).at_least(own.fold(0.0, f64::max));
        let published = Published {
            value: figure.value,
            high: figure.value_to,
            bound: figure.bound,
            rounding: match self.basis {
                Basis::Input => room(figure),
                _ => figure.rounding,
            },
            one: figure.one(),
        };
        self.simulated = Some(spread.mean);
        self.half_width = Some(spread.half_width);
        self.ratio = ratio(figure.value, spread.mean);
        if !matches!(self.basis, Basis::Input) {
            self.error = published.error(spread.mean);
        }
        for warning in known.iter().flat_map(|known| &known.warnings) {
            self.warn(warning);
        }
        self.verdict = published.verdict(self.basis, spread);
        let far = published.far(spread.mean).filter(|_| self.verdict == Verdict::Held);
        let standing = &figure.standing;
        self.informative = self.basis == Basis::Predicted
            && self.verdict.is_judged()
            && far.is_none()
            && standing.says_little.is_none();
        self.warnings.extend(far);
        if let Some(why) = &standing.says_little {
            self.warnings.push(format!("a hit says little: {why}"));
        }
        if let Some(why) = &standing.refuted {
            self.verdict = Verdict::Refuted;
            self.informative = false;
            self.warnings.push(why.clone());
        }
        self.remark();
    }

    /// Adds the warning of a run, unless another seed has given the same one with other numbers.
    fn warn(&mut self, warning: &str) {
        let words = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
        if self.warnings.iter().all(|known| words(known) != words(warning)) {
            self.warnings.push(warning.to_owned());
        }
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

    fn remark(&mut self) {
        if self.verdict == Verdict::Open {
            let open = "the limit lies within the 95 % interval of the simulated value";
            self.warnings.push(format!("{open}: a larger --budget or more --seeds may decide"));
        }
        let wrong = self.verdict.is_wrong() || self.verdict == Verdict::Differs;
        if wrong && self.why.is_none() {
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
        published_to: figure.value_to,
        simulated: None,
        half_width: None,
        ratio: None,
        error: None,
        basis: figure.basis,
        bound: figure.bound,
        verdict: Verdict::NotModelled,
        informative: false,
        number: figure.id.clone(),
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
    // How far beyond the limit a value is, below 0 if it keeps it.
    let beyond = |known: &Known| {
        let value = figure.unit.from_base(known.value.value) - figure.beside;
        match (figure.value_to, figure.bound) {
            (Some(high), _) => (figure.value - value).max(value - high),
            (None, Some(Bound::Max)) => value,
            (None, Some(Bound::Min) | None) => -value,
        }
    };
    for run in runs {
        let known = one(figure, run, values)?;
        let worse = worst.as_ref().is_none_or(|(held, _)| beyond(&known) > beyond(held));
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
