//! The figures of a drive with other values: all runs of all points at the same time.

use super::figures::{Row, bucket};
use crate::console::Console;
use crate::laboratory::{Job, Made, Measuring, Partial, run_key};
use crate::render::Failure;
use answer::reproduction::{Figure as FigureResult, Verdict};
use fit::{Parameter, Repeated, Seen, Simulate};
use lab::ModelBench;
use metric::MeasureError;
use review::{Plan, PlannedRun, Results, ReviewFile};
use stats::difference::relative_sigma;
use std::collections::BTreeMap;
use std::sync::Mutex;

type Pairs = Vec<(String, String)>;

/// A model whose values can be set, and the runs behind its figures.
pub struct Laboratory<'a> {
    slug: &'a str,
    /// Values that are set in the model at every point.
    base: Pairs,
    parameters: Vec<Parameter>,
    rows: Vec<Row>,
    /// Points that do not change what the flash holds share the states in which it starts.
    bench: ModelBench,
    plan: Plan,
    measuring: Measuring<'a>,
    stage: Mutex<String>,
    known: Mutex<BTreeMap<String, Made>>,
}

impl<'a> Laboratory<'a> {
    /// Plans the runs.
    pub fn new(
        (slug, base): (&'a str, Pairs),
        rows: Vec<Row>,
        bench: ModelBench,
        partial: &'a Partial,
        pool: &'a rayon::ThreadPool,
        console: &'a Console,
    ) -> Result<Self, Failure> {
        let plan = plan(&rows, &bench)?;
        Ok(Self {
            slug,
            base,
            parameters: Vec::new(),
            rows,
            bench,
            plan,
            measuring: Measuring::new("fitting", partial, pool, console),
            stage: Mutex::new(String::new()),
            known: Mutex::new(BTreeMap::new()),
        })
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Measurements that were made or taken from the partial file.
    pub fn measurements(&self) -> usize {
        self.measuring.done()
    }

    /// From now on points are values of these parameters.
    pub fn free(&mut self, parameters: &[Parameter]) {
        self.parameters = parameters.to_vec();
    }

    /// Leaves out the rows whose figures the model does not give where the fit begins, with the
    /// reasons.
    pub fn settle_rows(&mut self) -> Result<Vec<String>, Failure> {
        self.stage("the model as it is");
        let start = self.parameters.iter().map(|p| p.settle(p.start.number)).collect();
        let first = self.results(&[(start, 0)])?;
        let results = first.into_iter().next().flatten().unwrap_or_default();
        let judged = self.judge(&results);
        let mut notes = Vec::new();
        let mut rows = Vec::new();
        for (row, judged) in self.rows.iter().zip(&judged) {
            match number(judged) {
                Some(_) => rows.push(row.clone()),
                None => {
                    let why = judged.warnings.first().or(judged.why.as_ref());
                    let why = why.map_or("the model gives no number", String::as_str);
                    notes.push(format!("left out, {}: {why}", row.figure.id));
                }
            }
        }
        if rows.is_empty() {
            let message = format!("`{}` gives none of the figures", self.slug);
            return Err(Failure::wrong(message).with_help(notes.join("\n")));
        }
        self.plan = plan(&rows, &self.bench)?;
        self.rows = rows;
        Ok(notes)
    }

    /// Whether a model with these values can be built and measured.
    pub fn possible(&self, set: &[(String, String)]) -> Result<(), String> {
        let bench = self.bench(self.base.iter().chain(set).cloned().collect());
        let mine = self.plan.runs().iter().filter(|planned| planned.run.target == self.slug);
        for planned in mine {
            bench.check(&planned.run).map_err(|error| match error {
                // The value is wrong, not the name of the model; nor has the user seen the text.
                MeasureError::UnknownTarget(why) | MeasureError::NotModelled(why) => {
                    why.split_once(": ").map_or(why.clone(), |(_, what)| what.to_owned())
                }
                other => other.to_string(),
            })?;
        }
        Ok(())
    }

    fn bench(&self, set: Pairs) -> ModelBench {
        self.bench.clone().with_set(set)
    }

    fn pairs(&self, point: &[f64]) -> Pairs {
        let pair = |(p, value): (&Parameter, &f64)| (p.key.clone(), p.text(*value));
        self.parameters.iter().zip(point).map(pair).collect()
    }

    /// The values that are not those where the fit begins.
    fn moved(&self, set: &[(String, String)]) -> Vec<String> {
        let start = |parameter: &Parameter| parameter.text(parameter.start.number);
        let values = self.parameters.iter().zip(set.iter().skip(self.base.len()));
        let moved = values.filter(|(parameter, (_, value))| start(parameter) != *value);
        moved.map(|(_, (key, value))| format!("{key}={value}")).collect()
    }

    /// A run at a point: the values are set in the model, and in no other drive.
    fn work<'p>(&self, planned: &'p PlannedRun, pairs: &Pairs, seed: u64) -> Work<'p> {
        let mine = planned.run.target == self.slug;
        let both = || self.base.iter().chain(pairs).cloned().collect();
        let set = if mine { both() } else { Vec::new() };
        Work { planned, set, seed }
    }

