//! A whole fio job file, as it is written.

use super::{Action, Step};
use crate::added;
use crate::failure::Failure;
use crate::load::Load;
use crate::metrics;
use crate::session::Session;
use crate::target::{Ran, Work};
use crate::values::Values;
use engine::Duration;
use metric::State;
use schemars::JsonSchema;
use serde::Deserialize;
use stats::JobResult;

/// Runs all jobs of a file with their own times and sizes, and measures each. A model is first
/// brought into the state of parameter `state`, or into the one that `drivelab run` would begin
/// with; something real is left as it is unless `state` is given.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobFile {
    /// Name of its numbers: those of an only entry as they are, of several as `ENTRY.NUMBER`.
    #[serde(rename = "as")]
    pub name: String,
    /// The job file, one of `[jobs]`.
    pub job: String,
}

/// Window of the curves over time, ms.
const WINDOW_MS: u64 = 100;

impl Action for JobFile {
    fn said(&self) -> String {
        format!("job file `{}`", self.job)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        let load = self.load(session)?;
        session.target.check(&work(&load))
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let load = self.load(session)?;
        self.prepare(session, &load)?;
        session.tell(&self.name, 0.0);
        let ran = session.measure(&work(&load))?;
        session.follow(&self.name, Some(&ran), false);
        let entries = entries(&ran.run.jobs);
        for (name, jobs) in &entries {
            let prefix = if entries.len() > 1 { name } else { "" };
            session.keep_histograms(prefix, jobs);
        }
        session.written = true;
        session.results.insert(self.name.clone(), numbers(&ran));
        Ok(())
    }
}

impl Step {
    /// A step that runs the job file of this name, with the numbers that its method passes on.
    pub(crate) fn of_jobs(job: &str) -> Step {
        Step::JobFile(JobFile { name: "load".to_owned(), job: job.to_owned() })
    }
}

impl JobFile {
    fn load(&self, session: &Session<'_>) -> Result<Load, Failure> {
        let depth = session.params.queue_depth().unwrap_or(1);
        Ok(Load::own(&self.job, session.job(Some(&self.job))?, session.options.ios, depth))
    }

    /// Brings the target into the state that the jobs begin with.
    fn prepare(&self, session: &mut Session<'_>, load: &Load) -> Result<(), Failure> {
        let state = match session.params.state() {
            Some(state) => state,
            None if !session.target.modelled() => return Ok(()),
            None if simulate::fill_first(&load.parse(0, 0)?.jobs) => State::Fresh,
            None => State::Filled,
        };
        session.target.prepare(state, 1.0)?;
        session.line.mark(state.word());
        session.state = state;
        Ok(())
    }
}

/// The jobs end by themselves.
fn work(load: &Load) -> Work<'_> {
    Work::pass(load, Duration::from_ms(WINDOW_MS))
}

/// The entries of the report by name: copies of a job that report by themselves share theirs.
fn entries(jobs: &[JobResult]) -> Vec<(&str, Vec<&JobResult>)> {
    let mut all: Vec<(&str, Vec<&JobResult>)> = Vec::new();
    for job in jobs {
        match all.iter_mut().find(|(name, _)| *name == job.jobname) {
            Some((_, same)) => same.push(job),
            None => all.push((&job.jobname, vec![job])),
        }
    }
    all
}

/// The numbers of each entry of the report, and those of the whole run.
fn numbers(ran: &Ran) -> Values {
    let entries = entries(&ran.run.jobs);
    let several = entries.len() > 1;
    let mut all = metrics::of_target(ran);
    for (_, jobs) in entries {
        let job = match jobs[..] {
            [one] => one.clone(),
            _ => added::together(&jobs),
        };
        let ms = job.read().runtime_ms.max(job.write().runtime_ms) as f64;
        // fio counts in ms; who ran to the end ran as long as was measured.
        let whole = (ms - ran.measured_s * 1e3).abs() <= 1.0;
        let seconds = if whole { ran.measured_s } else { ms / 1e3 };
        for (name, value) in metrics::of_job(&job, seconds) {
            let name = if several { format!("{}.{name}", job.jobname) } else { name };
            all.insert(name, value);
        }
    }
    all
}
