//! Files or devices that exist as the target of a method: the installed fio behind the guard.

mod fio_run;
mod options;
mod others;
mod quality;
mod sensors;
mod steady;

use crate::failure::Failure;
use crate::fio_windows::{LOG_MS, windows};
use crate::load::Load;
use crate::target::{Counters, Ran, Target, Work, Written};
use engine::whole;
use metric::State;
pub use options::RealOptions;
use options::{consent, permitted};
use quality::{Errors, Watched};
use real::device::Device;
use real::{
    Conditions, Identity, InstalledFio, Journal, Permit, PermitKind, Purge, Request, RunOptions,
    System, Tools,
};
use sensors::Sensors;
use serde_json::{Value, json};
use smart::counter;
use stats::{GateTotal, Judged, RunResult};
use std::time::Duration;
use steady::FILL_BLOCK;
pub use steady::has_sprandom;
pub(super) use steady::{STEADY_PASSES, over_provisioning};

/// Real drives, or files on them. They stay claimed as long as it lives.
pub struct RealTarget {
    name: String,
    held: Vec<Permit>,
    system: System,
    tools: Tools,
    fio: InstalledFio,
    run: RunOptions,
    bytes: Vec<u64>,
    identities: Vec<Identity>,
    conditions: Vec<Conditions>,
    /// What is seen of the drives once a second.
    sensors: Sensors,
    /// What was seen of the drives over the last run.
    watched: Watched,
    steps: Vec<Value>,
    /// What is to be said with the next run: at first of the conditions, later of the traces that
    /// it replays.
    told: Vec<String>,
    interrupted: fn() -> bool,
    counters: Counters,
    /// What the drives' health logs said last.
    errors: Errors,
    /// What was asked of all runs.
    judged: Vec<Judged>,
    /// The steps, if they are kept.
    journal: Option<Journal>,
}

/// How long it sleeps in an idle time before it looks whether to stop.
const NAP: Duration = Duration::from_millis(200);

impl RealTarget {
    /// Asks the guard. Nothing is written yet, but a file of drivelab's own that has another size
    /// than the one asked for goes: it is made anew.
    ///
    /// # Errors
    /// The guard's refusal, a missing fio, no room, or a size that is missing or has no meaning.
    pub fn new(options: RealOptions) -> Result<Self, Failure> {
        let fio = InstalledFio::find().map_err(failed)?;
        let system = System::real();
        let (mut held, mut bytes, mut identities) = (Vec::new(), Vec::new(), Vec::new());
        let (mut conditions, mut drives) = (Vec::new(), Vec::new());
        // Of a file the drive is only one of the things below it: its conditions are kept, no more.
        let (mut told, mut alone) = (Vec::new(), Vec::new());
        for request in options.requests() {
            let (permit, own) = permitted(&system, &request, options.size)?;
            if let Some(device) = real::drive_below(&system, &permit) {
                let seen = Conditions::of(&system, &device);
                if let PermitKind::BlockDevice(_) = permit.kind() {
                    told.extend(seen.concerns());
                    alone.push(device.clone());
                }
                conditions.push(seen);
                drives.push(device);
            }
            identities.push(Identity::of(&system, &permit, own, &fio));
            held.push(permit);
            bytes.push(own);
        }
        let mut journal = None;
        if let Some((path, of)) = &options.journal {
            let place = |error| failed(format!("{}: {error}", path.display()));
            let mut kept = Journal::open(path, of).map_err(place)?;
            told.extend(fio_run::resumed(&mut kept, of, &system, &held)?);
            journal = Some(kept);
        }
        let tools = Tools::installed();
        let sensors = Sensors::of(&system, &tools, &drives, alone);
        let names = options.paths.iter().map(|path| path.display().to_string());
        Ok(RealTarget {
            name: names.collect::<Vec<_>>().join(","),
            held,
            system,
            tools,
            fio,
            run: RunOptions::default(),
            bytes,
            identities,
            told,
            conditions,
            sensors,
            watched: Watched::default(),
            steps: Vec::new(),
            interrupted: options.interrupted,
            counters: Counters::default(),
            errors: Errors::Unasked,
            judged: Vec::new(),
            journal,
        })
    }

    /// What the paths stand for, each with its drive where one is seen, if the guard would let them
    /// pass now. Nothing is changed, and nothing stays claimed.
    ///
    /// # Errors
    /// As those of [`RealTarget::new`].
    pub fn look(options: &RealOptions) -> Result<Vec<(Identity, Option<Device>)>, Failure> {
        let fio = InstalledFio::find().map_err(failed)?;
        let system = System::real();
        let requests = options.requests();
        let one = |request: &Request| {
            let (permit, bytes) = consent(&system, request, options.size)?;
            let device = real::drive_below(&system, &permit);
            Ok((Identity::of(&system, &permit, bytes, &fio), device))
        };
        requests.iter().map(one).collect()
    }

