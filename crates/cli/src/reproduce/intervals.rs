//! `--interval`: where the numbers of the real drives lie, by models drawn from what is known.

use super::measure::{Work, key};
use crate::ensemble::{Drawn, noise_of_mean};
use crate::laboratory::{Job, Measuring};
use crate::render::Failure;
use answer::Reproduction;
use lab::Run;
use review::basis::Shaken;
use review::{Plan, PlannedRun, Results};
use std::collections::{BTreeMap, BTreeSet};

/// Gives each predicted figure of a reproduction its interval.
pub fn add(
    reproduction: &mut Reproduction,
    work: &Work<'_>,
    drawn: &Drawn,
    measuring: &mut Measuring<'_>,
) -> Result<(), Failure> {
    let plan = work.plan.uncertain(&reproduction.figures, &work.bench)?;
    measuring.expect(plan.runs().len() * usize::from(drawn.draws()));
    let draws = draws(&plan, work, drawn)?;
    let seed = work.bench.options().seed;
    let mut jobs = Vec::new();
    for (number, Draw { bench, runs }) in (0_u16..).zip(&draws) {
        for (PlannedRun { run: usual, .. }, run) in plan.runs().iter().zip(runs) {
            let label = format!("{}: {}, draw {}", usual.target, usual.label(), number + 1);
            let key = drawn.key(number, &key(seed, usual));
            let bench = bench.of(&run.target);
            jobs.push(Job::modelled(key, label, move |watch| {
                bench.measure_watched(&run.target, &run.method, &run.params, Some(watch))
            }));
        }
    }
    let mut made = measuring.make(&jobs)?.into_iter();
    let mut answers: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for Draw { bench, .. } in &draws {
        let runs = plan.runs().iter().map(|planned| planned.run.clone());
        let results: Results = runs.zip(made.by_ref()).collect();
        for (id, simulated) in plan.simulated(bench, &results) {
            answers.entry(id).or_default().extend(simulated);
        }
    }
    for figure in &mut reproduction.figures {
        let (Some(answers), Some(simulated)) = (answers.get(&figure.id), figure.simulated) else {
            continue;
        };
        let half_width = figure.half_width.unwrap_or_default();
        let noise = noise_of_mean(half_width, simulated, figure.seeds.unwrap_or(1));
        figure.interval90 = drawn.interval(&figure.metric, answers, noise);
    }
    Ok(())
}

/// A bench on which every model has the values of a draw, and the planned runs with its loads.
struct Draw<'w> {
    bench: Shaken<'w>,
    runs: Vec<Run>,
}

/// All draws.
fn draws<'w>(plan: &Plan, work: &'w Work<'_>, drawn: &Drawn) -> Result<Vec<Draw<'w>>, Failure> {
    let one = |number: u16| {
        let runs = plan.runs().iter().map(|planned| drawn.run(&work.bench, &planned.run, number));
        let runs: Vec<Run> = runs.collect();
        let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
        let mut bench = Shaken::new(&work.bench);
        for target in &targets {
            let own: Vec<&Run> = runs.iter().filter(|run| run.target == *target).collect();
            bench = bench.with(target, drawn.values(&work.bench, target, &own, &[], number)?);
        }
        Ok(Draw { bench, runs })
    };
    (0..drawn.draws()).map(one).collect()
}
