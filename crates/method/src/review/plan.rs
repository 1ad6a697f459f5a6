//! Which distinct runs a set of figures and claims needs.

use std::collections::{BTreeMap, BTreeSet};

use fio::Diagnostic;

use super::bench::{Bench, MeasureError, Measurement};
use super::figure::Basis;
use super::library::ReviewFile;
use super::metric::Metric;
use super::subject::{Named, Run, Subject};

/// One run to make, and what is wanted from it.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// The run.
    pub run: Run,
    /// The metrics that some figure or claim asks of it: a deep percentile needs more samples.
    pub metrics: BTreeSet<Metric>,
}

/// What the runs gave.
pub type Results = BTreeMap<Run, Result<Measurement, MeasureError>>;

/// Figures and claims, and the runs they need.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) rows: ReviewFile,
    runs: Vec<PlannedRun>,
    /// Runs that cannot be made, found before any was.
    barred: BTreeMap<Run, MeasureError>,
}

impl Plan {
    /// Lists the runs. A target or method that a file names itself and that the bench does not
    /// know is the user's mistake; one that an alias leads to is only not there yet.
    pub fn new(rows: ReviewFile, bench: &dyn Bench) -> Result<Self, Diagnostic> {
        let mut wanted: BTreeMap<Run, BTreeSet<Metric>> = BTreeMap::new();
        let mut barred = BTreeMap::new();
        for figure in &rows.figures {
            if figure.basis == Basis::NotModelled {
                continue;
            }
            check(&figure.subject, bench, &mut barred)?;
            for run in figure.runs() {
                // The second target of a ratio has no subject of its own to be blamed on.
                if let Err(why) = bench.check(&run) {
                    barred.insert(run.clone(), why);
                }
                let versus = figure.metric.versus();
                let metric = versus.map_or_else(|| figure.metric.clone(), |versus| versus.of);
                if !metric.is_carried() {
                    wanted.entry(run).or_default().insert(metric);
                }
            }
        }
        for side in rows.claims.iter().flat_map(|c| &c.checks).flat_map(|check| check.sides()) {
            check(&side.subject, bench, &mut barred)?;
            for run in side.runs().filter(|_| !side.metric.is_carried()) {
                if let Err(why) = bench.check(&run) {
                    barred.insert(run.clone(), why);
                }
                wanted.entry(run).or_default().insert(side.metric.clone());
            }
        }
        let runs = wanted
            .into_iter()
            .filter(|(run, _)| !run.is_fact() && !barred.contains_key(run))
            .map(|(run, metrics)| PlannedRun { run, metrics })
            .collect();
        Ok(Self { rows, runs, barred })
    }

    /// The runs to make, each once, ordered by target, method and parameters. They do not depend
    /// on each other and may be made in any order and at the same time.
    pub fn runs(&self) -> &[PlannedRun] {
        &self.runs
    }

    /// What is known of a run after `results` came in.
    pub(super) fn outcome<'r>(
        &'r self,
        results: &'r Results,
        run: &Run,
    ) -> Result<&'r Measurement, MeasureError> {
        if let Some(why) = self.barred.get(run) {
            return Err(why.clone());
        }
        match results.get(run) {
            Some(Ok(measurement)) => Ok(measurement),
            Some(Err(why)) => Err(why.clone()),
            None => Err(MeasureError::Failed("it was not made".to_owned())),
        }
    }

    /// Why a run cannot be made, if that was found beforehand.
    pub(super) fn bar(&self, run: &Run) -> Option<&MeasureError> {
        self.barred.get(run)
    }
}

fn check(
    subject: &Subject,
    bench: &dyn Bench,
    barred: &mut BTreeMap<Run, MeasureError>,
) -> Result<(), Diagnostic> {
    let Subject::Runs { target, method, runs } = subject else { return Ok(()) };
    for run in runs {
        let Err(why) = bench.check(run) else { continue };
        let mistake = |named: &Named, what: &str, hint: &str| {
            Diagnostic::new(&named.at, format!("unknown {what} `{}`", named.name)).with_help(hint)
        };
        match &why {
            MeasureError::UnknownTarget(hint) if target.explicit => {
                return Err(mistake(target, "target", hint));
            }
            MeasureError::UnknownMethod(hint) if method.explicit => {
                return Err(mistake(method, "method", hint));
            }
            _ => {
                barred.insert(run.clone(), why);
            }
        }
    }
    Ok(())
}
