//! The runs of a comparison: each load on each target with each seed.

use super::args::CompareArgs;
use super::loads::Load;
use crate::console::Console;
use crate::ensemble::Drawn;
use crate::laboratory::{Job, Measuring, Partial, RECORD, key, run_key_of, threads};
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
    /// The models that are drawn, if intervals are wanted.
    pub drawn: Option<Drawn>,
}

/// One run: which load, which subject, and which of its runs.
#[derive(Clone, Copy)]
struct Asked {
    load: usize,
    subject: usize,
    which: Which,
}

#[derive(Clone, Copy)]
enum Which {
    /// The model as it is, with a seed of its own.
    Repeat(usize),
    /// A model that is drawn, with the seed of the first run.
    Draw(u16),
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
            runs.try_for_each(|run| self.args.real.consent.check_trace(&run))?;
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

    /// All runs, those of a repeat together.
    fn asked(&self) -> Vec<Asked> {
        let draws = self.drawn.as_ref().map_or(0, Drawn::draws);
        let repeats = (0..usize::from(self.args.repeats)).map(Which::Repeat);
        let mut asked = Vec::new();
        for which in repeats.chain((0..draws).map(Which::Draw)) {
            for load in 0..self.loads.len() {
                for (subject, who) in self.subjects.iter().enumerate() {
                    if !(who.real && matches!(which, Which::Draw(_))) {
                        asked.push(Asked { load, subject, which });
                    }
                }
            }
        }
        asked
    }

    /// What a run is called in the list beside the Record; `texts` are those of the subjects.
    fn key(&self, asked: &Asked, texts: &[String]) -> String {
        let (load, who) = (&self.loads[asked.load], &self.subjects[asked.subject]);
        let key = run_key_of(&load.on(&who.target), &texts[asked.subject]);
        let named =
            |seed: u64| format!("{} | give up {} | seed {seed} | {key}", who.label, who.give_up);
        match (asked.which, &self.drawn) {
            (Which::Repeat(repeat), _) => named(self.seeds(who)[repeat]),
            (Which::Draw(draw), Some(drawn)) => drawn.key(draw, &named(self.seeds(who)[0])),
            (Which::Draw(_), None) => named(self.seeds(who)[0]),
        }
    }

    fn job(&self, asked: &Asked, key: String) -> Result<Job<'_>, Failure> {
        let (load, who) = (&self.loads[asked.load], &self.subjects[asked.subject]);
        let run = load.on(&who.target);
        let (seed, name, draw) = match asked.which {
            Which::Repeat(repeat) => (self.seeds(who)[repeat], format!("run {}", repeat + 1), None),
            Which::Draw(draw) => (self.seeds(who)[0], format!("draw {}", draw + 1), Some(draw)),
        };
        let label = format!("{}: {}, {name}", who.label, run.label());
        if who.real {
            let options = BenchOptions { seed, ..self.bench.options() };
            let real = &self.args.real;
            return Ok(Job::real(key, label, move |watch| {
                real.measure(&run, options, None, watch)
            }));
        }
        let (bench, run) = match (&self.drawn, draw) {
            (Some(drawn), Some(draw)) => {
                drawn.of(self.bench(who, seed), &run, &who.pairs(), draw)?
            }
            _ => (self.bench(who, seed), run),
        };
        Ok(Job::modelled(key, label, move |watch| {
            bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
        }))
    }

    /// Makes the runs that are not known yet. Models are measured at the same time; where
    /// something real is among them one after the other, the targets in turn, so that nothing
    /// disturbs them and a drift of the machine meets all alike. Draws come apart.
    pub fn measure(&self, console: &mut Console) -> Result<(Measured, Measured, Partial), Failure> {
        let head = key(&BenchOptions { seed: 0, ..self.bench.options() });
        let asked = self.asked();
        let texts = self.subjects.iter().map(|subject| match subject.real {
            true => self.args.real.consent.key(&subject.target, console),
            false => target::model(&subject.target, &subject.set).map(|system| system.texts()),
        });
        let texts: Vec<String> = texts.collect::<Result<_, Failure>>()?;
        let keys: Vec<String> = asked.iter().map(|asked| self.key(asked, &texts)).collect();
        let record = self.args.result.record.as_deref();
        let partial = Partial::open((record, RECORD), &head, Some(&keys), console)?;
        let pool = threads(&self.args.bench)?;
        let measuring = Measuring::new("measuring", &partial, &pool, console);
        let jobs = asked.iter().zip(keys).map(|(asked, key)| self.job(asked, key));
        let jobs = jobs.collect::<Result<Vec<Job<'_>>, Failure>>()?;
        let made: Result<Vec<Measurement>, MeasureError> =
            measuring.make(&jobs)?.into_iter().collect();
        let results = made?;
        drop((jobs, measuring));
        let empty = || vec![vec![Vec::new(); self.subjects.len()]; self.loads.len()];
        let (mut measured, mut draws): (Measured, Measured) = (empty(), empty());
        for (Asked { load, subject, which }, result) in asked.into_iter().zip(results) {
            let into = match which {
                Which::Repeat(_) => &mut measured,
                Which::Draw(_) => &mut draws,
            };
            into[load][subject].push(result);
        }
        Ok((measured, draws, partial))
    }
}
