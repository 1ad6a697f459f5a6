//! What a sweep is asked to do: its file with what the command line says over it.

use super::args::PlanArgs;
use crate::arguments::BenchArgs;
use crate::render::Failure;
use crate::toml_place::offset;
use crate::values;
use library::{mistakes, user_file};
use serde::de::DeserializeOwned;
use std::path::Path;
use sweep::{Cost, CostTable, Factor, Mistake, Part, PlanFile, Sampler, Word, Words, race};

/// Points where nobody says how many.
const POINTS: u32 = 64;

/// The name of the factor that is the load.
pub const LOAD: &str = "load";

/// What a file of prices is called, and how it looks.
const COST_TABLE: (&str, &str) =
    ("cost table", "a table of prices: `per_slot = 20` and `[drive]` with `p4510 = 640`");

/// A file of the user's, for the places of mistakes.
struct Text {
    file: String,
    text: String,
    /// What keys of mistakes have before those of the file.
    prefix: &'static str,
}

/// A sweep as it was asked for.
pub struct Asked {
    /// The method with its parameters, as it was written, if it is not varied.
    pub load: Option<String>,
    /// The target, if it is not varied.
    pub on: Option<String>,
    /// What is varied, in the order of the points' values, each with the text of its values.
    pub factors: Vec<(Factor, String)>,
    /// How points are chosen, if somebody said it.
    pub sampler: Option<Sampler>,
    /// How many, unless it is a grid.
    pub points: u32,
    /// Runs of each point.
    pub repeats: u16,
    /// Rungs of successive halving; 1 is none.
    pub rungs: u32,
    /// Whether the runs of the last rung are a race.
    pub race: bool,
    /// Generations that are bred after the first points; 0 is no search.
    pub generations: u32,
    /// What points have to keep, each with its key.
    pub require: Vec<(String, String)>,
    /// What is to be small, each with its key.
    pub minimise: Vec<(String, String)>,
    /// What is to be large, each with its key.
    pub maximise: Vec<(String, String)>,
    /// What the host writes in a day over what it sees, if somebody said it.
    pub dwpd: Option<f64>,
    /// Prices.
    pub cost: Option<CostTable>,
    /// How all is measured.
    pub bench: BenchArgs,
    texts: Vec<Text>,
}

impl Asked {
    /// Reads it all.
    ///
    /// # Errors
    /// All mistakes of form in a file, and the first of the rest.
    pub fn read(args: &PlanArgs) -> Result<Self, Failure> {
        let mut texts = Vec::new();
        let mut plan = PlanFile::default();
        if let Some(path) = &args.plan {
            let help = "examples/cheapest.toml is a plan to start from";
            plan = file(path, ("plan", help), "", &mut texts)?;
        }
        if let Some(path) = &args.cost {
            // A table of its own takes the place of that in the plan.
            plan.cost = Some(file(path, COST_TABLE, "cost.", &mut texts)?);
        }
        let listed = |key: &str, said: &[String], of_file: &[String]| {
            let (key, list) = match said.is_empty() {
                true => (key.to_owned(), of_file),
                false => (format!("--{key}"), said),
            };
            let numbered = list.iter().enumerate();
            numbered.map(|(i, text)| (format!("{key}.{i}"), text.clone())).collect()
        };
        let require = listed("require", &args.require, &plan.require);
        let minimise = listed("minimise", &args.minimise, &plan.minimise);
        let maximise = listed("maximise", &args.maximise, &plan.maximise);
        let mut asked = Self {
            load: None,
            on: args.on.clone().or(plan.on.take()),
            factors: Vec::new(),
            sampler: args.sampler.or(plan.sampler),
            points: args.points.or(plan.points).unwrap_or(POINTS),
            repeats: args.repeats.or(plan.repeats).unwrap_or(1),
            rungs: args.halving.or(plan.halving).unwrap_or(1),
            race: args.race || plan.race.unwrap_or(false),
            generations: args.generations.or(plan.generations).unwrap_or(0),
            require,
            minimise,
            maximise,
            dwpd: args.dwpd.or(plan.dwpd),
            cost: plan.cost.take(),
            bench: BenchArgs { ..bench(&args.bench) },
            texts,
        };
        let mut loads = match (args.load.is_empty(), plan.load.take()) {
            (true, None) => Vec::new(),
            (true, Some(Words::One(text))) => vec![text],
            (true, Some(Words::List(list))) => list.iter().map(Word::text).collect(),
            (false, _) => args.load.clone(),
        };
        asked.measured_as(&plan)?;
        asked.check_together()?;
        asked.factors = asked.factors(args, &plan)?;
        let is_varied = asked.factors.iter().any(|(factor, _)| factor.name == LOAD);
        match loads.len() {
            2.. if !is_varied => asked.vary_loads(loads)?,
            // Several beside those that are varied are refused as one is.
            _ => asked.load = loads.pop(),
        }
        Ok(asked)
    }

