//! A run of the installed fio on the permitted paths, unless an earlier test that was killed has
//! made it already.

use super::quality::{Errors, Watched};
use super::{RealTarget, failed, left_out, refused, seconds};
use crate::failure::Failure;
use crate::load::Load;
use real::job::Redirected;
use real::{Journal, ModelTime, Permit, Progress, RealJob, Seen, SourceOptions, Ticks, Uptime};
use serde::{Deserialize, Serialize};
use serde_json::json;
use stats::RunResult;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A run as the journal keeps it.
#[derive(Serialize, Deserialize)]
struct Done {
    output: real::Output,
    #[serde(flatten)]
    watched: Watched,
    /// What a served drive's own time says of the measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    told: Vec<String>,
}

impl RealTarget {
    /// Runs a load, after so much of it that is not measured.
    pub(super) fn start(
        &mut self,
        load: &Load,
        ramp_us: u64,
        runtime_us: u64,
    ) -> Result<RunResult, Failure> {
        let load = load.on_devices(self.held.len());
        let options = SourceOptions {
            name: load.name().to_owned(),
            base_dir: PathBuf::from("."),
            variables: load.variables(ramp_us, runtime_us),
            ..SourceOptions::default()
        };
        let job = RealJob::parse(load.text(), &options).map_err(refused)?;
        let permits = self.permits()?;
        let size = self.bytes.iter().copied().min();
        let redirected = job.redirect(&permits, size).map_err(refused)?;
        let of_traces = redirected.warnings.iter().filter(|told| told.code == "trace");
        self.told.extend(of_traces.map(|told| told.message.clone()));
        let what = redirected.text.clone();
        let done = self.once(&what, |target| target.run_fio(&permits, &redirected, ramp_us))?;
        let result = done.output.result(&redirected).map_err(failed)?;
        let mut step = json!({ "fio": redirected.text, "seconds": seconds(&result) });
        if let Some(bytes) = done.watched.others_bytes {
            step["others_bytes"] = json!(bytes);
        }
        self.steps.push(step);
        self.judge(&result, &done.watched);
        self.watched = done.watched;
        // Nothing is measured while a drive is filled.
        self.told.extend(done.told.into_iter().filter(|_| runtime_us > 0));
        if let Some(job) = result.jobs.iter().find(|job| job.error != 0) {
            return Err(Failure::failed(real::outcome::fio_error(job.error, &permits)));
        }
        let sum = |bytes: fn(&stats::JobResult) -> u64| -> f64 {
            result.jobs.iter().map(|job| bytes(job) as f64).sum()
        };
        self.counters.host_read_bytes += sum(|job| job.read().io_bytes);
        self.counters.host_write_bytes += sum(|job| job.write().io_bytes);
        self.counters.seconds += seconds(&result);
        Ok(result)
    }

    fn run_fio(
        &mut self,
        permits: &[Permit],
        redirected: &Redirected,
        ramp_us: u64,
    ) -> Result<Done, Failure> {
        if self.errors == Errors::Unasked {
            self.errors = self.errors_now();
        }
        let (began, ticks) = (Uptime::now(), Ticks::now(&self.system));
        let (system, journal, interrupted) = (&self.system, &mut self.journal, self.interrupted);
        let sensors = &mut self.sensors;
        sensors.begin(system);
        let mut news = |_: Progress| {
            while Uptime::now().awake_since(began) >= (sensors.seconds() + 1) as f64 {
                sensors.second(system);
                note(journal.as_mut(), system, permits);
            }
            match interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let before = permits.iter().find_map(ModelTime::ask);
        let output = real::run::run(system, &self.fio, permits, redirected, &self.run, &mut news)
            .map_err(failed)?;
        if output.cancelled {
            return Err(Failure::failed("interrupted"));
        }
        let result = output.result(redirected).map_err(failed)?;
        let after = permits.iter().find_map(ModelTime::ask);
        let told = before.zip(after).map(|(before, after)| before.until(&after, &result));
        let slept_s = Some(Uptime::now().slept_since(began));
        let (before, now) = (self.errors, self.errors_now());
        self.errors = now;
        let busy = Ticks::now(&self.system).zip(ticks);
        let watched = Watched {
            processors_busy: busy.and_then(|(now, before)| now.busy_since(before)),
            slept_s,
            link_changed: self.link_changed(),
            errors: now.since(before),
            ..self.sensors.over_time(&self.system, &result, ramp_us)
        };
        Ok(Done { output, watched, told: told.unwrap_or_default() })
    }

    /// What a step gives: what it gave when it was made, or makes it now and keeps it. The paths
    /// are looked at again first: what is permitted is what is there now.
    pub(super) fn once<T: Serialize + for<'a> Deserialize<'a>>(
        &mut self,
        what: &str,
        make: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let known = match &mut self.journal {
            Some(journal) => journal.take(what).map_err(failed)?,
            None => None,
        };
        if let Some(gave) = known {
            return Ok(gave);
        }
        let gave = make(self)?;
        if let Some(journal) = &mut self.journal {
            let seen = Seen::now(&self.system, &self.held);
            journal.ended(what, &gave, seen).map_err(|error| {
                failed(format!(
                    "{}: {error}; the steps before this one are kept there, and the same command \
                     goes on from them",
                    journal.path().display()
                ))
            })?;
        }
        Ok(gave)
    }
}

/// What is seen of the paths while a step runs. A journal that cannot be written says so when the
/// step has ended.
fn note(journal: Option<&mut Journal>, system: &real::System, permits: &[Permit]) {
    if let Some(journal) = journal {
        let _ = journal.note(Seen::now(system, permits));
    }
}

/// Takes up the steps of an earlier test, if its paths are as it left them, and says so. Else they
/// are forgotten.
pub(super) fn resumed(
    journal: &mut Journal,
    of: &str,
    system: &real::System,
    held: &[Permit],
) -> Result<Option<String>, Failure> {
    let steps = journal.steps();
    if steps == 0 {
        return Ok(None);
    }
    let gone = held.iter().find(|permit| *permit.kind() == real::PermitKind::NewFile);
    let meanwhile = match (gone, journal.last()) {
        (Some(permit), _) => {
            real::Meanwhile::Changed(format!("{} is gone", permit.path().display()))
        }
        (None, Some((last, before))) => Seen::now(system, held).since(last, before, held),
        (None, None) => real::Meanwhile::Changed("nothing was seen of it".to_owned()),
    };
    let steps = metric::counted(steps, "step");
    Ok(Some(match meanwhile {
        real::Meanwhile::Rested(break_of) => {
            format!("{steps} of an earlier start were taken, {break_of}")
        }
        real::Meanwhile::Changed(why) => {
            let aside = journal.put_aside(of).map_err(left_out)?;
            format!(
                "{steps} of an earlier start were not taken: {why}; they are in {}",
                aside.display()
            )
        }
    }))
}
