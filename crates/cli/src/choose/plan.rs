//! What `choose` is asked: candidates, conditions, limits and prices, checked before anything runs.

use super::args::ChooseArgs;
use super::offered::Offered;
use crate::compare::loads::{self, Load};
use crate::ensemble::Drawn;
use crate::laboratory::bench_options_of;
use crate::lifespan::{Amplified, LIFETIME, RATED_LIFE, Rated, Ratings};
use crate::render::Failure;
use crate::sweep::{Targets, Variant, check_prices, each_of_series, prices};
use crate::values::Budget;
use answer::comparison::Tendency;
use lab::{ArrayCondition, BenchOptions, Method, ModelBench};
use metric::{Requirement, YEAR_S, tail};
use std::sync::Arc;
use sweep::{Cost, Objective};

/// Budget of a run unless the user says it, s.
pub const BUDGET: Budget = Budget { seconds: 1.0 };
/// Share of the rate asked for that a candidate has to keep.
const KEPT: f64 = 0.99;

/// The rate that a candidate keeps over the one asked for.
pub const RATE_KEPT: &str = answer::choice::Limit::RATE_KEPT;
/// Time of the whole rebuild beside the load, s.
pub const REBUILD_TIME: &str = "rebuild_time";

/// A drive or array that could be taken.
pub struct Candidate {
    /// Its model.
    pub variant: Arc<Variant>,
    /// Bytes that its maker lets the host write; `None` if no sheet of it is known. Systems have
    /// none: how many of the writes each of their drives gets is their own affair.
    pub rated_writes: Option<Rated>,
    /// The conditions in which it is measured, healthy first.
    pub conditions: Vec<ArrayCondition>,
}

/// A choice that can be made.
pub struct Plan<'a> {
    /// What was asked for.
    pub args: &'a ChooseArgs,
    /// The load.
    pub load: Load,
    /// What it asks for.
    pub offered: Offered,
    /// What its runs say of the write amplification that lasts.
    pub amplified: Amplified,
    /// The candidates.
    pub candidates: Vec<Candidate>,
    /// The limits.
    pub requirements: Vec<Requirement>,
    /// The conditions of arrays in which limits count.
    pub counting: Vec<ArrayCondition>,
    /// What decides.
    pub objective: Objective,
    /// Prices.
    pub cost: Option<Cost>,
    /// Their currency.
    pub currency: String,
    /// What measures.
    pub bench: ModelBench,
    /// The models that are drawn, if intervals of real drives are wanted.
    pub drawn: Option<Drawn>,
}

/// What can be a candidate.
const CANDIDATES: &str = "name drives or systems of the library, or model files";

impl<'a> Plan<'a> {
    /// Reads and checks all.
    ///
    /// # Errors
    /// All mistakes in candidates, limits and what is sought together, or the first of the rest.
    pub fn new(args: &'a ChooseArgs) -> Result<Self, Failure> {
        let load = load(&args.load)?;
        let method = lab::find(&load.method).map_err(Failure::wrong)?;
        // Candidates are of all kinds: one that needs more than the scale is simulated with more.
        let options = BenchOptions { grows: true, ..bench_options_of(&args.bench, BUDGET) };
        let bench = ModelBench::new(options);
        let (cost, currency) = match &args.cost {
            Some(path) => prices(path).map(|(cost, currency)| (Some(cost), currency))?,
            None => (None, String::new()),
        };
        let jobs = loads::job_file(method);
        let offered = Offered::of(jobs.as_ref());
        let amplified = Amplified::of(&load.params, jobs.as_ref());
        let mut plan = Self {
            requirements: Vec::new(),
            counting: conditions(&args.conditions)?,
            objective: objective(args)?,
            candidates: Vec::new(),
            drawn: args.interval.map(|n| Drawn::new(n, bench.options().seed)).transpose()?,
            args,
            load,
            offered,
            amplified,
            cost,
            currency,
            bench,
        };
        let mut mistakes = Vec::new();
        mistakes.extend(plan.check_metric(method, &plan.objective.metric).err());
        match plan.limits(method) {
            Ok(limits) => plan.requirements = limits,
            Err(failure) => mistakes.push(failure),
        }
        match plan.read_candidates() {
            Ok(candidates) => {
                plan.candidates = candidates;
                mistakes.extend(plan.check_rebuild().err());
            }
            Err(failure) => mistakes.push(failure),
        }
        Failure::several(mistakes).map_or(Ok(plan), Err)
    }

