//! Files or devices that exist as the target of a method: the installed fio behind the guard.

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
    /// The files or devices, in the order in which jobs name them.
    pub paths: Vec<PathBuf>,
    /// Bytes of each file that is made.
    pub size: Option<u64>,
    /// Existing files that drivelab did not make may be overwritten.
    pub overwrite: bool,
    /// Serial number of each device whose data may be destroyed, in the order of the paths.
    pub destroy_data: Vec<Option<String>>,
}

/// Real drives, or files on them.
pub struct RealTarget {
    name: String,
    requests: Vec<Request>,
    system: System,
    tools: Tools,
    fio: InstalledFio,
    run: RunOptions,
    bytes: Vec<u64>,
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
        let request = |(number, path): (usize, &PathBuf)| Request {
            path: path.clone(),
            writes: true,
            purge: true,
            overwrite: options.overwrite,
            destroy_data: options.destroy_data.get(number).cloned().flatten(),
        };
        let requests: Vec<Request> = options.paths.iter().enumerate().map(request).collect();
        let system = System::real();
        let mut bytes = Vec::new();
        for request in &requests {
            let permit = system.examine(request).map_err(left_out)?;
            let own = match permit.kind() {
                PermitKind::BlockDevice(device) => device.size_bytes,
                _ => options.size.unwrap_or(permit.size_bytes()),
            };
            if own == 0 {
                let why = format!("{}: its size is not known; add --size", request.path.display());
                return Err(Failure::left_out(why));
            }
            bytes.push(own);
        }
        let names = options.paths.iter().map(|path| path.display().to_string());
        Ok(RealTarget {
            name: names.collect::<Vec<_>>().join(","),
            requests,
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

    /// The paths are examined anew before each use: what is permitted is what is there now.
    fn permits(&self) -> Result<Vec<Permit>, Failure> {
        let examine = |request: &Request| self.system.examine(request).map_err(left_out);
        self.requests.iter().map(examine).collect()
    }

    fn start(&mut self, load: &Load, ramp_us: u64, runtime_us: u64) -> Result<RunResult, Failure> {
        let load = load.on_devices(self.requests.len());
        let options = SourceOptions {
            name: "method".to_owned(),
            base_dir: PathBuf::from("."),
            variables: load.variables(ramp_us, runtime_us),
        };
        let job = RealJob::parse(load.text(), &options).map_err(left_out)?;
        let permits = self.permits()?;
        let size = self.bytes.iter().copied().min();
        let redirected = job.redirect(&permits, size).map_err(left_out)?;
        let mut news = |_: Progress| ControlFlow::Continue(());
        let (fio, run) = (&self.fio, &self.run);
        let output = real::run::run(&self.system, fio, &permits, &redirected, run, &mut news)
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

impl RealTarget {
    fn purge(&self, permit: &Permit) -> Result<(), Failure> {
        if *permit.kind() != PermitKind::NewFile {
            let way = Purge::fitting(permit);
            real::purge::purge(&self.system, &self.tools, permit, way).map_err(left_out)?;
        }
        Ok(())
    }

    /// Purges all; each is looked at before the first is touched.
    fn purge_all(&self) -> Result<(), Failure> {
        self.permits()?.iter().try_for_each(|permit| self.purge(permit))
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

    fn devices(&self) -> Vec<u64> {
        self.bytes.clone()
    }

    fn sector(&self) -> u64 {
        512
    }

    /// Purges, then writes as much as the state asks for: once in order, and for `steady` at random
    /// twice the bytes that are addressed.
    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        self.purge_all()?;
        if state != State::Fresh {
            self.fill()?;
        }
        if state == State::Steady {
            let span = (self.capacity() as f64 * share) as u64 / 4096 * 4096;
            let load = Load::scatter(span.max(4096), STEADY_PASSES);
            self.start(&load, 0, 0)?;
        }
        Ok(())
    }

    fn format(&mut self, device: usize) -> Result<(), Failure> {
        match self.permits()?.get(device) {
            Some(permit) => self.purge(permit),
            None => Err(Failure::left_out(format!("there is no device {device}"))),
        }
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
        let mut all = Counters { host_write_bytes: 0.0, ..self.counters };
        for permit in self.permits()? {
            // A file tells nothing, nor do several of which one is a file.
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

    fn rated_cycles(&self) -> Option<f64> {
        None
    }
}
