//! The models that a twin is compared with: what they give, and values fitted to what was measured.

use super::plan::{Number, Planned};
use crate::console::Console;
use crate::fit::figures::Row;
use crate::fit::simulate::Laboratory;
use crate::laboratory::{Job, Made, Measuring, Partial};
use crate::render::Failure;
use fit::bounds;
use fit::model_text::{Sourced, of_model};
use fit::{Choice, FitError, Found, Judged, Options, Parameter, Problem, Wanted};
use lab::{BenchOptions, ModelBench, Run};
use library::System;
use metric::Metric;
use review::Library;

/// Values that are set in a model.
pub type Pairs = Vec<(String, String)>;

/// Relative error that any model may have besides the uncertainty of a number.
pub const MODEL_ERROR: f64 = 0.01;

/// How models are measured.
pub struct Bench<'a> {
    /// Work, scale and seed of a measurement.
    pub options: BenchOptions,
    /// Measurements at the same time.
    pub pool: &'a rayon::ThreadPool,
    /// Where progress is shown.
    pub console: &'a Console,
    /// Nothing of the models is saved: it is made anew in minutes.
    pub partial: &'a Partial,
}

/// A drive of the library with values set.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The drive.
    pub slug: String,
    /// The values.
    pub set: Pairs,
}

impl Draft {
    /// The drive as the library has it.
    pub fn of(slug: &str) -> Self {
        Draft { slug: slug.to_owned(), set: Vec::new() }
    }

    /// The same with values set.
    #[must_use]
    pub fn with(&self, more: &[(&str, String)]) -> Self {
        let mut draft = self.clone();
        for (key, value) in more {
            draft.set.retain(|(old, _)| old != key);
            draft.set.push(((*key).to_owned(), value.clone()));
        }
        draft
    }

    /// The model; `None` if it cannot be.
    pub fn system(&self) -> Option<System> {
        System::named(&self.slug, &self.set).ok()
    }

    /// Its quantities with their sources.
    pub fn values(&self) -> Vec<Sourced> {
        let Some(system) = self.system() else { return Vec::new() };
        let nand = system.lone_flash().map(|flash| flash.nand_text.as_str());
        of_model(&system.text, nand)
    }
}

impl<'a> Bench<'a> {
    /// What runs give on drafts, each in the order of its runs.
    ///
    /// # Errors
    /// An interruption.
    pub fn measure(&self, asked: &[(&Draft, &Run)], what: &str) -> Result<Vec<Made>, Failure> {
        let measuring = Measuring::new(what, self.partial, self.pool, self.console);
        let job = |(number, (draft, run)): (usize, &(&Draft, &Run))| {
            let run = Run { target: draft.slug.clone(), ..(*run).clone() };
            let bench = ModelBench::new(self.options).with_set(draft.set.clone());
            let label = format!("{}: {}", draft.slug, run.label());
            Job::modelled(format!("{what} {number}"), label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            })
        };
        let jobs: Vec<Job<'_>> = asked.iter().enumerate().map(job).collect();
        measuring.without_lines().make(&jobs)
    }

    /// Of each draft the sum of squares by which it misses numbers, each over its uncertainty.
    ///
    /// # Errors
    /// An interruption.
    pub fn squares(
        &self,
        drafts: &[Draft],
        planned: &[Planned],
        numbers: &[&Number],
    ) -> Result<Vec<f64>, Failure> {
        let wanted = |planned: &&Planned| numbers.iter().any(|number| number.is_of(&planned.id));
        let planned: Vec<&Planned> = planned.iter().filter(wanted).collect();
        let each = |draft| planned.iter().map(move |planned| (draft, &planned.run));
        let asked: Vec<(&Draft, &Run)> = drafts.iter().flat_map(each).collect();
        let made = self.measure(&asked, "what agrees with the tests")?;
        let of_draft = |made: &[Made]| {
            let seen = planned.iter().zip(made);
            let seen =
                seen.filter_map(|(planned, made)| Some(planned.numbers(made.as_ref().ok()?)));
            let seen: Vec<Number> = seen.flatten().collect();
            let miss = |number: &&Number| {
                let own = seen.iter().find(|own| own.id == number.id);
                let off = number.distance(own);
                (off / number.sigma.hypot(MODEL_ERROR)).powi(2)
            };
            numbers.iter().map(miss).sum()
        };
        Ok(made.chunks(planned.len().max(1)).map(of_draft).collect())
    }

    /// The numbers as rows of a draft, and what simulates them.
    fn laboratory<'b>(
        &'b self,
        draft: &'b Draft,
        numbers: &[&Number],
    ) -> Result<Laboratory<'b>, Failure> {
        Laboratory::new(
            (&draft.slug, draft.set.clone()),
            rows(&draft.slug, numbers)?,
            self.options,
            self.partial,
            self.pool,
            self.console,
        )
    }

    /// Values of a draft that meet numbers best, by a search alone; `None` if the model cannot be
    /// measured, or has none of the values.
    ///
    /// # Errors
    /// An interruption.
    pub fn search(
        &self,
        draft: &Draft,
        keys: &[&str],
        numbers: &[&Number],
        iterations: usize,
    ) -> Result<Option<(Draft, f64)>, Failure> {
        let parameters = parameters(draft, keys);
        if parameters.is_empty() || numbers.is_empty() {
            return Ok(None);
        }
        let mut laboratory = self.laboratory(draft, numbers)?;
        laboratory.free(&parameters);
        let Ok(_) = laboratory.settle_rows() else { return Ok(None) };
        let problem = problem(parameters, numbers, laboratory.rows());
        let options = Options { iterations, model_error: MODEL_ERROR, ..Options::default() };
        match fit::search(&problem, &laboratory, options) {
            Ok(Found { point, chi_square, .. }) => {
                Ok(Some((moved(draft, &problem.parameters, &point), chi_square)))
            }
            Err(FitError::Simulation(failure)) => Err(failure),
            Err(_) => Ok(None),
        }
    }

    /// How sure values of a draft are by numbers; `None` if that cannot be said.
    ///
    /// # Errors
    /// An interruption.
    pub fn judge(
        &self,
        draft: &Draft,
        keys: &[&str],
        numbers: &[&Number],
    ) -> Result<Option<Judged>, Failure> {
        let parameters = parameters(draft, keys);
        let mut laboratory = self.laboratory(draft, numbers)?;
        laboratory.free(&parameters);
        let Ok(_) = laboratory.settle_rows() else { return Ok(None) };
        let problem = problem(parameters, numbers, laboratory.rows());
        let options =
            Options { model_error: MODEL_ERROR, choice: Choice::Fixed, ..Options::default() };
        match fit::judge(&problem, &laboratory, options) {
            Ok(judged) => Ok(Some(judged)),
            Err(FitError::Simulation(failure)) => Err(failure),
            Err(_) => Ok(None),
        }
    }
}