    /// The limits of the user, and those that follow from the load and its years.
    fn limits(&self, method: &Method) -> Result<Vec<Requirement>, Failure> {
        let mut all = Vec::new();
        for text in &self.args.require {
            let help = "write for example --require 'read_lat_p99.9 < 1 ms'; `drivelab list \
                        metrics` lists the metrics";
            let one = sweep::requirement(text, &self.currency)
                .map_err(|why| Failure::wrong(why).at("--require").with_help(help))?;
            self.check_metric(method, &one.metric)?;
            all.push(one);
        }
        if self.offered.rates().is_some() {
            let (metric, text) = (RATE_KEPT.to_owned(), "keeps the rate asked for".to_owned());
            all.push(Requirement { metric, below: false, limit: KEPT, text });
        }
        if let (Some(dwpd), Some(years)) = (self.args.dwpd, self.args.years) {
            let is_amount = |value: f64| value.is_finite() && value > 0.0;
            if !is_amount(dwpd) || !is_amount(years) {
                let message = format!("{dwpd} drive writes a day for {years} years");
                return Err(Failure::wrong(message).with_help("both are numbers above 0"));
            }
            let use_of_it = format!("{years} years at {dwpd} drive writes a day");
            for (metric, what) in [(LIFETIME, "lasts"), (RATED_LIFE, "is rated for")] {
                let (metric, limit) = (metric.to_owned(), years * YEAR_S);
                let text = format!("{what} {use_of_it}");
                all.push(Requirement { metric, below: false, limit, text });
            }
        }
        if all.is_empty() {
            let help = "say what has to hold: --require 'read_lat_p99.9 < 1 ms'; without limits \
                        `drivelab compare` puts targets side by side";
            return Err(Failure::wrong("no limit is named").with_help(help));
        }
        Ok(all)
    }

    /// Whether the load measures a metric, or it follows from the candidate.
    fn check_metric(&self, method: &Method, metric: &str) -> Result<(), Failure> {
        let wrong = |message: String, help: String| Err(Failure::wrong(message).with_help(help));
        match metric {
            "usable_capacity" | REBUILD_TIME => return Ok(()),
            LIFETIME | RATED_LIFE if self.args.dwpd.is_some() => return Ok(()),
            LIFETIME | RATED_LIFE => {
                let help = "give --dwpd and --years";
                return wrong(
                    "how long a drive lasts is not known without its writes".into(),
                    help.into(),
                );
            }
            "cost" if self.cost.is_some() => return Ok(()),
            "cost" => return wrong("costs are not known".into(), "give --cost FILE".into()),
            _ => {}
        }
        let entries = &self.load.entries;
        if method.gives_by(entries, metric) {
            return Ok(());
        }
        if entries.len() > 1 && method.gives(tail(metric)) {
            return wrong(
                format!("`{metric}` is of no entry of the job file's report"),
                format!("write ENTRY.METRIC, with one of {}", entries.join(", ")),
            );
        }
        wrong(
            format!("`{}` does not measure `{metric}`", method.name),
            format!("`drivelab show {}` says what it measures", method.name),
        )
    }

    /// Whether some candidate is rebuilt, if that is asked for.
    fn check_rebuild(&self) -> Result<(), Failure> {
        let mut asked = self.requirements.iter().map(|limit| limit.metric.as_str());
        let is_asked = self.objective.metric == REBUILD_TIME || asked.any(|m| m == REBUILD_TIME);
        let mut conditions = self.candidates.iter().flat_map(|one| &one.conditions);
        if !is_asked || conditions.any(|one| *one == ArrayCondition::Rebuilding) {
            return Ok(());
        }
        let help = match self.counting.contains(&ArrayCondition::Rebuilding) {
            true => "name arrays that live on without a drive, or leave it out",
            false => "rebuilding is left out by --while",
        };
        Err(Failure::wrong(format!("no candidate has a `{REBUILD_TIME}`")).with_help(help))
    }

    fn read_candidates(&self) -> Result<Vec<Candidate>, Failure> {
        let mut targets = Targets::new(self.bench.clone());
        let ratings = Ratings::shipped()?;
        let (mut all, mut mistakes): (Vec<Candidate>, Vec<Failure>) = (Vec::new(), Vec::new());
        let named = self.args.among.iter().flat_map(|list| divided(list));
        for name in named.flat_map(|name| each_of_series(&name)) {
            match self.candidate(&mut targets, &ratings, &name) {
                Ok(one)
                    if all.iter().any(|known| known.variant.subject.is(&one.variant.subject)) =>
                {
                    let message = format!("`{name}` is named twice");
                    mistakes.push(Failure::wrong(message).at("--among"));
                }
                Ok(one) => all.push(one),
                Err(failure) => mistakes.push(failure),
            }
        }
        if all.is_empty() && mistakes.is_empty() {
            let message = "no candidate is named";
            mistakes.push(Failure::wrong(message).at("--among").with_help(CANDIDATES));
        }
        Failure::several(mistakes).map_or(Ok(all), Err)
    }