    /// What all runs gave at each point under a seed, counted from that of the search; `None`
    /// where the model cannot be built or measured.
    fn results(&self, asked: &[(Vec<f64>, u64)]) -> Result<Vec<Option<Results>>, Failure> {
        let sets: Vec<Option<(Pairs, u64)>> = asked
            .iter()
            .map(|(point, seed)| (self.pairs(point), *seed))
            .map(|(pairs, seed)| self.possible(&pairs).is_ok().then_some((pairs, seed)))
            .collect();
        let mut open: BTreeMap<String, Work<'_>> = BTreeMap::new();
        for (pairs, seed) in sets.iter().flatten() {
            for planned in self.plan.runs() {
                let work = self.work(planned, pairs, *seed);
                open.insert(work.key(), work);
            }
        }
        if let Ok(known) = self.known.lock() {
            open.retain(|key, _| !known.contains_key(key));
        }
        let keys: Vec<String> = open.keys().cloned().collect();
        let jobs: Vec<Job<'_>> = open.into_iter().map(|(key, work)| self.job(key, work)).collect();
        let made = keys.into_iter().zip(self.measuring.make(&jobs)?);
        let Ok(mut known) = self.known.lock() else {
            return Err(Failure::failed("a measurement broke off"));
        };
        known.extend(made);
        let of = |(pairs, seed): &(Pairs, u64)| -> Results {
            let result = |planned: &PlannedRun| {
                let key = self.work(planned, pairs, *seed).key();
                let unmade = Err(MeasureError::Failed("it was not made".to_owned()));
                (planned.run.clone(), known.get(&key).cloned().unwrap_or(unmade))
            };
            self.plan.runs().iter().map(result).collect()
        };
        Ok(sets.iter().map(|set| set.as_ref().map(of)).collect())
    }

    fn job<'w>(&self, key: String, work: Work<'w>) -> Job<'w> {
        let Work { planned, set, seed } = work;
        let stage = self.stage.lock().map(|stage| stage.clone()).unwrap_or_default();
        let mut label = vec![format!("{stage}: {}", planned.run.label())];
        label.extend(self.moved(&set));
        let seed_of = self.bench.options().seed.wrapping_add(seed);
        if seed > 0 {
            label.push(format!("seed {seed_of}"));
        }
        let bench = self.bench(set).with_seed(seed_of);
        let run = &planned.run;
        Job::modelled(key, label.join(" "), move |watch| {
            bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
        })
    }

    fn judge(&self, results: &Results) -> Vec<FigureResult> {
        self.plan.judge(&self.bench(Vec::new()), std::slice::from_ref(results)).figures
    }

    fn seen(&self, results: &Results) -> Option<Vec<Seen>> {
        let judged = self.judge(results);
        let one = |(row, judged): (&Row, &FigureResult)| {
            let value = row.figure.unit.to_base(number(judged)?);
            Some(Seen { value, noise: noise(row, results) })
        };
        self.rows.iter().zip(&judged).map(one).collect()
    }
}

impl Simulate for Laboratory<'_> {
    type Error = Failure;

    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, Failure> {
        let asked: Vec<(Vec<f64>, u64)> = points.iter().map(|point| (point.clone(), 0)).collect();
        let results = self.results(&asked)?;
        Ok(results.iter().map(|results| self.seen(results.as_ref()?)).collect())
    }

    fn repeat(&self, points: &[Vec<f64>], repeats: usize) -> Result<Repeated, Failure> {
        let seeds = 1..=repeats as u64;
        let each = |point: &Vec<f64>| -> Vec<(Vec<f64>, u64)> {
            seeds.clone().map(|seed| (point.clone(), seed)).collect()
        };
        // All of them at the same time.
        let asked: Vec<(Vec<f64>, u64)> = points.iter().flat_map(each).collect();
        let results = self.results(&asked)?;
        let of = |runs: &[Option<Results>]| -> Option<Vec<Vec<Seen>>> {
            runs.iter().map(|results| self.seen(results.as_ref()?)).collect()
        };
        Ok(results.chunks(repeats.max(1)).map(of).collect())
    }

    fn stage(&self, what: &str) {
        if let Ok(mut stage) = self.stage.lock() {
            what.clone_into(&mut stage);
        }
        self.measuring.say(what);
    }
}

fn plan(rows: &[Row], bench: &ModelBench) -> Result<Plan, Failure> {
    let figures = rows.iter().map(|row| row.figure.clone()).collect();
    let file = ReviewFile { figures, ..ReviewFile::default() };
    Ok(Plan::new(file, bench)?)
}

/// A run with values set, under a seed counted from that of the search.
struct Work<'p> {
    planned: &'p PlannedRun,
    set: Pairs,
    seed: u64,
}

impl Work<'_> {
    /// What it is called among the measurements; the seed of the search is the same for all.
    fn key(&self) -> String {
        let set: Vec<String> =
            self.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let seed = if self.seed == 0 { String::new() } else { format!(" | seed +{}", self.seed) };
        format!("{} | {}{seed}", run_key(&self.planned.run), set.join(", "))
    }
}

/// The simulated number in the unit of the row.
fn number(judged: &FigureResult) -> Option<f64> {
    let ran = !matches!(judged.verdict, Verdict::NotRun | Verdict::NotModelled);
    judged.simulated.filter(|value| ran && value.is_finite())
}

/// Where a method states no interval, a simulated figure is taken to be as noisy as this: a mean
/// of some hundred thousand I/Os.
const UNSTATED: f64 = 1e-3;

/// Relative standard uncertainty of a simulated figure: its samples and its bucket.
fn noise(row: &Row, results: &Results) -> f64 {
    let figure = &row.figure;
    let bucket = bucket(&figure.metric);
    let sampling = |run| -> Option<f64> {
        let measured = results.get(&run)?.as_ref().ok()?;
        let metric = measured.metrics.get(figure.metric.name())?;
        let (low, high) = metric.interval95?;
        let sigma = relative_sigma(low, high, metric.value);
        sigma.is_finite().then_some(sigma)
    };
    let sampling = figure.runs().filter_map(sampling).fold(0.0, f64::hypot);
    // An interval wider than the value says no more than one as wide.
    sampling.clamp(UNSTATED, 1.0).hypot(bucket)
}