fn moved(draft: &Draft, parameters: &[Parameter], point: &[f64]) -> Draft {
    let text = |(p, value): (&Parameter, &f64)| (p.key.clone(), p.text(*value));
    let pairs: Vec<(String, String)> = parameters.iter().zip(point).map(text).collect();
    let pairs: Vec<(&str, String)> =
        pairs.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    draft.with(&pairs)
}

fn problem(parameters: Vec<Parameter>, numbers: &[&Number], rows: &[Row]) -> Problem {
    let wanted = |row: &Row| {
        let number = numbers.iter().find(|number| number.id == row.figure.id)?;
        Some(Wanted { id: number.id.clone(), value: number.value, sigma: number.sigma })
    };
    Problem { parameters, figures: rows.iter().filter_map(wanted).collect() }
}

/// The values of a draft that are there and not nothing, with their physical bounds.
fn parameters(draft: &Draft, keys: &[&str]) -> Vec<Parameter> {
    let known = draft.values();
    let one = |key: &&str| {
        let value = known.iter().find(|value| value.key == **key)?;
        let number = value.quantity.number;
        let row = bounds::find(key);
        let bound = row.and_then(|row| row.in_unit_of(&value.quantity));
        let around = (number / bounds::ELSEWHERE, number * bounds::ELSEWHERE);
        let (low, mut high) = bound.unwrap_or(around);
        // No more dies program than there are.
        if key.starts_with("flash.program_limit") {
            let dies = known.iter().find(|value| value.key == "flash.dies")?;
            high = high.min(dies.quantity.number);
        }
        (number > 0.0 && low < high).then(|| Parameter {
            key: value.key.clone(),
            start: value.quantity.clone(),
            low,
            high,
            source: row.map_or_else(String::new, |row| row.source.to_owned()),
        })
    };
    keys.iter().filter_map(one).collect()
}

/// Numbers as the rows of a reviews file about a drive.
fn rows(slug: &str, numbers: &[&Number]) -> Result<Vec<Row>, Failure> {
    let row = |number: &&Number| -> Option<toml::Value> {
        let unit = match Metric::parse(&number.metric).ok()?.0.dimension().base() {
            "1/s" => "IOPS",
            unit => unit,
        };
        let params = number.run.params.iter();
        let params: toml::Table =
            params.map(|(name, value)| (name.to_owned(), value.into())).collect();
        Some(toml::Value::from(toml::Table::from_iter([
            ("id".to_owned(), toml::Value::from(number.id.clone())),
            ("target".to_owned(), slug.into()),
            ("method".to_owned(), number.run.method.clone().into()),
            ("params".to_owned(), params.into()),
            ("metric".to_owned(), number.metric.clone().into()),
            ("value".to_owned(), number.value.into()),
            ("unit".to_owned(), unit.into()),
        ])))
    };
    let list: Vec<toml::Value> = numbers.iter().filter_map(row).collect();
    let file = toml::Table::from_iter([("ref".to_owned(), toml::Value::from(list))]);
    let text = toml::to_string(&file).map_err(|error| Failure::failed(error.to_string()))?;
    let mut library = Library::shipped()?;
    library.add("the tests of the twin", &text)?;
    let figures = library.select(&[]).map_err(Failure::failed)?.figures;
    let sigma = |id: &str| numbers.iter().find(|number| number.id == id).map_or(0.0, |n| n.sigma);
    Ok(figures.into_iter().map(|figure| Row { sigma: sigma(&figure.id), figure }).collect())
}