    /// Refuses what cannot be had together.
    fn check_together(&self) -> Result<(), Failure> {
        if let Some(dwpd) = self.dwpd.filter(|dwpd| !(dwpd.is_finite() && *dwpd > 0.0)) {
            let message = format!("{dwpd} drive writes a day");
            return Err(self.failure(Mistake::new("dwpd", message, "it is a number above 0")));
        }
        let searched = self.generations > 0;
        let together = [
            (
                searched && self.rungs > 1,
                "generations",
                "a sweep is searched or halved, not both",
                "leave `halving` or `generations` out",
            ),
            (
                searched && self.race,
                "race",
                "a search has no race: each generation is judged by all of its runs",
                "leave `race` or `generations` out",
            ),
            (
                searched && self.sampler == Some(Sampler::Grid),
                "generations",
                "a grid has all points: nothing is left to search",
                "leave the sampler out, or take sobol, lhs or random",
            ),
            (
                self.race && usize::from(self.repeats) <= race::FIRST,
                "race",
                "a race needs more runs than three: nobody leaves before the third",
                "give the most that a point may have: --repeats 10 (`repeats`)",
            ),
        ];
        let Some((_, key, message, help)) = together.into_iter().find(|(is_so, ..)| *is_so) else {
            return Ok(());
        };
        Err(self.failure(Mistake::new(key, message, help)))
    }

    /// Fills in what the plan says of how it is measured, where the command line is silent.
    fn measured_as(&mut self, plan: &PlanFile) -> Result<(), Failure> {
        let limits = [
            ("points", plan.points.is_some_and(|points| !(1..=100_000).contains(&points))),
            ("repeats", plan.repeats.is_some_and(|repeats| !(1..=100).contains(&repeats))),
            ("halving", plan.halving.is_some_and(|rungs| !(2..=6).contains(&rungs))),
            ("generations", plan.generations.is_some_and(|many| !(1..=1000).contains(&many))),
        ];
        if let Some((key, _)) = limits.iter().find(|(_, is_wrong)| *is_wrong) {
            let help = "`points` is from 1 to 100,000, `repeats` from 1 to 100, `halving` from 2 \
                        to 6, `generations` from 1 to 1000";
            return Err(self.failure(Mistake::new(*key, format!("`{key}` is out of range"), help)));
        }
        self.bench.seed = self.bench.seed.or(plan.seed);
        if let (None, false, Some(text)) = (self.bench.budget, self.bench.full, &plan.budget) {
            let help = "for example budget = \"200ms\"";
            let wrong = |why: String| self.failure(Mistake::new("budget", why, help));
            self.bench.budget = Some(values::budget(text).map_err(wrong)?);
        }
        if let (None, Some(text)) = (self.bench.scale, &plan.scale) {
            let help = "for example scale = \"4Mi units\"";
            let wrong = |why: String| self.failure(Mistake::new("scale", why, help));
            self.bench.scale = Some(values::scale(text).map_err(wrong)?);
        }
        Ok(())
    }

    /// The factors of the file, then those that only the command line has.
    fn factors(&self, args: &PlanArgs, plan: &PlanFile) -> Result<Vec<(Factor, String)>, Failure> {
        let mut all: Vec<(Factor, String)> = Vec::new();
        let wrong =
            |key: String, why: String| self.failure(Mistake::new(key, why, ::sweep::GRAMMAR));
        for (name, words) in &plan.vary {
            if args.vary.iter().any(|pair| pair.key == *name) {
                continue;
            }
            let (factor, text) = match words {
                Words::One(text) => (Factor::parse(name, text), text.clone()),
                Words::List(list) => {
                    let list: Vec<String> = list.iter().map(|word| word.text()).collect();
                    (Factor::list(name, list.clone()), list.join(", "))
                }
            };
            all.push((factor.map_err(|why| wrong(format!("vary.{name}"), why))?, text));
        }
        for pair in &args.vary {
            let factor = Factor::parse(&pair.key, &pair.value);
            let key = format!("--vary {}={}", pair.key, pair.value);
            all.push((factor.map_err(|why| wrong(key, why))?, pair.value.clone()));
        }
        Ok(all)
    }

