//! Which distinct runs a set of figures and claims needs.

use std::collections::{BTreeMap, BTreeSet};

use fio::Diagnostic;

use super::bench::Bench;
use super::reviews::ReviewFile;
use super::subject::{Named, Subject};
use answer::reproduction::Basis;
use lab::FACTS;
use lab::Run;
use lab::find;
use metric::Metric;
use metric::hint;
use metric::{MeasureError, Measurement};

/// One run to make, and what is wanted from it.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// The run.
    pub run: Run,
    /// The metrics that some figure or claim needs of it: a deep percentile needs more samples.
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
    /// Lists the runs. A name of the table whose drive or method is not there yet bars the run.
    ///
    /// # Errors
    /// If a row itself names a target or method that `bench` does not know, or a parameter that its
    /// method lacks.
    pub fn new(rows: ReviewFile, bench: &dyn Bench) -> Result<Self, Diagnostic> {
        let mut wanted: BTreeMap<Run, BTreeSet<Metric>> = BTreeMap::new();
        let mut barred = BTreeMap::new();
        let mut wrong = Vec::new();
        for figure in &rows.figures {
            if figure.basis == Basis::NotModelled {
                continue;
            }
            check(&figure.subject, bench, &mut barred)?;
            for run in figure.runs() {
                wrong.extend(foreign(&figure.subject, &run));
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
            wrong.extend(side.runs().filter_map(|run| foreign(&side.subject, &run)));
            for run in side.runs().filter(|_| !side.metric.is_carried()) {
                if let Err(why) = bench.check(&run) {
                    barred.insert(run.clone(), why);
                }
                wanted.entry(run).or_default().insert(side.metric.clone());
            }
        }
        // The same row may have several runs with one mistake.
        wrong.dedup();
        if let Some(all) = Diagnostic::several(wrong) {
            return Err(all);
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
    let Subject::Runs { target, method, runs, .. } = subject else { return Ok(()) };
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

/// Parameters that the value of a model may depend on or be stated for.
const FACT_PARAMS: [&str; 2] = ["give_up", "power_state"];

/// A parameter of a run that its method lacks, named where the row has it.
fn foreign(subject: &Subject, run: &Run) -> Option<Diagnostic> {
    let Subject::Runs { method, named, .. } = subject else { return None };
    let (wrong, known) = match find(&run.method) {
        Ok(found) => {
            let own: Vec<&str> = found.params.keys().map(String::as_str).collect();
            (found.foreign(&run.params).first().copied(), own)
        }
        Err(_) if run.method == FACTS => {
            let mut names = run.params.iter().map(|(name, _)| name);
            (names.find(|name| !FACT_PARAMS.contains(name)), FACT_PARAMS.to_vec())
        }
        Err(_) => return None,
    };
    let name = wrong?;
    let at = named.get(name).unwrap_or(&method.at);
    let message = format!("method `{}` has no parameter `{name}`", run.method);
    let hint = hint("parameters", name, known);
    let otherwise = "a row that no method can answer says basis = \"not_modelled\" and why";
    Some(Diagnostic::new(at, message).with_help(format!("{hint}; {otherwise}")))
}
