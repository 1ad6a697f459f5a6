//! Files or devices that exist as the target of a method: the installed fio behind the guard.

use super::fio_windows::{LOG_MS, windows};
use super::load::Load;
use super::target::{Counters, Failure, Ran, Target, Work, Written};
use crate::review::State;
use real::{InstalledFio, Permit, PermitKind, Progress, Purge, RealJob, Request, RunOptions};
use real::{SourceOptions, System, Tools};
use smart::counter;
use stats::RunResult;
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
        target.fill().unwrap();
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

    /// For one worker and several, after a ramp too. A machine that stands still while it measures
    /// is given another chance: what is wrong in the curve is wrong every time.
    #[test]
    fn the_curve_of_a_run_is_the_one_that_fio_counted() {
        let Ok(_) = InstalledFio::find() else {
            eprintln!("skipped: fio is not installed");
            return;
        };
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
