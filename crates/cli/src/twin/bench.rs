//! The models that a twin is compared with: what they give, and values fitted to what was measured.

use super::plan::{Number, Planned};
use super::tested::Tested;
use crate::arguments::BenchArgs;
use crate::console::Console;
use crate::fit::figures::Row;
use crate::fit::row::{self, NumberedRow};
use crate::fit::simulate::Laboratory;
use crate::interrupt;
use crate::laboratory::{Job, Made, Measuring, Partial, published_options_of, threads};
use crate::render::Failure;
use crate::values::Budget;
use fit::bounds;
use fit::model_text::{Sourced, of_model};
use fit::{Choice, FitError, Found, Judged, Options, Parameter, Problem, Quantity, Wanted};
use lab::{BenchOptions, ModelBench, Run};
use library::{Overrides, Scale, System};
use review::Library;

/// The key of flash over capacity.
pub const ALPHA: &str = "ftl.alpha";

/// The key of the rate of a drive's own read path, and a rate that is never in the way.
pub const READ_PATH: &str = "controller.read_path";
pub const NO_PATH: &str = "100 GB/s";

/// The key of the rate of a drive's own write path.
pub const WRITE_PATH: &str = "controller.write_path";

/// Values that are set in a model.
pub type Pairs = Vec<(String, String)>;

/// Relative error that any model may have besides the uncertainty of a number.
pub const MODEL_ERROR: f64 = 0.01;

/// Work of one measurement of a model: twins take thousands.
const BUDGET: Budget = Budget { seconds: 0.1 };
/// Mi mapping units of a model that are simulated: as few of these as it takes.
const UNITS: [u64; 10] = [4, 6, 8, 12, 16, 24, 32, 64, 128, 256];

/// How models are measured.
pub struct Bench {
    /// Work and seed of a measurement.
    pub options: BenchOptions,
    /// Drafts that do not change what the flash holds share the states in which it starts.
    shared: ModelBench,
    /// The scale that the user asks for.
    scale: Option<Scale>,
    /// Measurements at the same time.
    pub pool: rayon::ThreadPool,
    /// Where progress is shown.
    console: Console,
    /// Nothing of the models is saved: it is made anew in minutes.
    partial: Partial,
    /// The reviews among which numbers are read as rows.
    reviews: Library,
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

    /// The same if such a model can be.
    pub fn possible(&self, more: &[(&str, String)]) -> Option<Self> {
        Some(self.with(more)).filter(|draft| draft.system().is_some())
    }

    /// The same with a value times a factor, if such a model can be; of flash over capacity the
    /// spare area.
    pub fn times(&self, key: &str, factor: f64) -> Option<Self> {
        let now = self.quantity(key)?;
        let number = match key {
            ALPHA => fit::significant(1.0 + factor * (now.number - 1.0)),
            _ if now.is_count() => (now.number * factor).round(),
            _ => fit::significant(now.number * factor),
        };
        self.possible(&[(key, format!("{number} {}", now.unit))])
    }

    /// A value that is set.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.set.iter().find(|(set, _)| set == key).map(|(_, value)| value.as_str())
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

    /// One of them.
    pub fn quantity(&self, key: &str) -> Option<Quantity> {
        let known = self.values().into_iter().find(|value| value.key == key);
        known.map(|value| value.quantity)
    }

    /// One of them that is a number of parts.
    pub fn count(&self, key: &str) -> Option<u32> {
        let count = self.quantity(key)?.number.round();
        (1.0..=f64::from(u32::MAX)).contains(&count).then_some(count as u32)
    }
}

