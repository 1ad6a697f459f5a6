//! A file or a device that exists as the target of a method: the installed fio behind the guard.

use super::load::Load;
use super::target::{Counters, Failure, Ran, Target, Work, Written};
use crate::review::State;
use real::{InstalledFio, Permit, PermitKind, Progress, Purge, RealJob, Request, RunOptions};
use real::{SourceOptions, System, Tools};
use smart::counter;
use stats::{LogKind, RunResult, Windows};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// What a user says about a real target.
#[derive(Clone, Debug, Default)]
pub struct RealOptions {
    /// The file or device.
    pub path: PathBuf,
    /// Bytes of a file that is made.
    pub size: Option<u64>,
    /// An existing file that drivelab did not make may be overwritten.
    pub overwrite: bool,
    /// Serial number of the device whose data may be destroyed.
    pub destroy_data: Option<String>,
}

/// A real drive, or a file on one.
pub struct RealTarget {
    name: String,
    request: Request,
    system: System,
    tools: Tools,
    fio: InstalledFio,
    run: RunOptions,
    bytes: u64,
    counters: Counters,
}

/// Interval of fio's bandwidth log, ms.
const LOG_MS: u64 = 100;
/// Random writes that bring a real drive into its steady state, in capacities.
const STEADY_PASSES: u64 = 2;

impl RealTarget {
    /// Asks the guard. Nothing is written yet.
    ///
    /// # Errors
    /// The guard's refusal, a missing fio, or a new file without a size.
    pub fn new(options: RealOptions) -> Result<Self, Failure> {
        let request = Request {
            path: options.path.clone(),
            writes: true,
            purge: true,
            overwrite: options.overwrite,
            destroy_data: options.destroy_data,
        };
        let system = System::real();
        let permit = system.examine(&request).map_err(left_out)?;
        let bytes = match permit.kind() {
            PermitKind::BlockDevice(device) => device.size_bytes,
            _ => options.size.unwrap_or(permit.size_bytes()),
        };
        if bytes == 0 {
            let why = format!("{}: its size is not known; add --size", options.path.display());
            return Err(Failure::left_out(why));
        }
        Ok(RealTarget {
            name: options.path.display().to_string(),
            request,
            system,
            tools: Tools::installed(),
            fio: InstalledFio::find().map_err(failed)?,
            run: RunOptions::default(),
            bytes,
            counters: Counters::default(),
        })
    }

    /// The version of the installed fio.
    pub fn fio_version(&self) -> &str {
        self.fio.version()
    }

    /// The path is examined anew before each use: what is permitted is what is there now.
    fn permit(&self) -> Result<Permit, Failure> {
        self.system.examine(&self.request).map_err(left_out)
    }

    fn start(&mut self, load: &Load, ramp_us: u64, runtime_us: u64) -> Result<RunResult, Failure> {
        let options = SourceOptions {
            name: "method".to_owned(),
            base_dir: PathBuf::from("."),
            variables: load.variables(ramp_us, runtime_us),
        };
        let job = RealJob::parse(load.text(), &options).map_err(left_out)?;
        let permit = self.permit()?;
        let redirected = job.redirect(&permit, Some(self.bytes)).map_err(left_out)?;
        let mut news = |_: Progress| ControlFlow::Continue(());
        let (fio, run) = (&self.fio, &self.run);
        let output = real::run::run(&self.system, fio, &permit, &redirected, run, &mut news)
            .map_err(failed)?;
        let result = output.result(&redirected).map_err(failed)?;
        if let Some(job) = result.jobs.iter().find(|job| job.error != 0) {
            return Err(Failure::failed(format!("fio ended with error {}", job.error)));
        }
        let sum = |bytes: fn(&stats::JobResult) -> u64| -> f64 {
            result.jobs.iter().map(|job| bytes(job) as f64).sum()
        };
        self.counters.host_read_bytes += sum(|job| job.read().io_bytes);
        self.counters.host_write_bytes += sum(|job| job.write().io_bytes);
        self.counters.seconds += seconds(&result);
        Ok(result)
    }
}

