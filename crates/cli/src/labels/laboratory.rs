//! Figures that come from the same runs, measured with one value of a model moved.

use crate::laboratory::caught;
use crate::render::Failure;
use answer::reproduction::Basis;
use lab::Run;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::MeasureError;
use prior::of_system;
use review::basis::{Effect, Measure, Moved, Shaken, derive};
use review::{Bench, Derived, Figure, Plan, Results, ReviewFile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Figures that come from the same runs.
pub struct Group<'a> {
    figures: Vec<&'a Figure>,
}

/// What the measurements are made of, in the order in which figures need it.
type Key = (Vec<(String, String)>, u64, Run);

/// Scales, in mapping units: the smallest at which a run can be made is enough to see how it moves.
const SCALES: [u64; 4] = [4 << 20, 16 << 20, 64 << 20, 256 << 20];

/// Puts figures that need the same runs together; of several about the same number one is enough.
pub fn groups<'a>(figures: &[&'a Figure]) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<Vec<Run>, Group<'a>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for figure in figures {
        if !figure.measured().is_some_and(|what| seen.insert(what)) {
            continue;
        }
        let runs: BTreeSet<Run> = figure.runs().collect();
        let group = groups
            .entry(runs.into_iter().collect())
            .or_insert_with(|| Group { figures: Vec::new() });
        group.figures.push(*figure);
    }
    groups.into_values().collect()
}

impl Group<'_> {
    /// Its first run in a few words.
    pub fn label(&self) -> String {
        let run = self.figures.first().and_then(|figure| figure.runs().next());
        run.map_or_else(String::new, |run| format!("{}: {}", run.target, run.label()))
    }

    /// The label of each figure that can be measured, and how many measurements that took.
    pub fn derive(
        &self,
        options: BenchOptions,
        scale_given: bool,
    ) -> Result<(Vec<Derived>, usize), Failure> {
        let runs: BTreeSet<Run> = self.figures.iter().flat_map(|figure| figure.runs()).collect();
        let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
        let laboratory = self.laboratory(options, scale_given)?;
        let mut found: Vec<Derived> = Vec::new();
        for target in &targets {
            let system = crate::target::model(target, &[])?;
            let values = of_system(&system);
            let moved = Of { laboratory: &laboratory, target };
            let mut made = derive(&moved, &values, self.figures.len())?;
            if targets.len() > 1 {
                made.iter_mut().for_each(|entry| name_target(entry, target));
            }
            found = match found.is_empty() {
                true => made,
                false => found.into_iter().zip(made).map(|(a, b)| together(a, b)).collect(),
            };
        }
        let start = laboratory.figures("", &[], 0);
        let bench = laboratory.bench(0);
        let complete = |((figure, entry), start): ((&&Figure, Derived), Option<f64>)| {
            let (what, inputs) = (figure.measured()?, bench.inputs(figure)?);
            start.map(|_| Derived { what, inputs, ..entry })
        };
        let made = self.figures.iter().zip(found).zip(start).filter_map(complete).collect();
        Ok((made, laboratory.made.load(Ordering::Relaxed)))
    }

    /// A laboratory at the smallest scale at which all figures can be measured; if there is none,
    /// at the largest.
    fn laboratory(&self, options: BenchOptions, scale_given: bool) -> Result<Laboratory, Failure> {
        if scale_given {
            return Ok(Laboratory::new(&self.figures, options));
        }
        let mut laboratory = Laboratory::new(&self.figures, options);
        for units in SCALES {
            let options = BenchOptions { scale: Some(Scale::Units(units)), ..options };
            laboratory = Laboratory::new(&self.figures, options);
            if laboratory.figures("", &[], 0).iter().all(Option::is_some) {
                break;
            }
        }
        Ok(laboratory)
    }
}

fn name_target(entry: &mut Derived, target: &str) {
    if let Some(held) = &mut entry.strongest {
        held.value = format!("{target}: {}", held.value);
    }
    for value in &mut entry.unmoved {
        *value = format!("{target}: {value}");
    }
}

/// What the values of two models do to one figure.
fn together(a: Derived, b: Derived) -> Derived {
    let size = |entry: &Derived| entry.strongest.as_ref().map_or(0.0, |v| v.elasticity.abs());
    let (first, second) = if size(&b) > size(&a) { (b, a) } else { (a, b) };
    let unmoved = first.unmoved.iter().chain(&second.unmoved).cloned().collect();
    Derived { moved: first.moved + second.moved, unmoved, ..first }
}

