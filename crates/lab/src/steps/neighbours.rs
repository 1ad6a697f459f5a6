//! Reads in some namespaces of a drive while others of its namespaces are under a mixed load.
use super::Action;
use crate::apart;
use crate::failure::Failure;
use crate::load::{Load, percent};
use crate::options::BenchOptions;
use crate::session::Session;
use crate::target::Work;
use schemars::JsonSchema;
use serde::Deserialize;
use stats::percentile::samples_for;

/// Random reads at a low depth in each of the last namespaces, beside a mixed random load in the
/// first ones. Reported is the mean of what each reading namespace shows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Neighbours {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
}

/// Measured time on a real drive where none is given, s.
const TIME_S: f64 = 60.0;
/// Shortest measured time, s.
const LEAST_S: f64 = 0.5;
/// Time before anything is measured, s.
const RAMP_S: f64 = 1.0;
/// Simulated time of the look that says how fast the reads are, s.
const PILOT_S: f64 = 0.2;
/// A little more than is needed, because the look is short.
const MORE: f64 = 1.05;
/// The percentile that the number of reads is made for where none is said.
const PERCENT: f64 = 99.99;
/// The deepest that reviews print.
const DEEPEST: f64 = 99.9999;

/// Who does what.
#[derive(Clone, Copy)]
struct Roles {
    namespaces: u64,
    mixed: u64,
    reading: u64,
}

impl Roles {
    fn of(session: &Session<'_>) -> Result<Roles, Failure> {
        let count = |name: &str, usual: u64| session.params.count(name).unwrap_or(usual);
        let roles = Roles {
            namespaces: count("namespaces", 6),
            mixed: count("mixed_write_namespaces", 3),
            reading: count("read_namespaces", 3),
        };
        let Roles { namespaces, mixed, reading } = roles;
        if reading == 0 {
            return Err(Failure::left_out("read_namespaces is 0: there is nothing to time"));
        }
        if mixed.saturating_add(reading) > namespaces {
            return Err(Failure::left_out(format!(
                "{mixed} namespaces with a mixed load and {reading} that read are more than the \
                 {namespaces} there are; raise `namespaces` or lower one of them"
            )));
        }
        Ok(roles)
    }
}

impl Action for Neighbours {
    fn said(&self) -> String {
        format!("neighbours `{}`", self.name)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        let (load, _) = load(session, Roles::of(session)?);
        session.target.check(&Work::timed(&load, RAMP_S, LEAST_S))
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let roles = Roles::of(session)?;
        let devices = session.target.devices().len();
        let (load, divided) = load(session, roles);
        if !divided {
            session.warn(format!(
                "the target shows {devices} device: {} regions of it stand for namespaces",
                roles.namespaces
            ));
        }
        session.tell("reads beside a mixed load", 0.0);
        let seconds = runtime(session, &load)?;
        let ran = session.measure(&Work::timed(&load, RAMP_S, seconds))?;
        let reads = apart::named(&ran.run.jobs, "reads");
        if let Some(few) = apart::too_few(&reads, &[99.0, 99.9, 99.99, DEEPEST]) {
            session.warn(format!(
                "in each namespace {few}; `percentile` and the budget say how many are made"
            ));
        }
        let mixed = apart::named(&ran.run.jobs, "mixed");
        session.keep_histograms("", &reads);
        session.keep_histograms("mixed", &mixed);
        let values = apart::beside(&ran, (&reads, 1), (&mixed, 1));
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}

/// The jobs of all roles, and whether each has a device of its own.
fn load(session: &Session<'_>, roles: Roles) -> (Load, bool) {
    let params = &session.params;
    let divided = session.target.devices().len() as u64 >= roles.mixed + roles.reading;
    let block = params.block().unwrap_or(4096);
    let read = percent(params.read_share().unwrap_or(0.5));
    let rate = params.bandwidth("rate").map(|rate| rate / roles.mixed.max(1));
    // Its reads are held as well, so that the mix stays what it is.
    let writes = 100 - read.min(99);
    let read_rate = rate.map_or(0, |rate| rate.saturating_mul(100 - writes) / writes);
    let env = [
        ("BLOCK_BYTES", block.to_string()),
        ("READ_PERCENT", read.min(99).to_string()),
        ("DEPTH", params.queue_depth().unwrap_or(1).max(1).to_string()),
        ("READ_DEPTH", params.count("read_qd").unwrap_or(1).max(1).to_string()),
        ("READ_RATE", read_rate.to_string()),
        ("RATE", rate.unwrap_or(0).to_string()),
    ];
    let mut load = Load::plain(&job(roles, divided, rate.is_some()), &env, None);
    (load.block, load.read) = (block, 0.5);
    (load, divided)
}

/// Seconds to measure. On a model as many as the reads take that the percentile needs in each
/// namespace, or all I/Os of the usual work if those are more; a budget that somebody set counts
/// alone.
fn runtime(session: &mut Session<'_>, load: &Load) -> Result<f64, Failure> {
    if let Some(seconds) = session.seconds("${duration}")? {
        return Ok(seconds.max(LEAST_S));
    }
    if !session.target.modelled() {
        return Ok(TIME_S);
    }
    let look = Work { pilot: true, ..Work::timed(load, PILOT_S, PILOT_S) };
    let ran = session.target.run(&look)?;
    let seconds = ran.measured_s.max(1e-9);
    let all: u64 = ran.run.jobs.iter().map(|job| job.total_ios()).sum();
    let reads = apart::named(&ran.run.jobs, "reads");
    let slowest = reads.iter().map(|job| job.read().total_ios).min().unwrap_or(0);
    let ios = session.options.ios;
    let by_work = ios as f64 * seconds / all.max(1) as f64;
    let percent = session.params.share("percentile").map_or(PERCENT, |share| share * 100.0);
    let wanted = samples_for(percent).unwrap_or(0) as f64 * MORE;
    let by_reads = wanted * seconds / slowest.max(1) as f64;
    let unset = ios == BenchOptions::default().ios;
    Ok(if unset { by_work.max(by_reads) } else { by_work }.max(LEAST_S))
}

/// A section for each namespace with a role; `apart` if each is a device, else a region of one.
fn job(roles: Roles, apart: bool, held: bool) -> String {
    let mut text = apart::HEAD.to_owned();
    let share = 100 / roles.namespaces;
    let place = |number: u64| match apart {
        true => format!("filename=/dev/target{number}\nsize=100%\n"),
        false => {
            format!("filename=/dev/target\noffset={}%\nsize={share}%\n", number * share)
        }
    };
    for number in 0..roles.mixed {
        text.push_str(&format!(
            "\n[mixed{number}]\n{}rw=randrw\nrwmixread=${{READ_PERCENT}}\niodepth=${{DEPTH}}\n",
            place(number)
        ));
        if held {
            text.push_str("rate=${READ_RATE},${RATE}\n");
        }
    }
    for number in roles.namespaces - roles.reading..roles.namespaces {
        text.push_str(&format!(
            "\n[reads{number}]\n{}rw=randread\niodepth=${{READ_DEPTH}}\n",
            place(number)
        ));
    }
    text
}
