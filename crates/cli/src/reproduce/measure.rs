//! The runs of a reproduction: each with every seed.

use crate::laboratory::{Job, Measuring, run_key};
use crate::render::Failure;
use answer::{Measured, Origin};
use lab::ModelBench;
use lab::Run;
use review::{PlannedRun, Results};

/// What is measured, and with which seeds.
pub struct Work<'a> {
    /// The runs.
    pub runs: &'a [PlannedRun],
    /// What measures; its seed is the first one.
    pub bench: ModelBench,
    /// How many seeds there are.
    pub seeds: u16,
}

impl Work<'_> {
    /// The seeds, counted up from the first as the repeats of a comparison are.
    fn seeds(&self) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|i| self.bench.options().seed.wrapping_add(i)).collect()
    }

    /// Every measurement: a run and a seed. All runs have the first seed before any has the next.
    fn jobs(&self) -> Vec<(u64, &PlannedRun)> {
        let seeds = self.seeds().into_iter();
        seeds.flat_map(|seed| self.runs.iter().map(move |planned| (seed, planned))).collect()
    }

    /// What the measurements are called in the list beside the Record.
    pub fn keys(&self) -> Vec<String> {
        self.jobs().iter().map(|(seed, planned)| key(*seed, &planned.run)).collect()
    }

    /// Makes them, by their keys: the results of each seed.
    pub fn measure(
        &self,
        keys: Vec<String>,
        measuring: &Measuring<'_>,
    ) -> Result<Vec<Results>, Failure> {
        let wanted = self.jobs();
        let job = |(key, (seed, planned)): (String, &(u64, &'_ PlannedRun))| {
            let (seed, run) = (*seed, planned.run.clone());
            let label = format!("{}: {}, seed {seed}", run.target, run.label());
            let bench = self.bench.clone().with_seed(seed);
            Job::modelled(key, label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            })
        };
        let jobs: Vec<Job<'_>> = keys.into_iter().zip(&wanted).map(job).collect();
        let runs = wanted.iter().map(|(_, planned)| planned.run.clone());
        let mut all = runs.zip(measuring.make(&jobs)?);
        Ok((0..self.seeds).map(|_| all.by_ref().take(self.runs.len()).collect()).collect())
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
        self.runs.iter().filter_map(one).collect()
    }
}

/// A run under a seed.
fn key(seed: u64, run: &Run) -> String {
    format!("seed {seed} | {}", run_key(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use metric::Params;
    use std::collections::BTreeSet;

    /// An interruption loses one measurement, and another number of seeds takes what is there.
    #[test]
    fn every_seed_of_a_run_is_saved_under_a_name_of_its_own() {
        let run = |qd: &'static str| PlannedRun {
            run: Run {
                target: "p4510-8tb".to_owned(),
                method: "corner".to_owned(),
                params: Params::from_pairs([("op", "read"), ("qd", qd)]).unwrap(),
            },
            metrics: BTreeSet::new(),
        };
        let runs = [run("1"), run("8")];
        let keys = |seed: u64, seeds: u16| {
            let bench = ModelBench::default().with_seed(seed);
            let keys = Work { runs: &runs, bench, seeds }.keys();
            assert_eq!(keys.len(), runs.len() * usize::from(seeds));
            keys.into_iter().collect::<BTreeSet<String>>()
        };
        assert_eq!(keys(1, 3).len(), 6);
        assert!(keys(1, 3).is_subset(&keys(1, 5)), "more seeds go on from the fewer");
        assert_eq!(keys(1, 3).intersection(&keys(2, 3)).count(), 4);
    }
}