/// Measures the figures of a group with values set.
struct Laboratory {
    figures: Vec<Figure>,
    options: BenchOptions,
    known: Mutex<BTreeMap<Key, Result<metric::Measurement, MeasureError>>>,
    signatures: BTreeMap<Run, Option<String>>,
    made: AtomicUsize,
}

impl Laboratory {
    fn new(figures: &[&Figure], options: BenchOptions) -> Self {
        let bench = ModelBench::new(options);
        let runs: BTreeSet<Run> = figures.iter().flat_map(|figure| figure.runs()).collect();
        let signature = |run: Run| {
            let signature = (!run.is_fact()).then(|| bench.signature(&run).ok()).flatten();
            (run, signature)
        };
        Laboratory {
            figures: figures.iter().map(|figure| (*figure).clone()).collect(),
            options,
            known: Mutex::default(),
            signatures: runs.into_iter().map(signature).collect(),
            made: AtomicUsize::new(0),
        }
    }

    fn bench(&self, seed: u64) -> ModelBench {
        ModelBench::new(BenchOptions { seed: self.options.seed.wrapping_add(seed), ..self.options })
    }

    /// Each figure with values of a target moved, in its own unit; `None` where it cannot be had.
    fn figures(&self, target: &str, moved: &[Moved], seed: u64) -> Vec<Option<f64>> {
        let usual = self.bench(seed);
        let set = pairs(moved);
        let bench = Shaken::new(&usual).with(target, set.clone());
        let rows = ReviewFile { figures: self.figures.clone(), ..ReviewFile::default() };
        let Ok(plan) = Plan::new(rows, &bench) else { return vec![None; self.figures.len()] };
        let mut results = Results::new();
        for planned in plan.runs() {
            let run = &planned.run;
            // What is set in one model makes no run of another one different.
            let set = if run.target == target { set.clone() } else { Vec::new() };
            let key = (set, seed, run.clone());
            let held = self.known.lock().ok().and_then(|known| known.get(&key).cloned());
            let result = held.unwrap_or_else(|| {
                self.made.fetch_add(1, Ordering::Relaxed);
                let made = caught(|| bench.measure(&run.target, &run.method, &run.params));
                if let Ok(mut known) = self.known.lock() {
                    known.insert(key, made.clone());
                }
                made
            });
            results.insert(run.clone(), result);
        }
        let judged = plan.judge(&bench, std::slice::from_ref(&results)).figures;
        let value = |(figure, judged): (&Figure, &answer::reproduction::Figure)| {
            let value = judged.simulated? + figure.beside;
            (judged.basis != Basis::NotModelled && value.is_finite()).then_some(value)
        };
        self.figures.iter().zip(&judged).map(value).collect()
    }
}

/// The values of one target moved.
struct Of<'l> {
    laboratory: &'l Laboratory,
    target: &'l str,
}

impl Measure for Of<'_> {
    type Error = Failure;

    fn measure(&self, moved: &[Moved], seed: u64) -> Result<Vec<Option<f64>>, Failure> {
        if crate::interrupt::exit_code().is_some() {
            return Err(Failure::failed("interrupted"));
        }
        Ok(self.laboratory.figures(self.target, moved, seed))
    }

    fn effect(&self, moved: &Moved) -> Effect {
        let bench = self.laboratory.bench(0).with_set(pairs(std::slice::from_ref(moved)));
        let mut effect = Effect::Same;
        for (run, before) in &self.laboratory.signatures {
            if run.target != self.target {
                continue;
            }
            // A fact is read without a run: that the model can be built is all that matters.
            match (bench.check(run).and_then(|()| bench.signature(run)), before) {
                _ if run.is_fact() && bench.check(run).is_ok() => effect = Effect::Differs,
                (Ok(now), Some(before)) if now == *before => {}
                (Ok(_), _) => effect = Effect::Differs,
                (Err(_), _) => return Effect::Impossible,
            }
        }
        effect
    }
}

fn pairs(moved: &[Moved]) -> Vec<(String, String)> {
    moved.iter().map(|moved| (moved.key.clone(), moved.text.clone())).collect()
}