    /// Several loads are a factor, the first one.
    fn vary_loads(&mut self, loads: Vec<String>) -> Result<(), Failure> {
        let text = loads.join("; ");
        let factor = Factor::list(LOAD, loads);
        let factor = factor.map_err(|why| self.failure(Mistake::new(LOAD, why, "")))?;
        self.factors.insert(0, (factor, text));
        Ok(())
    }

    /// A mistake at its place: in the file, or at the option.
    pub fn failure(&self, mistake: Mistake) -> Failure {
        failure(&self.texts, mistake)
    }

    /// The key of a factor's mistakes.
    pub fn key(&self, factor: usize) -> String {
        let (factor, text) = &self.factors[factor];
        let has = |key: &str| self.texts.iter().any(|file| offset(&file.text, key).is_some());
        let key = format!("vary.{}", factor.name);
        match factor.name == LOAD {
            _ if has(&key) => key,
            true if has(LOAD) => LOAD.to_owned(),
            true => format!("--{LOAD}"),
            false => format!("--vary {}={text}", factor.name),
        }
    }
}

/// A mistake at its place in one of the files, or at the option.
fn failure(texts: &[Text], mistake: Mistake) -> Failure {
    let Mistake { key, message, help } = mistake;
    let failure = Failure::wrong(message);
    let failure = if help.is_empty() { failure } else { failure.with_help(help) };
    if let Some(option) = key.strip_prefix("--") {
        let option = option.split('.').next().filter(|_| !option.contains('=')).unwrap_or(option);
        return failure.at(format!("--{option}"));
    }
    let found = texts.iter().rev().find_map(|text| {
        let at = match key.strip_prefix(text.prefix) {
            Some(key) => offset(&text.text, key)?,
            // The file as a whole.
            None if !key.is_empty() && text.prefix.trim_end_matches('.') == key => 0,
            None => return None,
        };
        Some(mistakes::place(&text.file, &text.text, at).to_string())
    });
    match found {
        Some(place) => failure.at(place),
        None => failure,
    }
}

/// The prices in a file of their own, and their currency.
///
/// # Errors
/// The first mistake, at its place.
pub fn prices(path: &Path) -> Result<(Cost, String), Failure> {
    let mut texts = Vec::new();
    let table: CostTable = file(path, COST_TABLE, "cost.", &mut texts)?;
    let currency = table.currency.clone();
    let cost = Cost::new(table, priced);
    Ok((cost.map_err(|wrong| failure(&texts, wrong))?, currency))
}

/// Whether a file of prices has one for each drive of a target.
///
/// # Errors
/// The drive that it lacks, at that file.
pub fn check_prices(cost: &Cost, path: &Path, parts: &[Part]) -> Result<(), Failure> {
    cost.check(parts).map_err(|wrong| {
        Failure::wrong(wrong.message).at(path.display().to_string()).with_help(wrong.help)
    })
}

/// What a price is for: a drive of the library, or a model file as targets name it.
///
/// # Errors
/// A name that is neither.
pub fn priced(name: &str) -> Result<String, String> {
    match name.ends_with(".toml") {
        true => Ok(name.to_owned()),
        false => library::find(name).map(str::to_owned),
    }
}

/// The arguments as they were given.
fn bench(args: &BenchArgs) -> BenchArgs {
    let BenchArgs { budget, full, seed, scale, threads, quiet } = *args;
    BenchArgs { budget, full, seed, scale, threads, quiet }
}

/// Reads a TOML file, and keeps its text for the places of mistakes.
fn file<T: DeserializeOwned>(
    path: &Path,
    (noun, help): (&str, &str),
    prefix: &'static str,
    texts: &mut Vec<Text>,
) -> Result<T, Failure> {
    let text = user_file::read(path, noun, help)?;
    let file = path.display().to_string();
    let read = mistakes::read(&file, &text, &text, &[]).map_err(|wrong| {
        let is_dotted = wrong.message.starts_with("invalid type: map, expected f64");
        match wrong.help.is_none() && is_dotted {
            true => wrong.with_help("a name with a dot stands in quotes: `\"p5520-7.68tb\" = 700`"),
            false => wrong,
        }
    })?;
    texts.push(Text { file, text, prefix });
    Ok(read)
}
