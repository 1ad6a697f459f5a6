//! The points of a sweep as what is measured: which model, which parameters, under which id.

use super::loads::{Loads, OwnLoad};
use super::plan::Asked;
use super::role::Role;
use super::target::{Targets, Variant, each_drive, fixed_too};
use crate::compare::loads::{Load, load};
use crate::laboratory;
use crate::laboratory::bench_options_of;
use crate::lifespan::Amplified;
use crate::render::Failure;
use crate::values::{self, Budget, Pair, scale_text};
use engine::Ratio;
use lab::{ModelBench, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use sweep::nsga2::{self, Breeder, Fitness};
use sweep::{Classes, Cost, Factor, Head, Mistake, Objective, Sampler, Space, halving, hash, id};

/// Budget of a run unless the user says it, s.
const BUDGET: Budget = Budget { seconds: 1.0 };

/// A sweep that can be made.
pub struct Design {
    /// What was asked for.
    pub asked: Asked,
    /// The factors.
    pub space: Space,
    /// How points were chosen.
    pub sampler: Sampler,
    /// What each factor changes.
    pub roles: Vec<Role>,
    /// The points: those that were drawn, then those that were bred.
    pub points: Vec<Planned>,
    /// How many were drawn.
    pub drawn: usize,
    /// I/Os of a run on each rung; one rung without halving.
    pub rungs: Vec<u64>,
    /// The number of the point of every id.
    pub numbers: BTreeMap<String, usize>,
    /// What measures.
    pub bench: ModelBench,
    /// What points have to keep.
    pub requirements: Vec<metric::Requirement>,
    /// What is sought.
    pub objectives: Vec<Objective>,
    /// Whether nobody said what is sought.
    pub objectives_are_usual: bool,
    /// Prices.
    pub cost: Option<Cost>,
    /// The loads without what is varied.
    pub loads: Loads,
}

/// A point that is to be measured.
pub struct Planned {
    /// The value of each factor.
    pub at: Vec<String>,
    /// Where each lies, from 0 to below 1, of points that were drawn or bred.
    pub place: Vec<f64>,
    /// The model, or why there is none.
    pub variant: Result<Arc<Variant>, String>,
    /// Share of the capacity given up.
    pub give_up: Ratio,
    /// The method with its parameters.
    pub load: Load,
    /// Ids of its runs by rung, one a seed.
    pub ids: Vec<Vec<String>>,
}

impl Planned {
    /// The run of it.
    pub fn run(&self, variant: &Variant) -> Run {
        self.load.on(&variant.subject.target)
    }
}

impl Design {
    /// Checks all that can be known before anything runs.
    ///
    /// # Errors
    /// The first mistake, at its place.
    pub fn new(asked: Asked) -> Result<Self, Failure> {
        let loads = Loads::of(&asked)?;
        let mut factors: Vec<Factor> =
            asked.factors.iter().map(|(factor, _)| factor.clone()).collect();
        let roles = factors.iter().enumerate().map(|(number, factor)| {
            Role::in_all(&factor.name, loads.all().iter().map(|load| load.method))
                .map_err(|(why, help)| asked.failure(Mistake::new(asked.key(number), why, help)))
        });
        let roles = roles.collect::<Result<Vec<Role>, Failure>>()?;
        if let Some(again) = (1..roles.len()).find(|at| roles[..*at].contains(&roles[*at])) {
            let message = format!("`{}` is varied twice", factors[again].name);
            let help = "name all its values in one factor: drive=A,B";
            return Err(asked.failure(Mistake::new(asked.key(again), message, help)));
        }
        for number in (0..roles.len()).filter(|number| roles[*number] == Role::Target) {
            each_drive(&mut factors[number]).map_err(|why| {
                let help = "the name of a series stands for each of its drives";
                asked.failure(Mistake::new(asked.key(number), why, help))
            })?;
        }
        let space = Space::new(factors).map_err(|why| {
            let help = "vary something: --vary give_up=0..25%, or [vary] in the plan";
            asked.failure(Mistake::new("vary", why, help))
        })?;
        if asked.on.is_some() == roles.contains(&Role::Target) {
            let (message, help) = match asked.on {
                Some(_) => ("the target is named and varied", "leave --on (`on`) out"),
                None => ("no target is named", "name one with --on, or vary it: drive=A,B"),
            };
            return Err(asked.failure(Mistake::new("on", message, help)));
        }
        let usual = match asked.generations {
            0 => space.usual_sampler(),
            _ => Sampler::Sobol,
        };
        let sampler = asked.sampler.unwrap_or(usual);
        let mut options = bench_options_of(&asked.bench, BUDGET);
        (options.brief, options.grows) = (true, true);
        let mut design = Self {
            space,
            sampler,
            roles,
            points: Vec::new(),
            drawn: 0,
            rungs: halving::rungs(options.ios, asked.rungs),
            numbers: BTreeMap::new(),
            bench: ModelBench::new(options),
            requirements: Vec::new(),
            objectives: Vec::new(),
            objectives_are_usual: false,
            cost: None,
            loads,
            asked,
        };
        for load in design.loads.all() {
            design.check_values(load)?;
        }
        design.plan()?;
        design.price()?;
        design.seek()?;
        Ok(design)
    }

    /// Whether every value of every parameter can be read, and the method of a load has them all.
    fn check_values(&self, load: &OwnLoad) -> Result<(), Failure> {
        let method = load.method;
        for (number, (factor, role)) in self.space.factors().iter().zip(&self.roles).enumerate() {
            let values = match &factor.values {
                sweep::Values::List(list) => list.clone(),
                sweep::Values::Range(_) => vec![factor.at(0.0), factor.at(1.0 - 1e-9)],
            };
            for value in values {
                role.check(&value, method).map_err(|why| {
                    self.asked.failure(Mistake::new(self.asked.key(number), why, role.help(method)))
                })?;
            }
            let said_twice = |pair: &&Pair| role.is_param(&pair.key);
            if let Some(pair) = load.pairs.iter().find(said_twice) {
                let message = format!("`{}` is varied, and fixed in the load", pair.key);
                let mistake =
                    Mistake::new(self.asked.key(number), message, "leave one of them out");
                return Err(self.asked.failure(mistake));
            }
        }
        Ok(())
    }

    /// Samples the points and says what each is.
    fn plan(&mut self) -> Result<(), Failure> {
        let (seed, count) = (self.bench.options().seed, self.asked.points);
        let drawn = self.space.drawn(self.sampler, count, seed).map_err(|why| {
            let help = "vary fewer factors, or take a sample";
            self.asked.failure(Mistake::new("vary", why, help))
        })?;
        self.add(drawn)?;
        self.drawn = self.points.len();
        self.check_targets()
    }

    /// Adds points, each with its place; those that are known already are not added again, also
    /// where a drive or a value is spelled in another way. The numbers of the new ones.
    fn add(&mut self, drawn: Vec<sweep::Drawn>) -> Result<Vec<usize>, Failure> {
        let mut targets = Targets::new(self.bench.clone());
        let first = self.points.len();
        for (place, at) in drawn {
            let point = Planned { place, ..self.planned(at, &mut targets)? };
            let known = point.ids.iter().flatten().any(|id| self.numbers.contains_key(id));
            if known {
                continue;
            }
            let number = self.points.len();
            self.numbers.extend(point.ids.iter().flatten().map(|id| (id.clone(), number)));
            self.points.push(point);
        }
        Ok((first..self.points.len()).collect())
    }

    /// Breeds a generation from some of the points, of which `measured` says what they gave, and
    /// adds it: the numbers of its points.
    ///
    /// # Errors
    /// If a point cannot be planned.
    pub fn breed(
        &mut self,
        generation: u32,
        parents: &[usize],
        measured: &[sweep::Point],
    ) -> Result<Vec<usize>, Failure> {
        let places: Vec<Vec<f64>> =
            parents.iter().map(|number| self.points[*number].place.clone()).collect();
        let fitness = self.fitness(parents, measured);
        let is_list = |factor: &Factor| matches!(factor.values, sweep::Values::List(_));
        let listed: Vec<bool> = self.space.factors().iter().map(is_list).collect();
        let breeder = Breeder { parents: &places, fitness: &fitness, listed: &listed };
        let mut seen: BTreeSet<Vec<String>> = self.points.iter().map(|p| p.at.clone()).collect();
        let is_new = |place: &[f64]| seen.insert(self.space.at(place));
        let (count, seed) = (self.asked.points as usize, self.bench.options().seed);
        let children = breeder.children(count, seed, generation, is_new);
        let drawn = children.into_iter().map(|place| (place.clone(), self.space.at(&place)));
        self.add(drawn.collect())
    }

    /// How fit points are, each among those of its load.
    pub fn fitness(&self, points: &[usize], measured: &[sweep::Point]) -> Vec<Fitness> {
        Classes(&self.load_numbers(points))
            .each(measured, |own| nsga2::fitness(own, &self.requirements, &self.objectives))
    }

    /// A target of which no point can be built is a mistake of the plan.
    fn check_targets(&self) -> Result<(), Failure> {
        let targets = self.points.iter().filter(|point| point.variant.is_ok());
        let possible: BTreeSet<&str> = targets.map(|point| self.target_of(&point.at)).collect();
        let wrong = self.points.iter().find_map(|point| {
            let why = point.variant.as_ref().err()?;
            let target = self.target_of(&point.at);
            (!possible.contains(target)).then_some((target, why))
        });
        if let Some((target, why)) = wrong {
            let message = format!("no point of `{target}` can be built: {why}");
            // What is set is the likelier mistake, most of all what the message names: the model by
            // itself is well.
            let last = |key: &str| format!("`{}`", key.rsplit('.').next().unwrap_or(key));
            let named = |role: &Role| matches!(role, Role::Set(key) if why.contains(&last(key)));
            let number = self
                .roles
                .iter()
                .position(named)
                .or_else(|| self.roles.iter().position(|role| matches!(role, Role::Set(_))))
                .or_else(|| self.roles.iter().position(|role| *role == Role::Target));
            let key = number.map_or("on".to_owned(), |number| self.asked.key(number));
            return Err(self.asked.failure(Mistake::new(key, message, "")));
        }
        Ok(())
    }

    /// The name of a point's target.
    pub fn target_of<'a>(&'a self, at: &'a [String]) -> &'a str {
        self.value_of(&Role::Target, at).map_or(self.asked.on.as_deref().unwrap_or_default(), |v| v)
    }

    /// The numbers of the loads of points: those of different loads are chosen from apart.
    pub fn load_numbers(&self, points: &[usize]) -> Vec<usize> {
        points.iter().map(|number| self.load_number(&self.points[*number].at)).collect()
    }

    /// The number of a point's load.
    pub fn load_number(&self, at: &[String]) -> usize {
        self.loads.number(self.value_of(&Role::Load, at))
    }

    /// The value of a point for what one factor at most changes.
    fn value_of<'a>(&self, role: &Role, at: &'a [String]) -> Option<&'a String> {
        self.roles.iter().position(|other| other == role).map(|number| &at[number])
    }

    fn planned(&self, at: Vec<String>, targets: &mut Targets) -> Result<Planned, Failure> {
        let own = &self.loads.all()[self.load_number(&at)];
        let mut pairs = own.pairs.clone();
        let (mut set, mut give_up) = (Vec::new(), None);
        for (role, value) in self.roles.iter().zip(&at) {
            match role {
                Role::Target | Role::Load => {}
                Role::GiveUp => {
                    give_up = Some(values::share(value).map_err(Failure::wrong)?);
                }
                Role::Param(name) => {
                    pairs.push(Pair { key: (*name).to_owned(), value: value.clone() });
                }
                Role::Set(key) => set.push(Pair { key: key.clone(), value: value.clone() }),
            }
        }
        let wrong =
            |failure: Failure| Failure { place: failure.place.or(Some("load".into())), ..failure };
        let load = load((&own.name, None), &pairs, &own.usual(), false).map_err(wrong)?;
        let variant = targets.variant(self.target_of(&at), &set)?;
        let usual = variant.as_ref().map(|variant| variant.subject.give_up).unwrap_or_default();
        if give_up.is_some() && usual > Ratio::default() {
            return Err(fixed_too("give_up", self.target_of(&at)));
        }
        let mut planned = Planned {
            at,
            place: Vec::new(),
            variant,
            give_up: give_up.unwrap_or(usual),
            load,
            ids: Vec::new(),
        };
        planned.ids = (0..self.rungs.len())
            .map(|rung| {
                let seeds = self.seeds(rung).into_iter();
                seeds.map(|seed| self.id(&planned, own, self.rungs[rung], seed)).collect()
            })
            .collect();
        Ok(planned)
    }

    /// The id of a run.
    fn id(&self, point: &Planned, own: &OwnLoad, ios: u64, seed: u64) -> String {
        let (texts, target) = match &point.variant {
            Ok(variant) => (variant.texts.clone(), variant.subject.target.clone()),
            // What cannot be built is known by what was asked for.
            Err(why) => (why.clone(), point.at.join("\n")),
        };
        id([
            ("version", env!("CARGO_PKG_VERSION")),
            ("method", &point.load.method),
            ("method text", &own.method_hash),
            ("params", &point.load.params.to_string()),
            ("target", &target),
            ("model", &texts),
            ("give up", &point.give_up.to_string()),
            ("seed", &seed.to_string()),
            ("scale", &scale_text(self.bench.options().simulated())),
            ("I/Os", &ios.to_string()),
        ])
    }

    /// What the runs of a point say of the write amplification that lasts.
    pub fn amplified(&self, number: usize) -> Amplified {
        let load = &self.loads.all()[self.load_number(&self.points[number].at)];
        Amplified::of(&self.points[number].load.params, load.jobs.as_ref())
    }

    /// What is sought and required, each once.
    pub fn judged_by(&self) -> impl Iterator<Item = &str> {
        let mut all: Vec<&str> = Vec::new();
        let sought = self.objectives.iter().map(|goal| goal.metric.as_str());
        for name in sought.chain(self.requirements.iter().map(|one| one.metric.as_str())) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all.into_iter()
    }

    /// The seeds of every point on a rung: one, and on the last rung all.
    pub fn seeds(&self, rung: usize) -> Vec<u64> {
        let first = self.bench.options().seed;
        let is_last = rung + 1 == self.rungs.len();
        let repeats = if is_last { u64::from(self.asked.repeats) } else { 1 };
        (0..repeats).map(|i| first.wrapping_add(i)).collect()
    }

    /// The head of its journal.
    pub fn head(&self) -> Head {
        let options = self.bench.options();
        // In the order of the names the first difference is told: what all ids follow from is last.
        let mut about = BTreeMap::new();
        let mut put = |name: &str, text: String| drop(about.insert(name.to_owned(), text));
        for (factor, text) in &self.asked.factors {
            put(&format!("the factor {}", factor.name), sweep::one_spelling(text));
        }
        put("the target", self.asked.on.clone().unwrap_or_default());
        put("the load", self.asked.load.clone().unwrap_or_default());
        put("the sampler", self.sampler.word().to_owned());
        if self.sampler != Sampler::Grid {
            put("the number of points", self.asked.points.to_string());
        }
        put("the number of runs of a point", self.asked.repeats.to_string());
        put("the number of rungs", self.rungs.len().to_string());
        if self.asked.race {
            put("the race", "of its runs".to_owned());
        }
        if self.asked.generations > 0 {
            put("the number of generations", self.asked.generations.to_string());
        }
        put("the seed", options.seed.to_string());
        put("the budget in I/Os", options.ios.to_string());
        put("the scale", scale_text(options.simulated()));
        let ids: Vec<&str> =
            self.points.iter().flat_map(|p| p.ids.iter().flatten()).map(String::as_str).collect();
        put("the texts of models and methods", hash(&ids.join(" ")));
        Head::new(&crate::build(), about, ids.len())
    }

    /// How points were chosen, in words.
    pub fn sampled(&self) -> String {
        let sampler = self.sampler.word();
        match self.asked.generations {
            0 => sampler.to_owned(),
            bred => format!("{sampler}, {}", metric::counted(bred as usize, "generation")),
        }
    }

    /// The work of a run, for the answer.
    pub fn budget(&self) -> answer::Budget {
        let seeds = (self.asked.repeats > 1).then_some(self.asked.repeats);
        let of = laboratory::usual_budget_of(&self.asked.bench, BUDGET, &self.bench.options());
        answer::Budget { seeds, ..of }
    }
}
