//! One figure after its runs: published against simulated.

use super::figure::Figure;
use super::relation::Sample;
use super::subject::Subject;
use super::value::{Known, Values};
use super::verdict::{FITTED_WITHIN, Published, ratio};
use answer::reproduction::{Basis, Figure as FigureResult, Verdict};
use lab::Run;
use metric::Bound;
use metric::{MeasureError, MetricValue};

/// The figure as the runs of every seed give it.
pub(super) fn judged(figure: &Figure, seeds: &[Values<'_>]) -> FigureResult {
    let mut judge = Judge { figure, result: blank(figure) };
    judge.result.warnings.extend(figure.inherited.clone());
    if figure.basis == Basis::NotModelled {
        if let Subject::NotModelled(why) = &figure.subject {
            judge.result.why.get_or_insert_with(|| why.clone());
        }
        return judge.result;
    }
    if let Some(values) = seeds.first() {
        judge.label(*values);
    }
    let known: Result<Vec<Known>, MeasureError> =
        seeds.iter().map(|values| simulated(figure, *values)).collect();
    match known {
        Ok(known) => judge.judge(&known),
        // Only the row itself may say that it is not modelled; what cannot be run, for whatever
        // reason, is reported and not dropped silently from a total.
        Err(why) => {
            judge.result.verdict = Verdict::NotRun;
            judge.result.warnings.push(why.reason());
        }
    }
    judge.result
}

/// A figure, and what is known of it so far.
struct Judge<'f> {
    figure: &'f Figure,
    result: FigureResult,
}

impl Judge<'_> {
    /// What was derived is believed over a row that calls itself predicted.
    fn label(&mut self, values: Values<'_>) {
        if self.result.basis != Basis::Predicted {
            return;
        }
        let label = values.plan.rows.labels.of_predicted(self.figure, values.bench);
        self.result.basis = label.basis;
        self.result.carried_by = label.carried_by;
        self.result.warnings.extend(label.remarks);
    }

    fn judge(&mut self, known: &[Known]) {
        let Self { figure, result } = self;
        let in_unit = |base: f64| figure.unit.from_base(base);
        let one = |known: &Known| {
            (in_unit(known.value.value) - figure.beside, in_unit(known.half_width()))
        };
        let spread = known.iter().map(one).collect::<Sample>().spread();
        let published = Published {
            value: figure.value,
            high: figure.value_to,
            bound: figure.bound,
            rounding: match result.basis {
                Basis::Input => room(figure),
                _ => figure.rounding,
            },
            one: figure.one(),
        };
        result.simulated = Some(spread.mean);
        result.half_width = Some(spread.half_width);
        result.seeds = u16::try_from(known.len()).ok();
        result.ratio = ratio(figure.value, spread.mean);
        if !matches!(result.basis, Basis::Input) {
            result.error = published.error(spread.mean);
        }
        for warning in known.iter().flat_map(|known| &known.warnings) {
            warn(&mut result.warnings, warning);
        }
        result.verdict = published.verdict(result.basis, spread);
        let far = published.far(spread.mean).filter(|_| result.verdict == Verdict::Held);
        let standing = &figure.standing;
        result.informative = result.basis == Basis::Predicted
            && result.verdict.is_judged()
            && far.is_none()
            && standing.says_little.is_none();
        result.warnings.extend(far);
        if let Some(why) = &standing.says_little {
            result.warnings.push(format!("a hit says little: {why}"));
        }
        if let Some(why) = &standing.refuted {
            result.verdict = Verdict::Refuted;
            result.informative = false;
            result.warnings.push(why.clone());
        }
        self.remark();
    }

    fn remark(&mut self) {
        let result = &mut self.result;
        if result.verdict == Verdict::Open {
            let open = "the limit lies within the 95 % interval of the simulated value";
            result.warnings.push(format!("{open}: a larger --budget or more --seeds may decide"));
        }
        let wrong = result.verdict.is_wrong() || result.verdict == Verdict::Differs;
        if wrong && result.why.is_none() {
            result.warnings.push("no explanation is recorded for this figure".to_owned());
        }
    }
}

/// Adds the warning of a run, unless another seed has given the same one with other numbers.
fn warn(warnings: &mut Vec<String>, warning: &str) {
    let words = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    if warnings.iter().all(|known| words(known) != words(warning)) {
        warnings.push(warning.to_owned());
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
        seeds: None,
        interval90: None,
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
