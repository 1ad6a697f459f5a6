//! The runs of a comparison: each load on each target with each seed.

use super::args::CompareArgs;
use super::loads::Load;
use crate::console::Console;
use crate::laboratory::{Job, Measuring, Partial, key, run_key_of, threads};
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use lab::{BenchOptions, ModelBench};
use metric::{MeasureError, Measurement};

/// Measurements by load, subject and run.
pub type Measured = Vec<Vec<Vec<Measurement>>>;

/// What is measured, and how.
pub struct Work<'a> {
    /// What the user said.
    pub args: &'a CompareArgs,
    /// The columns.
    pub subjects: &'a [Subject],
    /// The groups of rows.
    pub loads: &'a [Load],
    /// What measures models, and how all is measured; its seed is that of the first run.
    pub bench: ModelBench,
}

impl Work<'_> {
    /// The seeds of a subject. Each lineage has its own, so that they are independent.
    pub fn seeds(&self, subject: &Subject) -> Vec<u64> {
        let repeats = u64::from(self.args.repeats);
        let first = self.bench.options().seed.wrapping_add(subject.lineage.wrapping_mul(repeats));
        (0..repeats).map(|i| first.wrapping_add(i)).collect()
    }

    fn bench(&self, subject: &Subject, seed: u64) -> ModelBench {
        self.bench.clone().with_seed(seed).with_set(subject.pairs()).with_give_up(subject.give_up)
    }

    /// Whether every run could be made, before the first is.
    pub fn check(&self) -> Result<(), Failure> {
        for subject in self.subjects.iter().filter(|subject| subject.real) {
            let mut runs = self.loads.iter().map(|load| load.on(&subject.target));
            runs.try_for_each(|run| self.args.real.check_trace(&run))?;
        }
        for subject in self.subjects.iter().filter(|subject| !subject.real) {
            let bench = self.bench(subject, self.bench.options().seed);
            for load in self.loads {
                let about = |failure: Failure| Failure {
                    message: format!("{}: {}", subject.label, failure.message),
                    ..failure
                };
                let run = load.on(&subject.target);
                bench.check(&run).map_err(|error| about(error.into()))?;
            }
        }
        Ok(())
    }

    /// Makes the runs that are not known yet. Models are measured at the same time; where
    /// something real is among them one after the other, the targets in turn, so that nothing
    /// disturbs them and a drift of the machine meets all alike.
    pub fn measure(&self, console: &mut Console) -> Result<(Measured, Partial), Failure> {
        let head = key(&BenchOptions { seed: 0, ..self.bench.options() });
        let mut jobs = Vec::new();
        for repeat in 0..usize::from(self.args.repeats) {
            for load in 0..self.loads.len() {
                for subject in 0..self.subjects.len() {
                    jobs.push((load, subject, repeat));
                }
            }
        }
        let texts = self.subjects.iter().map(|subject| match subject.real {
            true => self.args.real.key(&subject.target, console),
            false => target::model(&subject.target, &subject.set).map(|system| system.texts()),
        });
        let texts: Vec<String> = texts.collect::<Result<_, Failure>>()?;
        let name = |(load, subject, repeat): &(usize, usize, usize)| {
            let (load, who) = (&self.loads[*load], &self.subjects[*subject]);
            let run = load.on(&who.target);
            let seed = self.seeds(who)[*repeat];
            let key = run_key_of(&run, &texts[*subject]);
            format!("{} | give up {} | seed {seed} | {key}", who.label, who.give_up)
        };
        let keys: Vec<String> = jobs.iter().map(name).collect();
        let record = self.args.result.record.as_deref();
        let partial = Partial::open(record, &head, Some(&keys), console)?;
        let pool = threads(&self.args.bench)?;
        let measuring = Measuring::new("measuring", &partial, &pool, console);
        let job = |(asked, key): (&(usize, usize, usize), String)| {
            let (load, subject, repeat) = *asked;
            let (load, who) = (&self.loads[load], &self.subjects[subject]);
            let run = load.on(&who.target);
            let seed = self.seeds(who)[repeat];
            let label = format!("{}: {}, run {}", who.label, run.label(), repeat + 1);
            let options = BenchOptions { seed, ..self.bench.options() };
            if who.real {
                let real = &self.args.real;
                return Job::real(key, label, move |watch| real.measure(&run, options, watch));
            }
            let bench = self.bench(who, seed);
            Job::modelled(key, label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            })
        };
        let all: Vec<Job<'_>> = jobs.iter().zip(keys).map(job).collect();
        let made: Result<Vec<Measurement>, MeasureError> =
            measuring.make(&all)?.into_iter().collect();
        let results = made?;
        drop((all, measuring));
        let mut measured: Measured = vec![vec![Vec::new(); self.subjects.len()]; self.loads.len()];
        for ((load, subject, _), result) in jobs.into_iter().zip(results) {
            measured[load][subject].push(result);
        }
        Ok((measured, partial))
    }
}
