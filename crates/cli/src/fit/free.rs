//! The parameters of a fit: what the user freed, or what is not known, with their bounds.

use super::figures::listed;
use crate::render::Failure;
use fit::bounds::{self, ELSEWHERE};
use fit::model_text::{NAND, Sourced, of_model};
use fit::{Parameter, Quantity};
use library::System;
use metric::nearest;

/// Parameters and what is to be said of them.
pub struct Free {
    pub parameters: Vec<Parameter>,
    /// The source that each value has in the model file.
    pub sources: Vec<String>,
    pub notes: Vec<String>,
}

/// Whether a model with values set can be built, or why not.
pub type Possible<'a> = &'a dyn Fn(&[(String, String)]) -> Result<(), String>;

/// The parameters that the user freed, or those that are proposed.
pub fn read(asked: &[String], model: &System, possible: Possible<'_>) -> Result<Free, Failure> {
    let nand = model.lone_flash().map(|flash| flash.nand_text.as_str());
    let known = of_model(&model.text, nand);
    let mut free = Free { parameters: Vec::new(), sources: Vec::new(), notes: Vec::new() };
    let mut beyond = Vec::new();
    if asked.is_empty() {
        for value in known.iter().filter(|value| value.is_open()) {
            if let Some(row) = bounds::find(&value.key)
                && let Some((low, high)) = row.in_unit_of(&value.quantity)
            {
                match (low..=high).contains(&value.quantity.number) {
                    true => free.add(value, low, high, row.source),
                    false => beyond.push(value.key.clone()),
                }
            }
        }
        if free.parameters.is_empty() {
            let message = format!("`{}` has no value that is assumed and has bounds", model.slug);
            return Err(Failure::wrong(message).with_help("name parameters with --free"));
        }
    }
    for text in asked {
        let place = format!("--free '{text}'");
        let (key, range) = match text.split_once('=') {
            Some((key, range)) => (key.trim(), Some(range)),
            None => (text.trim(), None),
        };
        let value = known.iter().find(|value| value.key == key);
        let value = value.ok_or_else(|| unknown(key, model, &known).at(place.clone()))?;
        if free.parameters.iter().any(|parameter| parameter.key == key) {
            return Err(Failure::wrong(format!("`{key}` is freed twice")).at(place));
        }
        match range {
            Some(range) => {
                let (low, high) = limits(range, &value.quantity)
                    .map_err(|(why, help)| Failure::wrong(why).at(place).with_help(help))?;
                free.add(value, low, high, "assumed: set on the command line");
            }
            None => free.add_usual(value),
        }
    }
    for parameter in &mut free.parameters {
        free.notes.extend(narrow(parameter, possible));
        let number = parameter.start.number;
        if !(parameter.low..=parameter.high).contains(&number) {
            let begin = parameter.text(number);
            free.notes.push(format!(
                "{}: {number} {} is outside the bounds; the fit begins at {begin}",
                parameter.key, parameter.start.unit
            ));
        }
    }
    if asked.is_empty() {
        free.leave_out_bounds(beyond);
        let keys: Vec<String> = free.parameters.iter().map(|p| p.key.clone()).collect();
        free.notes.push(format!("proposed, being assumed or fitted: {}", keys.join(", ")));
    }
    Ok(free)
}

impl Free {
    fn add(&mut self, value: &Sourced, low: f64, high: f64, source: &str) {
        self.parameters.push(Parameter {
            key: value.key.clone(),
            start: value.quantity.clone(),
            low,
            high,
            source: source.to_owned(),
        });
        self.sources.push(value.source.clone());
    }

    /// A value at one of its bounds, or `beyond` them, says that something is not there, or is as
    /// far as it goes: whoever wants it moved has to say so.
    fn leave_out_bounds(&mut self, beyond: Vec<String>) {
        let at_bound = |p: &Parameter| p.at_bound(p.settle(p.start.number));
        let (out, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.parameters)
            .into_iter()
            .zip(std::mem::take(&mut self.sources))
            .partition(|(parameter, _)| at_bound(parameter));
        (self.parameters, self.sources) = kept.into_iter().unzip();
        let mut keys: Vec<String> = out.into_iter().map(|(parameter, _)| parameter.key).collect();
        keys.extend(beyond);
        if !keys.is_empty() {
            self.notes
                .push(format!("not proposed, being at a bound or beyond: {}", keys.join(", ")));
        }
    }

    /// With the bounds of the table, or a factor around the value.
    fn add_usual(&mut self, value: &Sourced) {
        let row = bounds::find(&value.key);
        if let Some(row) = row
            && let Some((low, high)) = row.in_unit_of(&value.quantity)
        {
            return self.add(value, low, high, row.source);
        }
        let number = value.quantity.number;
        let (low, high) = match () {
            () if value.quantity.is_share() => (0.0, (number * ELSEWHERE).clamp(1.0, 100.0)),
            () if number == 0.0 => (0.0, 10.0),
            () => (number / ELSEWHERE, number * ELSEWHERE),
        };
        self.notes.push(format!(
            "{}: no physical bounds are known; {low} {unit} to {high} {unit} is assumed",
            value.key,
            unit = value.quantity.unit
        ));
        self.add(value, low, high, "assumed: a factor of five around the value");
    }
}

