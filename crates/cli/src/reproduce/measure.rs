//! The runs of a reproduction: each with every seed.

use crate::laboratory::{Job, Measuring, run_key};
use crate::render::Failure;
use answer::{Measured, Origin};
use lab::ModelBench;
use lab::Run;
use review::{Plan, PlannedRun, Results};
use std::ops::Range;

/// What is measured, and with which seeds.
pub struct Work<'a> {
    /// The rows, and the runs that they need.
    pub plan: &'a Plan,
    /// What measures; its seed is the first one.
    pub bench: ModelBench,
    /// How many seeds there are at least.
    pub seeds: u16,
    /// How well each number is to be known, as a fraction, if more seeds are wanted for that.
    pub precision: Option<f64>,
    /// How many seeds there are at most.
    pub max_seeds: u16,
}

impl Work<'_> {
    /// The seed of this number, counted up from the first as the repeats of a comparison are.
    fn seed(&self, number: u16) -> u64 {
        self.bench.options().seed.wrapping_add(u64::from(number))
    }

    /// What the measurements that are wanted in any case are called in the list beside the Record.
    /// All runs have the first seed before any has the next.
    pub fn keys(&self) -> Vec<String> {
        let runs = self.plan.runs();
        let keys = |number| runs.iter().map(move |planned| key(self.seed(number), &planned.run));
        (0..self.seeds).flat_map(keys).collect()
    }

    /// Makes them: the results of each seed. With a precision, those that are not known so well are
    /// made with further seeds.
    pub fn measure(&self, measuring: &mut Measuring<'_>) -> Result<Vec<Results>, Failure> {
        let mut seeds = self.made(0..self.seeds, self.plan.runs(), measuring)?;
        let Some(precision) = self.precision else { return Ok(seeds) };
        for number in self.seeds..self.max_seeds {
            let coarse = self.plan.coarse(&self.bench, &seeds, precision);
            if coarse.is_empty() {
                break;
            }
            measuring.expect(coarse.len());
            seeds.extend(self.made(number..number + 1, &coarse, measuring)?);
        }
        Ok(seeds)
    }

    /// What these runs give under these seeds.
    fn made(
        &self,
        numbers: Range<u16>,
        runs: &[PlannedRun],
        measuring: &Measuring<'_>,
    ) -> Result<Vec<Results>, Failure> {
        let jobs: Vec<Job<'_>> = (numbers.clone())
            .flat_map(|number| runs.iter().map(move |planned| self.job(number, &planned.run)))
            .collect();
        let names = numbers.clone().flat_map(|_| runs.iter().map(|planned| planned.run.clone()));
        let mut all = names.zip(measuring.make(&jobs)?);
        Ok(numbers.map(|_| all.by_ref().take(runs.len()).collect()).collect())
    }

    fn job<'r>(&self, number: u16, run: &'r Run) -> Job<'r> {
        let seed = self.seed(number);
        let label = format!("{}: {}, seed {seed}", run.target, run.label());
        let bench = self.bench.clone().with_seed(seed);
        Job::modelled(key(seed, run), label, move |watch| {
            bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
        })
    }

    /// What every run gave with the first seed, or why it gave nothing: an example of what the
    /// means are of.
    pub fn runs_of(&self, seeds: &[Results]) -> Vec<Measured> {
        let Some(results) = seeds.first() else { return Vec::new() };
        let one = |PlannedRun { run, .. }: &PlannedRun| {
            let measured = match results.get(run)? {
                Ok(measurement) => Measured::new(&run.target, Origin::Modelled, measurement),
                Err(why) => Measured {
                    target: run.target.clone(),
                    failed: Some(why.to_string()),
                    ..Measured::default()
                },
            };
            let params = run.params.iter().map(|(name, value)| (name.to_owned(), value));
            let (method, params) = (Some(run.method.clone()), Some(params.collect()));
            Some(Measured { method, params, ..measured })
        };
        self.plan.runs().iter().filter_map(one).collect()
    }
}

/// A run under a seed.
pub fn key(seed: u64, run: &Run) -> String {
    format!("seed {seed} | {}", run_key(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use review::Library;
    use std::collections::BTreeSet;

    fn plan() -> Plan {
        let rows = Library::shipped().unwrap().select(&["intel-710".to_owned()]).unwrap();
        Plan::new(rows, &ModelBench::default()).unwrap()
    }

    fn work(plan: &Plan, seed: u64, seeds: u16) -> Work<'_> {
        let bench = ModelBench::default().with_seed(seed);
        Work { plan, bench, seeds, precision: None, max_seeds: seeds }
    }

    /// An interruption loses one measurement, and another number of seeds takes what is there.
    #[test]
    fn every_seed_of_a_run_is_saved_under_a_name_of_its_own() {
        let plan = plan();
        let keys = |seed: u64, seeds: u16| {
            let keys = work(&plan, seed, seeds).keys();
            assert_eq!(keys.len(), plan.runs().len() * usize::from(seeds));
            keys.into_iter().collect::<BTreeSet<String>>()
        };
        let runs = plan.runs().len();
        assert_eq!(keys(1, 3).len(), 3 * runs);
        assert!(keys(1, 3).is_subset(&keys(1, 5)), "more seeds go on from the fewer");
        assert_eq!(keys(1, 3).intersection(&keys(2, 3)).count(), 2 * runs);
    }
}