impl Bench {
    /// As the user says.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn new(args: &BenchArgs) -> Result<Self, Failure> {
        interrupt::watch();
        Ok(Self {
            options: published_options_of(args, BUDGET),
            shared: ModelBench::default(),
            scale: args.scale,
            pool: threads(args)?,
            partial: Partial::none(),
            console: Console::new(args.quiet),
            reviews: Library::shipped()?,
        })
    }

    /// How a model is measured.
    pub fn options_of(&self, system: &System) -> BenchOptions {
        let can_be = |units: &u64| {
            let scale = Scale::Units(*units << 20);
            system.resolve(scale, &Overrides::default()).is_ok()
        };
        let least = || {
            let units = UNITS.into_iter().find(can_be);
            units.map_or_else(Scale::default, |units| Scale::Units(units << 20))
        };
        BenchOptions { scale: Some(self.scale.unwrap_or_else(least)), ..self.options }
    }

    /// What measures a draft, its values apart.
    fn bench_of(&self, draft: &Draft) -> ModelBench {
        let options = draft.system().map_or(self.options, |system| self.options_of(&system));
        self.shared.clone().with_options(options)
    }

    /// What runs give on drafts, each in the order of its runs.
    ///
    /// # Errors
    /// An interruption.
    pub fn measure(&self, asked: &[(&Draft, &Run)], what: &str) -> Result<Vec<Made>, Failure> {
        let measuring = Measuring::new(what, &self.partial, &self.pool, &self.console);
        let job = |(number, (draft, run)): (usize, &(&Draft, &Run))| {
            let run = Run { target: draft.slug.clone(), ..(*run).clone() };
            let bench = self.bench_of(draft).with_set(draft.set.clone());
            let label = format!("{}: {}", draft.slug, run.label());
            Job::modelled(format!("{what} {number}"), label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            })
        };
        let jobs: Vec<Job<'_>> = asked.iter().enumerate().map(job).collect();
        measuring.without_lines().make(&jobs)
    }

    /// Of each draft how far it is off each number, as a natural logarithm.
    ///
    /// # Errors
    /// An interruption.
    pub fn distances(
        &self,
        drafts: &[Draft],
        planned: &[Planned],
        numbers: &[&Number],
    ) -> Result<Vec<Vec<f64>>, Failure> {
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
            let off =
                |number: &&Number| number.distance(seen.iter().find(|own| own.id == number.id));
            numbers.iter().map(off).collect()
        };
        Ok(made.chunks(planned.len().max(1)).map(of_draft).collect())
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
        let square =
            |(off, number): (&f64, &&Number)| (off / number.sigma.hypot(MODEL_ERROR)).powi(2);
        let sum = |off: Vec<f64>| off.iter().zip(numbers).map(square).sum();
        Ok(self.distances(drafts, planned, numbers)?.into_iter().map(sum).collect())
    }

    /// The same of one draft.
    ///
    /// # Errors
    /// An interruption.
    pub fn square(&self, draft: &Draft, of: &Tested, numbers: &[&Number]) -> Result<f64, Failure> {
        let squares = self.squares(std::slice::from_ref(draft), &of.planned, numbers)?;
        Ok(squares.into_iter().sum())
    }

    /// The draft that misses numbers least; `None` if there is none.
    ///
    /// # Errors
    /// An interruption.
    pub fn best(
        &self,
        drafts: Vec<Draft>,
        of: &Tested,
        numbers: &[&Number],
    ) -> Result<Option<Draft>, Failure> {
        let misses = self.squares(&drafts, &of.planned, numbers)?;
        let best = misses.into_iter().zip(drafts).min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.map(|(_, draft)| draft))
    }

    /// Values of a draft that are free, the numbers that are to fix them, and what simulates both;
    /// `None` if the draft has none of the values, or cannot be measured.
    fn laboratory<'b>(
        &'b self,
        draft: &'b Draft,
        keys: &[&str],
        numbers: &[&Number],
    ) -> Result<Option<(Laboratory<'b>, Problem)>, Failure> {
        let parameters = parameters(draft, keys);
        if parameters.is_empty() || numbers.is_empty() {
            return Ok(None);
        }
        let mut laboratory = Laboratory::new(
            (&draft.slug, draft.set.clone()),
            rows(self.reviews.clone(), &draft.slug, numbers)?,
            self.bench_of(draft),
            &self.partial,
            &self.pool,
            &self.console,
        )?;
        laboratory.free(&parameters);
        if laboratory.settle_rows().is_err() {
            return Ok(None);
        }
        let problem = problem(parameters, laboratory.rows());
        Ok(Some((laboratory, problem)))
    }

    /// Values of a draft that meet numbers best, by a search alone, with the sum of squares that is
    /// left; `None` if the model cannot be measured, or has none of the values.
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
        let Some((laboratory, problem)) = self.laboratory(draft, keys, numbers)? else {
            return Ok(None);
        };
        let options = Options { iterations, model_error: MODEL_ERROR, ..Options::default() };
        let found = told(fit::search(&problem, &laboratory, options))?;
        let moved =
            |found: Found| (moved(draft, &problem.parameters, &found.point), found.chi_square);
        Ok(found.map(moved))
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
        let Some((laboratory, problem)) = self.laboratory(draft, keys, numbers)? else {
            return Ok(None);
        };
        let options =
            Options { model_error: MODEL_ERROR, choice: Choice::Fixed, ..Options::default() };
        told(fit::judge(&problem, &laboratory, options))
    }
}

/// What the numbers do not tell is no failure; an interruption is.
fn told<T>(found: Result<T, FitError<Failure>>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(FitError::Simulation(failure)) => Err(failure),
        Err(_) => Ok(None),
    }
}

fn moved(draft: &Draft, parameters: &[Parameter], point: &[f64]) -> Draft {
    let text = |(p, value): (&Parameter, &f64)| p.text(*value);
    let texts = parameters.iter().zip(point).map(text);
    let pairs: Vec<(&str, String)> =
        parameters.iter().map(|parameter| parameter.key.as_str()).zip(texts).collect();
    draft.with(&pairs)
}

fn problem(parameters: Vec<Parameter>, rows: &[Row]) -> Problem {
    let wanted = |row: &Row| Wanted {
        id: row.figure.id.clone(),
        value: row.figure.published(),
        sigma: row.sigma,
    };
    Problem { parameters, figures: rows.iter().map(wanted).collect() }
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
fn rows(mut reviews: Library, slug: &str, numbers: &[&Number]) -> Result<Vec<Row>, Failure> {
    let text = row::file(numbers.iter().map(|number| row_of(slug, number)));
    let text = text.map_err(|error| Failure::failed(error.to_string()))?;
    reviews.add("the tests of the twin", &text)?;
    let figures = reviews.select(&[]).map_err(Failure::failed)?.figures;
    let sigma = |id: &str| numbers.iter().find(|number| number.id == id).map_or(0.0, |n| n.sigma);
    Ok(figures.into_iter().map(|figure| Row { sigma: sigma(&figure.id), figure }).collect())
}

fn row_of<'a>(slug: &'a str, number: &'a Number) -> NumberedRow<'a> {
    let params = number.run.params.iter();
    NumberedRow {
        id: number.id.clone(),
        target: slug,
        method: &number.run.method,
        params: params.map(|(name, value)| (name.to_owned(), value.into())).collect(),
        metric: &number.metric,
        value: number.value,
        unit: number.unit(),
    }
}