    /// The paths are examined anew before each use: what is permitted is what is there now.
    fn permits(&self) -> Result<Vec<Permit>, Failure> {
        if (self.interrupted)() {
            return Err(Failure::failed("interrupted"));
        }
        self.held.iter().map(|permit| permit.renewed(&self.system).map_err(left_out)).collect()
    }
}

impl RealTarget {
    fn purge(&mut self, permit: &Permit) -> Result<(), Failure> {
        let path = permit.path().display().to_string();
        let way = self.once(&format!("purge {path}"), |target| {
            if *permit.kind() == PermitKind::NewFile {
                return Ok(None);
            }
            let way = Purge::fitting(permit);
            real::purge::purge(&target.system, &target.tools, permit, way).map_err(left_out)?;
            Ok(Some(way.describe().to_owned()))
        })?;
        if let Some(way) = way {
            self.steps.push(json!({ "purge": way, "path": path }));
        }
        Ok(())
    }

    /// Lets time pass.
    fn rest(&self, seconds: f64) -> Result<(), Failure> {
        let mut left = Duration::from_secs_f64(seconds.clamp(0.0, 1e6));
        while !left.is_zero() {
            if (self.interrupted)() {
                return Err(Failure::failed("interrupted"));
            }
            let nap = left.min(NAP);
            std::thread::sleep(nap);
            left -= nap;
        }
        Ok(())
    }

    /// The counters now: see [`Target::counters`].
    fn counted(&mut self) -> Result<Counters, Failure> {
        let mut all = Counters { host_write_bytes: 0.0, ..self.counters };
        for permit in self.permits()? {
            // A file has no counters, nor have several targets of which one is a file.
            let PermitKind::BlockDevice(_) = permit.kind() else { return Ok(self.counters) };
            let health = real::smartctl::health(&self.tools, permit.path()).map_err(left_out)?;
            let first = |volumes: Vec<counter::Volume>| {
                volumes.first().map(|volume| volume.count * volume.step)
            };
            let Some(written) = first(counter::host_writes(&health.snapshot)) else {
                all.host_write_bytes = self.counters.host_write_bytes;
                continue;
            };
            all.host_write_bytes += written;
            let flash = first(counter::nand_writes(&health.snapshot));
            all.flash_write_bytes = flash.map(|bytes| bytes + all.flash_write_bytes.unwrap_or(0.0));
            // The most worn of several counts.
            if let Some(wear) = counter::wear_percent(&health.snapshot) {
                all.wear = Some(all.wear.unwrap_or(0.0).max(wear.steps * wear.step));
                all.wear_step = wear.step;
            }
        }
        Ok(all)
    }

    /// Leaves all as they are. Of a file that is not there yet nothing can be kept.
    fn keep(&mut self) -> Result<(), Failure> {
        let permits = self.permits()?;
        let is_new = |permit: &&Permit| *permit.kind() == PermitKind::NewFile;
        if let Some(permit) = permits.iter().find(is_new) {
            let path = permit.path().display();
            return Err(left_out(format!("{path} holds nothing that could be kept")));
        }
        self.told.push("the drive was tested as it was: nothing was written first".to_owned());
        self.steps.push(json!({ "kept": true }));
        Ok(())
    }

    /// Purges all; each is looked at before the first is touched.
    fn purge_all(&mut self) -> Result<(), Failure> {
        self.permits()?.iter().try_for_each(|permit| self.purge(permit))
    }
}

/// Run time of the longest side, s.
fn seconds(result: &RunResult) -> f64 {
    let sides = result.jobs.iter().flat_map(|job| [job.read().runtime_ms, job.write().runtime_ms]);
    sides.max().unwrap_or(0) as f64 / 1e3
}

/// A job that cannot run on any real drive leaves out the whole, not one step of a sweep.
fn refused(why: fio::Diagnostic) -> Failure {
    Failure::Measure(Failure::from(why).into())
}

fn left_out(why: impl std::fmt::Display) -> Failure {
    Failure::left_out(why.to_string())
}

fn failed(why: impl std::fmt::Display) -> Failure {
    Failure::failed(why.to_string())
}

