//! What is wrong in the file of a method, found before anything runs, each with its place.

mod job;
mod words;

use super::super::steps::Step;
use super::super::{condition, formula};
use fio::Diagnostic;
use library::mistakes::{place, unknown_field};
use metric::{Metric, PARAMS, ParamKind, Params, hint, tail};
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};
use words::strings;

/// A value of the file with its place.
type Value<'t> = Spanned<DeValue<'t>>;

/// All mistakes that can be found in a text without running it. Errors of its TOML are not among
/// them, nor keys that are missing or unknown at its top: who reads the text finds those.
pub(super) fn mistakes(file: &str, text: &str) -> Vec<Diagnostic> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let root = table.get_ref();
    let own = |key: &str| table_of(root.get(key)).into_iter().flatten().map(name_of).collect();
    let mut check = Check {
        file,
        text,
        params: own("params"),
        jobs: own("jobs"),
        labels: BTreeSet::new(),
        found: Vec::new(),
    };
    check.head(root);
    check.params(root);
    check.fixed(root);
    check.steps(root.get("step"));
    check.metrics(root);
    check.jobs(root);
    check.found
}

/// A check under way.
struct Check<'a> {
    file: &'a str,
    text: &'a str,
    /// Names of the method's parameters and jobs.
    params: BTreeSet<String>,
    jobs: BTreeSet<String>,
    /// Names of steps that give numbers.
    labels: BTreeSet<String>,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn add(&mut self, at: usize, message: impl Into<String>, help: impl Into<String>) {
        let place = place(self.file, self.text, at);
        self.found.push(Diagnostic::new(&place, message).with_help(help));
    }

    /// Name and provenance.
    fn head(&mut self, root: &DeTable<'_>) {
        if let Some((name, at)) = text_of(root.get("name")) {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if super::shipped::find(name).is_ok() {
                let message = format!("`{name}` is a method that comes with the program");
                self.add(at, message, "give yours another name, so that results say which it was");
            } else if name.is_empty() || !name.chars().all(plain) {
                let message = format!("`{name}` is no name of a method");
                self.add(at, message, "use lower-case letters, digits and dashes");
            }
        }
        if let Some((provenance, at)) = text_of(root.get("provenance"))
            && !["exact: ", "approximation: "].iter().any(|word| provenance.starts_with(word))
        {
            self.add(
                at,
                "the provenance does not say how exact the method is",
                "begin it with `exact: ` and the source, or `approximation: ` and what is unknown",
            );
        }
    }

    /// A value of a parameter that the table of all parameters knows.
    fn value(&mut self, name: &str, value: &str, at: usize) {
        if let Err(why) = Params::default().give(name, value) {
            self.add(at, why, format!("`{name}` is {}", kind_of(name)));
        }
    }

    /// The name of a parameter.
    fn known(&mut self, name: &str, at: usize) -> bool {
        let known = || PARAMS.iter().map(|spec| spec.name);
        let is = known().any(|other| other == name);
        if !is {
            self.add(
                at,
                format!("no parameter is called `{name}`"),
                hint("parameters", name, known()),
            );
        }
        is
    }

    /// A condition: `NAME` or `NAME = VALUE`.
    fn condition(&mut self, condition: &str, at: usize) {
        let (name, value) = condition::parts(condition);
        if self.known(name, at)
            && let Some(value) = value
        {
            self.value(name, value, at);
        }
    }

    fn params(&mut self, root: &DeTable<'_>) {
        for (key, param) in table_of(root.get("params")).into_iter().flatten() {
            let name = key.get_ref().to_string();
            if !self.known(&name, key.span().start) {
                continue;
            }
            let Some(param) = param.get_ref().as_table() else { continue };
            if let Some((value, at)) = text_of(param.get("default")) {
                self.value(&name, value, at);
            }
            if let Some(range) = param.get("range") {
                self.range(&name, range);
            }
            let cases = param.get("when").and_then(|when| when.get_ref().as_array());
            for case in cases.into_iter().flatten().filter_map(|case| case.get_ref().as_table()) {
                if let Some((condition, at)) = text_of(case.get("if")) {
                    self.condition(condition, at);
                }
                if let Some((value, at)) = text_of(case.get("then")) {
                    self.value(&name, value, at);
                }
            }
        }
    }

    /// How far off the default of a parameter may be.
    fn range(&mut self, name: &str, range: &Value<'_>) {
        let spec = PARAMS.iter().find(|spec| spec.name == name);
        let is_number = !spec.is_some_and(|spec| {
            matches!(spec.kind, ParamKind::Word(_) | ParamKind::Text | ParamKind::Flag)
        });
        let percent = |(text, _): &(&str, usize)| {
            let number = text.strip_suffix(" %")?.parse::<f64>().ok()?;
            (number > 0.0 && number.is_finite()).then_some(number)
        };
        let ends: Option<Vec<f64>> = strings(range).iter().map(percent).collect();
        let around =
            matches!(ends.as_deref(), Some([low, high]) if *low <= 100.0 && *high >= 100.0);
        if !(around && is_number) {
            self.add(
                range.span().start,
                "this is no range of a parameter",
                "say the least and the largest as parts of its default: [\"50 %\", \"200 %\"]",
            );
        }
    }

    fn fixed(&mut self, root: &DeTable<'_>) {
        for (key, stated) in table_of(root.get("fixed")).into_iter().flatten() {
            let name = key.get_ref().to_string();
            if self.known(&name, key.span().start) {
                for (value, at) in strings(stated) {
                    self.value(&name, value, at);
                }
            }
        }
    }

    /// Steps and those inside them. Returns whether the keys of one are wrong.
    fn steps(&mut self, steps: Option<&Value<'_>>) -> bool {
        let list = steps.and_then(|steps| steps.get_ref().as_array());
        let mut wrong = false;
        for step in list.into_iter().flatten() {
            let Some(table) = step.get_ref().as_table() else { continue };
            let inside = self.steps(table.get("step"));
            self.labels.extend(text_of(table.get("as")).map(|(label, _)| label.to_owned()));
            // What is wrong inside a step makes the whole of it wrong, and is said once.
            wrong |= inside || self.form(step, table);
            self.words(table);
        }
        wrong
    }

    /// The keys of a step. Returns whether they are wrong.
    fn form(&mut self, step: &Value<'_>, table: &DeTable<'_>) -> bool {
        let whole = Spanned::new(step.span(), table.clone());
        let Err(error) = Step::deserialize(Deserializer::from(whole)) else { return false };
        let start = step.span().start;
        let wrong = unknown_field(error.message());
        let message = error.message().split(", expected").next().unwrap_or_default().to_owned();
        let Some((name, known)) = wrong else {
            let help = "`drivelab show schema method` lists the keys of each step";
            self.add(start, message, help);
            return true;
        };
        let key = table.iter().find(|(key, _)| *key.get_ref() == name.as_str());
        let at = match (key, text_of(table.get("do"))) {
            (Some((key, _)), _) => key.span().start,
            (None, Some((_, at))) => at,
            (None, None) => start,
        };
        self.add(at, message, hint("names", &name, known.iter().map(String::as_str)));
        true
    }

    /// Names of parameters, values and jobs in a step.
    fn words(&mut self, step: &DeTable<'_>) {
        for (_, value) in step.iter().filter(|(key, _)| *key.get_ref() != "step") {
            for (word, at) in strings(value) {
                for name in fio::variables(word) {
                    self.own(name, at);
                }
            }
        }
        for (key, value) in table_of(step.get("with")).into_iter().flatten() {
            let (name, given) = (key.get_ref().to_string(), text_of(Some(value)));
            if let Some((value, at)) =
                given.filter(|(value, _)| fio::variables(value).next().is_none())
            {
                let pair = [(name.as_str(), value)];
                if let Err(why) = Params::from_pairs(pair) {
                    self.add(at, why, "`drivelab show METHOD` lists parameters and their values");
                }
            }
        }
        if let Some((name, at)) = text_of(step.get("over"))
            && self.known(name, at)
        {
            for (value, at) in step.get("values").map(strings).unwrap_or_default() {
                self.value(name, value, at);
            }
        }
        if let Some((job, at)) = text_of(step.get("job"))
            && !self.jobs.contains(job)
        {
            let help = hint("jobs", job, self.jobs.iter().map(String::as_str));
            self.add(at, format!("the method has no job `{job}`"), help);
        }
    }

    /// A parameter of this method.
    fn own(&mut self, name: &str, at: usize) {
        if !self.params.contains(name) {
            let help = match PARAMS.iter().any(|spec| spec.name == name) {
                true => format!("add `[params.{name}]` with `about`"),
                false => hint("parameters", name, self.params.iter().map(String::as_str)),
            };
            self.add(at, format!("the method has no parameter `{name}`"), help);
        }
    }

    /// The metrics and their formulas.
    fn metrics(&mut self, root: &DeTable<'_>) {
        for (key, formula) in table_of(root.get("metrics")).into_iter().flatten() {
            let (name, at) = (key.get_ref().to_string(), key.span().start);
            if name != "all" {
                match Metric::parse(tail(&name)).or_else(|_| Metric::parse(&name)) {
                    Err(help) => self.add(at, format!("no metric is called `{name}`"), help),
                    Ok((metric, Some(_))) => {
                        self.add(at, format!("`{name}` is a bound"), format!("write `{metric}`"));
                    }
                    Ok(_) => {}
                }
            }
            let Some((formula, at)) = text_of(Some(formula)) else { continue };
            if name != "all" && !formula::is_one(formula) {
                let help = "numbers and STEP.NAME with blanks and + - * / between them, or `else`";
                self.add(at, format!("`{formula}` is no formula"), help);
                continue;
            }
            for operand in formula::operands(formula) {
                match fio::variables(operand).next() {
                    Some(name) => self.own(name, at),
                    None => self.step(operand.split('.').next().unwrap_or(operand), at),
                }
            }
        }
    }

    /// A step of which a formula takes numbers.
    fn step(&mut self, label: &str, at: usize) {
        if !self.labels.contains(label) {
            let help = hint("steps", label, self.labels.iter().map(String::as_str));
            self.add(at, format!("no step gives `{label}`"), help);
        }
    }

    /// The fio jobs, with the method's defaults in place of their variables.
    fn jobs(&mut self, root: &DeTable<'_>) {
        for (_, value) in table_of(root.get("jobs")).into_iter().flatten() {
            if let Some((job, _)) = text_of(Some(value)) {
                let wrong = job::mistakes(job);
                let first = job::first_line(self.file, self.text, value.span());
                self.found.extend(wrong.into_iter().map(|one| job::moved(one, &first)));
            }
        }
    }
}

/// How a parameter is written.
fn kind_of(name: &str) -> String {
    let spec = PARAMS.iter().find(|spec| spec.name == name);
    spec.map_or_else(String::new, |spec| {
        let article = if matches!(spec.kind, ParamKind::Word(_)) { "one of" } else { "a" };
        format!("{article} {}", super::written(spec.kind))
    })
}

/// A table with its keys.
fn table_of<'a, 't>(value: Option<&'a Value<'t>>) -> Option<&'a DeTable<'t>> {
    value?.get_ref().as_table()
}

/// The name of a key.
fn name_of<T: std::fmt::Display, V>((key, _): (&Spanned<T>, &V)) -> String {
    key.get_ref().to_string()
}

/// A text and its place.
fn text_of<'a>(value: Option<&'a Value<'_>>) -> Option<(&'a str, usize)> {
    let value = value?;
    Some((value.get_ref().as_str()?, value.span().start))
}
