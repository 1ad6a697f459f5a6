//! The law of labels: a figure that one known value carries is an input.

use super::steps::{Step, steps};
use crate::{CARRIES, Derived};
use answer::reproduction::{Basis, Carrier};
use prior::Value;

/// What gives figures with values of their model moved: the simulation, or a stand-in in a test.
pub trait Measure {
    /// Why a derivation ends.
    type Error;

    /// The figures with values moved, or with none; `None` for what cannot be measured. Equal
    /// questions have equal answers. `seed` counts from 0.
    ///
    /// # Errors
    /// What ends the whole derivation.
    fn measure(&self, moved: &[Moved], seed: u64) -> Result<Vec<Option<f64>>, Self::Error>;

    /// What moving a value does to what is run, which is known without running it.
    fn effect(&self, moved: &Moved) -> Effect {
        let _ = moved;
        Effect::Differs
    }
}

/// A value that is moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Its path.
    pub key: String,
    /// Its new text.
    pub text: String,
}

/// What moving a value does to what is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: all figures are the same.
    Same,
    /// Something else is run.
    Differs,
    /// The model cannot be built.
    Impossible,
}

/// Seeds that have to agree before a value is said to carry a figure: a percentile of few samples
/// scatters by more than a value is moved.
const SEEDS: u64 = 3;

/// A figure has moved at all if it does by this.
const MOVES: f64 = 0.01;

/// Of what the weakest carrier among several values moved together would do to a figure, so much
/// is taken for nothing. All move to the side on which a drive is slower, so that they add up.
const SILENT: f64 = 0.5;

/// A known value with the step that is taken.
struct Shift<'v> {
    value: &'v Value,
    step: Step,
    /// Whether it goes the way of the others.
    along: bool,
}

impl Shift<'_> {
    fn moved(&self) -> Moved {
        Moved { key: self.value.key.clone(), text: self.step.text.clone() }
    }
}

/// The label of each of `count` figures that come from the same runs. `values` are those of the
/// model; what is assumed or was fitted is left alone.
///
/// # Errors
/// What ends the whole derivation.
pub fn derive<M: Measure>(
    measure: &M,
    values: &[Value],
    count: usize,
) -> Result<Vec<Derived>, M::Error> {
    let mut blank = Derived {
        what: String::new(),
        basis: Basis::Predicted.name().to_owned(),
        strongest: None,
        moved: 0,
        unmoved: Vec::new(),
        inputs: String::new(),
    };
    let start = measure.measure(&[], 0)?;
    let mut shifts = Vec::new();
    for value in values.iter().filter(|value| value.is_known() && !steps(value).is_empty()) {
        match shift(measure, value) {
            Some((shift, Effect::Differs)) => shifts.push(shift),
            Some(_) => {}
            None => blank.unmoved.push(value.key.clone()),
        }
        blank.moved += 1;
    }
    blank.moved -= blank.unmoved.len();
    let mut found = vec![blank; count];
    if start.iter().all(Option::is_none) {
        return Ok(found);
    }
    let (along, apart): (Vec<_>, Vec<_>) = shifts.iter().partition(|shift| shift.along);
    let mut loud = Vec::new();
    screen(measure, &along, &start, &mut loud)?;
    for shift in loud.into_iter().chain(apart) {
        note(measure, shift, &start, &mut found)?;
    }
    for entry in &mut found {
        let carries = |held: &Carrier| held.elasticity.abs() >= CARRIES;
        if entry.strongest.as_ref().is_some_and(carries) {
            entry.basis = Basis::Input.name().to_owned();
        }
    }
    Ok(found)
}

/// The first step of a value with which the model can be built, and what it does; `None` if there
/// is none.
fn shift<'v, M: Measure>(measure: &M, value: &'v Value) -> Option<(Shift<'v>, Effect)> {
    let first = steps(value).first()?.by;
    steps(value).into_iter().filter(|step| step.text != value.text).find_map(|step| {
        let along = step.by.signum() == first.signum() && step.by.abs() < 0.2;
        let shift = Shift { value, step, along };
        match measure.effect(&shift.moved()) {
            Effect::Impossible => None,
            effect => Some((shift, effect)),
        }
    })
}

