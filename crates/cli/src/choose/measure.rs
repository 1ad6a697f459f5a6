//! The runs of a choice: each candidate in each condition with each seed.

use super::plan::{Plan, bench_of};
use crate::console::Console;
use crate::laboratory::{Job, Made, Measuring, OUTPUT, Partial, key, run_key_of, threads};
use crate::render::Failure;
use lab::{ArrayCondition, BenchOptions};

/// What a candidate in a condition gave.
#[derive(Clone, Default)]
pub struct Measured {
    /// The model as it is, by seed.
    pub runs: Vec<Made>,
    /// The models that were drawn, with the first seed.
    pub draws: Vec<Made>,
}

/// One run.
#[derive(Clone, Copy)]
struct Asked {
    candidate: usize,
    condition: usize,
    which: Which,
}

#[derive(Clone, Copy)]
enum Which {
    Repeat(u64),
    Draw(u16),
}

impl Plan<'_> {
    /// The seeds of the runs: the same for all, so that their loads are.
    pub fn seeds(&self) -> Vec<u64> {
        (0..u64::from(self.args.repeats)).map(|i| self.seed(Which::Repeat(i))).collect()
    }

    /// All runs, those of a repeat together.
    fn asked(&self) -> Vec<Asked> {
        let draws = self.drawn.as_ref().map_or(0, |drawn| drawn.draws());
        let repeats = (0..u64::from(self.args.repeats)).map(Which::Repeat);
        let mut all = Vec::new();
        for which in repeats.chain((0..draws).map(Which::Draw)) {
            for (candidate, one) in self.candidates.iter().enumerate() {
                let conditions = 0..one.conditions.len();
                all.extend(conditions.map(|condition| Asked { candidate, condition, which }));
            }
        }
        all
    }

    fn condition(&self, asked: &Asked) -> ArrayCondition {
        self.candidates[asked.candidate].conditions[asked.condition]
    }

    fn seed(&self, which: Which) -> u64 {
        let first = self.bench.options().seed;
        match which {
            Which::Repeat(number) => first.wrapping_add(number),
            Which::Draw(_) => first,
        }
    }

    /// What a run is called in the list beside the answer.
    fn key(&self, asked: &Asked) -> String {
        let variant = &self.candidates[asked.candidate].variant;
        let subject = &variant.subject;
        let run = run_key_of(&self.load.on(&subject.target), &variant.texts);
        let (condition, seed) = (self.condition(asked).word(), self.seed(asked.which));
        let key =
            format!("{} | give up {} | {condition} | seed {seed}", subject.label, subject.give_up);
        let key = format!("{key} | {run}");
        match (asked.which, &self.drawn) {
            (Which::Draw(draw), Some(drawn)) => drawn.key(draw, &key),
            _ => key,
        }
    }

    fn job(&self, asked: &Asked, key: String) -> Result<Job<'_>, Failure> {
        let variant = &self.candidates[asked.candidate].variant;
        let run = self.load.on(&variant.subject.target);
        let bench = bench_of(&self.bench, variant)
            .with_seed(self.seed(asked.which))
            .with_array(self.condition(asked));
        let which = match asked.which {
            Which::Repeat(number) => format!("run {}", number + 1),
            Which::Draw(number) => format!("draw {}", number + 1),
        };
        let (bench, run) = match (asked.which, &self.drawn) {
            (Which::Draw(number), Some(drawn)) => {
                drawn.of(bench, &run, &variant.subject.pairs(), number)?
            }
            _ => (bench, run),
        };
        let condition = match self.candidates[asked.candidate].conditions.len() {
            1 => String::new(),
            _ => format!("{}, ", self.condition(asked).word()),
        };
        let label = format!("{}: {condition}{which}", variant.subject.label);
        Ok(Job::modelled(key, label, move |watch| {
            bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
        }))
    }

    /// Makes the runs that are not known yet; by candidate and condition. A run that fails ends
    /// nothing: its candidate cannot be judged.
    ///
    /// # Errors
    /// If a run cannot be kept.
    pub fn measure(&self, console: &mut Console) -> Result<(Vec<Vec<Measured>>, Partial), Failure> {
        let head = key(&BenchOptions { seed: 0, ..self.bench.options() });
        let asked = self.asked();
        let keys: Vec<String> = asked.iter().map(|asked| self.key(asked)).collect();
        let file = (self.args.output.as_deref(), OUTPUT);
        let partial = Partial::open(file, &head, Some(&keys), console)?;
        let pool = threads(&self.args.bench)?;
        let measuring = Measuring::new("measuring", &partial, &pool, console);
        let jobs = asked.iter().zip(keys).map(|(asked, key)| self.job(asked, key));
        let jobs = jobs.collect::<Result<Vec<Job<'_>>, Failure>>()?;
        let made = measuring.make(&jobs)?;
        drop((jobs, measuring));
        let empty = |one: &super::plan::Candidate| vec![Measured::default(); one.conditions.len()];
        let mut all: Vec<Vec<Measured>> = self.candidates.iter().map(empty).collect();
        for (asked, made) in asked.into_iter().zip(made) {
            let of = &mut all[asked.candidate][asked.condition];
            match asked.which {
                Which::Repeat(_) => of.runs.push(made),
                Which::Draw(_) => of.draws.push(made),
            }
        }
        Ok((all, partial))
    }
}