/// Run time of the longest side, s.
fn seconds(result: &RunResult) -> f64 {
    let sides = result.jobs.iter().flat_map(|job| [job.read().runtime_ms, job.write().runtime_ms]);
    sides.max().unwrap_or(0) as f64 / 1e3
}

/// fio's bandwidth log as windows.
fn windows(result: &RunResult) -> Option<Windows> {
    let logs = result.jobs.iter().flat_map(|job| &job.logs);
    let mut rows: Vec<_> =
        logs.filter(|log| log.kind == LogKind::Bw).flat_map(|log| log.rows()).collect();
    rows.sort_by_key(|row| row.ms);
    let mut windows = Windows::new(0, LOG_MS * stats::window::PS_PER_MS);
    let end_ms = rows.last()?.ms;
    for row in &rows {
        let direction =
            if row.ddir == 0 { stats::Direction::Read } else { stats::Direction::Write };
        let bytes = row.value.saturating_mul(1024).saturating_mul(LOG_MS) / 1000;
        // A row is about the time before it.
        let at = row.ms.saturating_sub(LOG_MS / 2) * stats::window::PS_PER_MS;
        windows.push(at, direction, bytes, 0);
    }
    windows.finish(end_ms * stats::window::PS_PER_MS);
    Some(windows)
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

    fn scale(&self) -> f64 {
        1.0
    }

    fn devices(&self) -> Vec<u64> {
        vec![self.bytes]
    }

    fn raw_bytes(&self) -> Option<f64> {
        None
    }

    fn sector(&self) -> u64 {
        512
    }

    /// Purges, then writes as much as the state asks for: once in order, and for `steady` at random
    /// twice the bytes that are addressed.
    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        let permit = self.permit()?;
        if *permit.kind() != PermitKind::NewFile {
            let way = Purge::fitting(&permit);
            real::purge::purge(&self.system, &self.tools, &permit, way).map_err(left_out)?;
        }
        if state != State::Fresh {
            self.fill()?;
        }
        if state == State::Steady {
            let span = (self.bytes as f64 * share) as u64 / 4096 * 4096;
            let load = Load::scatter(span.max(4096), STEADY_PASSES);
            self.start(&load, 0, 0)?;
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<(), Failure> {
        self.start(&Load::pass(false, 128 << 10, 32, 0), 0, 0).map(|_| ())
    }

    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        let logged = work.load.logged(LOG_MS);
        let run = self.start(&logged, work.ramp_us, work.runtime_us)?;
        Ok(Ran {
            windows: windows(&run),
            measured_s: seconds(&run),
            run,
            mean_power_w: None,
            heat: None,
            write_amplification: None,
            warnings: Vec::new(),
        })
    }

    fn load_for(&mut self, load: &Load, seconds: f64, _seed: u64) -> Result<Written, Failure> {
        let before = self.counters.host_write_bytes;
        self.start(load, 0, (seconds * 1e6) as u64)?;
        Ok(Written { host_bytes: self.counters.host_write_bytes - before })
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Failure> {
        std::thread::sleep(Duration::from_secs_f64(seconds.clamp(0.0, 1e6)));
        Ok(())
    }

    /// What fio did, and, of a device, what its health log says about flash writes and wear.
    fn counters(&mut self) -> Result<Counters, Failure> {
        let permit = self.permit()?;
        let PermitKind::BlockDevice(_) = permit.kind() else { return Ok(self.counters) };
        let health = real::smartctl::health(&self.tools, permit.path()).map_err(left_out)?;
        let first = |volumes: Vec<counter::Volume>| {
            volumes.first().map(|volume| volume.count * volume.step)
        };
        let wear = counter::wear_percent(&health.snapshot);
        Ok(Counters {
            host_write_bytes: first(counter::host_writes(&health.snapshot))
                .unwrap_or(self.counters.host_write_bytes),
            flash_write_bytes: first(counter::nand_writes(&health.snapshot)),
            wear: wear.map(|wear| wear.steps * wear.step),
            wear_step: wear.map_or(0.0, |wear| wear.step),
            ..self.counters
        })
    }

    fn rated_cycles(&self) -> Option<f64> {
        None
    }
}