/// Puts those values into `loud` that may move a figure, by moving several at once and halving
/// where that does something.
fn screen<'s, 'v, M: Measure>(
    measure: &M,
    shifts: &[&'s Shift<'v>],
    start: &[Option<f64>],
    loud: &mut Vec<&'s Shift<'v>>,
) -> Result<(), M::Error> {
    let [_, _, ..] = shifts else {
        loud.extend(shifts);
        return Ok(());
    };
    let moved: Vec<Moved> = shifts.iter().map(|shift| shift.moved()).collect();
    let seen = measure.measure(&moved, 0)?;
    let least = shifts.iter().map(|shift| shift.step.by.abs()).fold(f64::INFINITY, f64::min);
    let silent = |(before, after): (&Option<f64>, &Option<f64>)| match (before, after) {
        (None, _) => true,
        (Some(before), Some(after)) => {
            before == after || (after / before).ln().abs() < SILENT * CARRIES * least
        }
        (Some(_), None) => false,
    };
    if start.iter().zip(&seen).all(silent) {
        return Ok(());
    }
    let (first, second) = shifts.split_at(shifts.len() / 2);
    screen(measure, first, start, loud)?;
    screen(measure, second, start, loud)
}

/// Notes how each figure moves with one value, where that is more than with those before.
fn note<M: Measure>(
    measure: &M,
    shift: &Shift<'_>,
    start: &[Option<f64>],
    found: &mut [Derived],
) -> Result<(), M::Error> {
    let moved = [shift.moved()];
    let by = shift.step.by;
    let mut elasticities = between(start, &measure.measure(&moved, 0)?, by);
    let carries = |all: &[Option<f64>]| all.iter().flatten().any(|e| e.abs() >= CARRIES);
    if carries(&elasticities) {
        confirm(measure, &moved, by, &mut elasticities)?;
    }
    // Half a link may bind where the whole one does not: it carries what a wider one lifts.
    if shift.value.is_link() && by < 0.0 && carries(&elasticities) {
        wider(measure, shift.value, start, &mut elasticities)?;
    }
    for (entry, elasticity) in found.iter_mut().zip(elasticities) {
        let strongest = entry.strongest.as_ref().map_or(0.0, |held| held.elasticity.abs());
        let Some(elasticity) = elasticity.filter(|e| e.abs() > strongest) else { continue };
        let (value, source) = (shift.value.key.clone(), shift.value.source.clone());
        entry.strongest = Some(Carrier { value, source, elasticity });
    }
    Ok(())
}

/// Takes the mean over further seeds; nothing where they do not agree, which is scatter.
fn confirm<M: Measure>(
    measure: &M,
    moved: &[Moved],
    by: f64,
    found: &mut [Option<f64>],
) -> Result<(), M::Error> {
    let mut seen: Vec<Vec<Option<f64>>> = vec![found.to_vec()];
    for seed in 1..SEEDS {
        let (start, after) = (measure.measure(&[], seed)?, measure.measure(moved, seed)?);
        seen.push(between(&start, &after, by));
    }
    for (at, held) in found.iter_mut().enumerate() {
        let all: Option<Vec<f64>> = seen.iter().map(|of_seed| of_seed[at]).collect();
        *held = all.map(|all| round(agreed(&all)));
    }
    Ok(())
}

/// The mean of what several seeds show; 0 unless each shows at least half of a carrier, one way.
fn agreed(all: &[f64]) -> f64 {
    let least = CARRIES / 2.0;
    let agree = all.iter().all(|e| *e >= least) || all.iter().all(|e| *e <= -least);
    if agree { all.iter().sum::<f64>() / all.len() as f64 } else { 0.0 }
}

/// Takes back what a wider link does not lift.
fn wider<M: Measure>(
    measure: &M,
    value: &Value,
    start: &[Option<f64>],
    found: &mut [Option<f64>],
) -> Result<(), M::Error> {
    let wider = steps(value).into_iter().find(|step| step.by > 0.0 && step.text != value.text);
    let Some(step) = wider else { return Ok(()) };
    let moved = Moved { key: value.key.clone(), text: step.text };
    if measure.effect(&moved) == Effect::Impossible {
        return Ok(());
    }
    let seen = measure.measure(&[moved], 0)?;
    for ((held, before), after) in found.iter_mut().zip(start).zip(seen) {
        let lifted = before.zip(after).map(|(before, after)| (after / before).ln().abs() > MOVES);
        if lifted == Some(false) {
            *held = Some(0.0);
        }
    }
    Ok(())
}

/// Change of the logarithm of each figure with that of a value.
fn between(start: &[Option<f64>], seen: &[Option<f64>], by: f64) -> Vec<Option<f64>> {
    let one = |(before, after): (&Option<f64>, &Option<f64>)| {
        let change = (after.as_ref()? / before.as_ref()?).ln() / by;
        change.is_finite().then(|| round(change))
    };
    start.iter().zip(seen).map(one).collect()
}

/// Two decimals are more than the scatter of a small run leaves.
fn round(elasticity: f64) -> f64 {
    let rounded = (elasticity * 100.0).round() / 100.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}