    fn candidate(
        &self,
        targets: &mut Targets,
        ratings: &Ratings,
        name: &str,
    ) -> Result<Candidate, Failure> {
        let variant = targets.variant(name, &[])?.map_err(|why| {
            Failure::wrong(format!("`{name}`: {why}")).at("--among").with_help(CANDIDATES)
        })?;
        if let (Some(cost), Some(path)) = (&self.cost, &self.args.cost) {
            check_prices(cost, path, &variant.parts)?;
        }
        let bench = bench_of(&self.bench, &variant);
        let run = self.load.on(&variant.subject.target);
        // What lasts and what is sought is that of a healthy one, whatever else counts.
        let counts =
            |one: &ArrayCondition| *one == ArrayCondition::Healthy || self.counting.contains(one);
        let mut conditions = bench.conditions(&run.target)?;
        conditions.retain(counts);
        for condition in &conditions {
            bench.clone().with_array(*condition).check(&run).map_err(|error| {
                let failure = Failure::from(error);
                let message = format!("`{name}`: {}", failure.message);
                let help = (*condition != ArrayCondition::Healthy)
                    .then(|| "judge arrays without a failed drive: --while healthy".to_owned());
                Failure { message, help: help.or(failure.help), ..failure }
            })?;
        }
        Ok(Candidate { rated_writes: ratings.of(&variant.subject), variant, conditions })
    }
}

/// The load, in the steady state unless it says another: a drive that lives for years is not new,
/// and what it amplifies before its spare area is used up says nothing of its life.
fn load(text: &str) -> Result<Load, Failure> {
    loads::named(text, &[loads::steady()], false)
}

/// The bench of a candidate.
pub fn bench_of(bench: &ModelBench, variant: &Variant) -> ModelBench {
    let subject = &variant.subject;
    bench.clone().with_set(subject.pairs()).with_give_up(subject.give_up).with_reseed()
}

/// The names in a list. A part such as `flash.dies=64 dies` belongs to the name before it.
fn divided(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match names.last_mut() {
            Some(last) if part.contains('=') && !part.contains('@') => {
                last.push(',');
                last.push_str(part);
            }
            _ => names.push(part.to_owned()),
        }
    }
    names
}

fn conditions(words: &[String]) -> Result<Vec<ArrayCondition>, Failure> {
    let known = ArrayCondition::ALL;
    if words.is_empty() {
        return Ok(known.to_vec());
    }
    for word in words {
        if !known.iter().any(|one| one.word() == word) {
            let help = format!("known are {}", known.map(ArrayCondition::word).join(", "));
            let message = format!("`{word}` is no condition of an array");
            return Err(Failure::wrong(message).at("--while").with_help(help));
        }
    }
    Ok(known.into_iter().filter(|one| words.iter().any(|word| word == one.word())).collect())
}

fn objective(args: &ChooseArgs) -> Result<Objective, Failure> {
    let usual = if args.cost.is_some() { "cost" } else { "power" };
    let (text, better, option) = match (&args.minimise, &args.maximise) {
        (_, Some(text)) => (text.as_str(), Tendency::Higher, "--maximise"),
        (text, None) => (text.as_deref().unwrap_or(usual), Tendency::Lower, "--minimise"),
    };
    Objective::new(text, better).map_err(|why| Failure::wrong(why).at(option))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_belongs_to_the_candidate_before_it() {
        let names = divided("p5520, p5430@give_up=25%,flash.dies=64 dies,pm9a3,");
        assert_eq!(names, ["p5520", "p5430@give_up=25%,flash.dies=64 dies", "pm9a3"]);
    }

    #[test]
    fn conditions_come_from_the_best_to_the_worst() {
        let words = ["rebuilding".to_owned(), "healthy".to_owned()];
        let found = conditions(&words).unwrap();
        assert_eq!(found, [ArrayCondition::Healthy, ArrayCondition::Rebuilding]);
        assert!(conditions(&["sick".to_owned()]).unwrap_err().message.contains("sick"));
    }
}