fn unknown(key: &str, model: &System, known: &[Sourced]) -> Failure {
    let text = match key.strip_prefix(NAND) {
        Some(key) => model.lone_flash().map(|flash| (flash.nand_text.as_str(), key)),
        None => Some((model.text.as_str(), key)),
    };
    if text.is_some_and(|(text, key)| is_something(text, key)) {
        let message = format!("`{key}` is a word or a list, and only single quantities are fitted");
        return Failure::wrong(message).with_help("free a value with a number and a unit");
    }
    let keys: Vec<String> = known.iter().map(|value| value.key.clone()).collect();
    let help = match nearest(key, keys.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let section = key.split('.').next().unwrap_or_default();
            let same = |k: &&String| k.split('.').next() == Some(section);
            let same: Vec<String> = keys.iter().filter(same).cloned().collect();
            match same.is_empty() {
                true => format!("`drivelab show {}` prints them all", model.slug),
                false => format!("`{section}` has {}", listed(&same)),
            }
        }
    };
    Failure::wrong(format!("the model has no value `{key}`")).with_help(help)
}

/// Whether the file has something at the path that is no quantity.
fn is_something(text: &str, key: &str) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let mut at = Some(toml::Value::Table(table));
    for part in key.split('.') {
        at = at.and_then(|value| value.get(part).cloned());
    }
    at.is_some()
}

/// `200 us..900 us`, in the unit of the value.
fn limits(range: &str, value: &Quantity) -> Result<(f64, f64), (String, String)> {
    let example = format!("write for example `{0} {1}..{2} {1}`", 1, value.unit, 10);
    let wrong = |why: String| (why, example.clone());
    let (low, high) =
        range.split_once("..").ok_or_else(|| wrong(format!("`{}` is no range", range.trim())))?;
    let one = |text: &str| {
        let quantity = Quantity::parse(text).map(|mut quantity| {
            if quantity.is_count() && value.is_count() {
                quantity.unit.clone_from(&value.unit);
            }
            quantity
        });
        quantity.and_then(|quantity| quantity.in_unit_of(value)).ok_or_else(|| {
            wrong(format!("`{}` is no value in a unit like {}", text.trim(), value.unit))
        })
    };
    let (low, high) = (one(low)?, one(high)?);
    match 0.0 <= low && low < high {
        true => Ok((low, high)),
        false => Err(wrong(format!("`{}` is empty: the lower bound is first", range.trim()))),
    }
}

/// Moves a bound at which the model cannot be built to where it can, by halving.
fn narrow(parameter: &mut Parameter, possible: Possible<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let middle = parameter.settle(parameter.start.number);
    let set = |parameter: &Parameter, value: f64| {
        possible(&[(parameter.key.clone(), parameter.text(value))])
    };
    for upper in [false, true] {
        let bound = if upper { parameter.high } else { parameter.low };
        let Err(why) = set(parameter, bound) else { continue };
        let (mut good, mut bad) = (parameter.coordinate(middle), parameter.coordinate(bound));
        for _ in 0..16 {
            let half = 0.5 * (good + bad);
            match set(parameter, parameter.value(half)) {
                Ok(()) => good = half,
                Err(_) => bad = half,
            }
        }
        let value = parameter.settle(parameter.value(good));
        let why = why.lines().next().unwrap_or_default().to_owned();
        let side = if upper { "at most" } else { "at least" };
        notes.push(format!("{}: {side} {} ({why})", parameter.key, parameter.text(value)));
        match upper {
            true => parameter.high = value,
            false => parameter.low = value,
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The CD6 says that no program refuses to be suspended, which is a bound, and that copies cost
    /// no processor, which is below the least that one can take.
    #[test]
    fn values_at_a_bound_are_not_proposed() {
        let model = crate::target::model("cd6-7.68tb", &[]).unwrap();
        let free = read(&[], &model, &|_| Ok(())).unwrap();
        let proposed = |key: &str| free.parameters.iter().any(|p| p.key == key);
        assert!(proposed("suspend.closed_window") && proposed("controller.read_front_end"));
        for key in ["suspend.never", "controller.copy_cost"] {
            assert!(!proposed(key), "{key}");
            assert!(free.notes.iter().any(|n| n.contains("at a bound") && n.contains(key)));
            let asked = read(&[key.to_owned()], &model, &|_| Ok(())).unwrap();
            assert_eq!(asked.parameters[0].key, key, "who names it gets it");
        }
        assert_eq!(free.parameters.len(), free.sources.len());
    }
}