impl Target for RealTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn modelled(&self) -> bool {
        false
    }

    fn about(&self) -> Value {
        json!({
            "targets": self.identities,
            "conditions": self.conditions,
            "steps": self.steps,
            "gates": GateTotal::of(&self.judged),
        })
    }

    fn devices(&self) -> Vec<u64> {
        self.bytes.clone()
    }

    fn sector(&self) -> u64 {
        512
    }

    /// Purges, then writes what the state asks for.
    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        if state == State::Kept {
            return self.keep();
        }
        self.purge_all()?;
        match state {
            State::Steady => self.scatter(share),
            State::Filled => self.fill(FILL_BLOCK),
            State::Fresh | State::Kept => Ok(()),
        }
    }

    fn format(&mut self, device: usize) -> Result<(), Failure> {
        match self.permits()?.get(device) {
            Some(permit) => self.purge(permit),
            None => Err(Failure::left_out(format!("there is no device {device}"))),
        }
    }

    fn fill(&mut self, block: u64) -> Result<(), Failure> {
        self.start(&Load::pass(false, block, 32, 0), 0, 0).map(|_| ())
    }

    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        let logged = work.load.logged(LOG_MS);
        let run = self.start(&logged, work.ramp_us, work.runtime_us)?;
        let windows = windows(&run);
        self.judge_measured(work, &run, windows.as_ref());
        Ok(Ran {
            limit: None,
            windows,
            measured_s: seconds(&run),
            run,
            mean_power_w: None,
            heat: None,
            processors_busy: self.watched.processors_busy,
            sensed: std::mem::take(&mut self.watched.sensed),
            write_amplification: None,
            warnings: std::mem::take(&mut self.told),
        })
    }

    fn load_for(&mut self, load: &Load, seconds: f64, _seed: u64) -> Result<Written, Failure> {
        let before = self.counters.host_write_bytes;
        self.start(load, 0, whole(seconds * 1e6))?;
        Ok(Written { host_bytes: self.counters.host_write_bytes - before })
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Failure> {
        self.once(&format!("idle {seconds} s"), |target| target.rest(seconds))?;
        self.steps.push(json!({ "idle": true, "seconds": seconds }));
        Ok(())
    }

    /// What fio did, and, of a device, what its health log says about flash writes and wear.
    fn counters(&mut self) -> Result<Counters, Failure> {
        self.once("health", |target| target.counted())
    }

    fn rated_cycles(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job that also logs histograms: how many I/Os a worker did up to each row, to the last
    /// one.
    const COUNTED: &str = "\
[counted]
filename=/dev/target
ioengine=libaio
direct=1
group_reporting=1
time_based
rw=randread
bs=4k
iodepth=4
size=100%
numjobs=${JOBS}
ramp_time=${RAMP_US}us
runtime=${RUNTIME_US}us
write_hist_log=counted
log_hist_msec=100
";

    /// I/Os up to a time, from points of time and sum; between them the sum grows evenly.
    fn at(points: &[(f64, f64)], ms: f64) -> f64 {
        let after = points.iter().position(|(time, _)| *time >= ms).unwrap_or(points.len() - 1);
        let (from, to) = (points[after.max(1) - 1], points[after.max(1)]);
        from.1 + (to.1 - from.1) * ((ms - from.0) / (to.0 - from.0)).clamp(0.0, 1.0)
    }

    fn sums(steps: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
        let mut sum = 0.0;
        let steps = steps.map(|(ms, ios)| {
            sum += ios;
            (ms, sum)
        });
        std::iter::once((0.0, 0.0)).chain(steps).collect()
    }

    /// How far the curve of a run is from fio's own count of the same I/Os at the end of a window,
    /// as a share of all, at most.
    fn off(path: &std::path::Path, jobs: usize, ramp_us: u64) -> f64 {
        let paths = vec![path.to_path_buf()];
        let options = RealOptions { paths, size: Some(8 << 20), ..RealOptions::default() };
        let mut target = RealTarget::new(options).unwrap();
        target.fill(FILL_BLOCK).unwrap();
        let load = Load::plain(COUNTED, &[("JOBS", jobs.to_string())], None);
        let work = Work { ramp_us, ..Work::timed(&load, 0.0, 1.5) };
        let ran = target.run(&work).unwrap();
        let windows = ran.windows.unwrap();
        let counts = &windows.columns(stats::Direction::Read).ios[..windows.full()];
        assert!((8..=15).contains(&counts.len()), "{counts:?}");
        let ours = sums((1..).map(|i| i as f64 * 100.0).zip(counts.iter().map(|n| *n as f64)));
        let logs = ran.run.jobs.iter().flat_map(|job| &job.hist_logs);
        let fios: Vec<Vec<(f64, f64)>> = logs
            .map(|log| {
                let rows = log.rows.iter();
                sums(rows.map(|row| (row.ms as f64, row.histogram.count() as f64)))
            })
            .collect();
        assert_eq!(fios.len(), jobs);
        let total = ours.last().unwrap().1;
        let off = |(ms, sum): &(f64, f64)| {
            let counted: f64 = fios.iter().map(|log| at(log, *ms)).sum();
            ((sum - counted) / total).abs()
        };
        ours.iter().map(off).fold(0.0, f64::max)
    }

    /// For one worker and several, after a ramp too. A machine that stalls while it measures
    /// is given another chance: what is wrong in the curve is wrong every time.
    #[test]
    fn the_curve_of_a_run_is_the_one_that_fio_counted() {
        let Some(_) = needs::found(needs::FIO, InstalledFio::find().ok()) else { return };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for (jobs, ramp_us) in [(1, 0), (1, 300_000), (3, 0)] {
            let mut seen = Vec::new();
            while seen.last().is_none_or(|off| *off > 0.03) {
                assert!(seen.len() < 4, "{jobs} workers: {seen:?} of the I/Os are elsewhere");
                seen.push(off(&path, jobs, ramp_us));
            }
        }
    }
}
