//! A modelled drive on the bench: its state lasts from run to run.

use super::age::AgeSpec;
use super::observe::Observer;
use super::options::RunOptions;
use super::phase::Bench;
use super::scale::Room;
use super::simulated::Simulated;
use super::translate::{self, Setting};
use super::warn::warning;
use crate::health::{Clock, Skipped};
use engine::{Duration, Instant, Power, Stream};
use fio::{Diagnostic, JobFile};
use iopath::config::DriveConfig;
use iopath::drive::{Drive, DriveState};
use iopath::ftl::Ftl;
use iopath::ftl::map::UNMAPPED;
use iopath::machine::{Machine, Node};
use stats::Warning;

/// A modelled drive and what is needed to run fio's jobs on it. Between runs the drive is at
/// rest: all commands are answered, all full word lines programmed.
pub struct Rig {
    config: DriveConfig,
    real_bytes: u64,
    seed: u64,
    runs: u64,
    cap: Option<Power>,
    machine: Machine<(), Observer>,
    drive: u16,
    clock: Clock,
}

impl Rig {
    /// A fresh drive of this configuration, which is at the scale of the run. `scale` is its
    /// capacity over that of the drive it stands for, above 0 and at most 1; what lies outside
    /// is taken as 1.
    pub fn new(config: DriveConfig, scale: f64, seed: u64) -> Rig {
        let scale = if scale > 0.0 && scale < 1.0 { scale } else { 1.0 };
        let real_bytes = (config.user_bytes as f64 / scale).round() as u64;
        let cap = config.power.cap;
        let (machine, drive) = build(&config, seed);
        Rig { config, real_bytes, seed, runs: 0, cap, machine, drive, clock: Clock::new(scale) }
    }

    /// Replaces the drive by one in this state. Runs count from the beginning again.
    pub fn prepare(&mut self, state: &DriveState) {
        (self.machine, self.drive) = build(&self.config, self.seed);
        self.runs = 0;
        self.clock = Clock::new(self.clock.scale());
        let mut stream = Stream::new(self.seed, &format!("{}/prepare", self.config.name));
        let drive = self.machine.drive_mut(self.drive);
        drive.set_power_cap(self.cap);
        drive.prepare(state, &mut stream);
    }

    /// The configuration.
    pub fn config(&self) -> &DriveConfig {
        &self.config
    }

    /// Capacity of the drive that the model stands for, bytes.
    pub fn real_bytes(&self) -> u64 {
        self.real_bytes
    }

    /// Simulated time since the drive was built or prepared.
    pub fn now(&self) -> Instant {
        self.machine.context.queue.now()
    }

    /// The drive's own time.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The host resets the timed workload counters (SMART EXECUTE OFF-LINE IMMEDIATE, 40h).
    pub fn reset_timed_workload(&mut self) {
        self.clock.reset_timed(self.machine.drive(self.drive), self.machine.context.queue.now());
    }

    /// Seconds of the real drive's time pass without being simulated: what it does in them has
    /// been done on the fast path.
    pub fn skip_time(&mut self, seconds: f64) {
        self.clock.skip(&Skipped { seconds, ..Skipped::default() });
    }

    /// The drive does this without being simulated; its state is changed by the caller.
    pub(crate) fn skip(&mut self, work: &Skipped) {
        self.clock.skip(work);
    }

    /// Saves the counters of the minutes that are full by now.
    pub(crate) fn catch_up_clock(&mut self) {
        self.clock.catch_up(self.machine.drive(self.drive), self.machine.context.queue.now());
    }

    /// The drive, to read its counters.
    pub fn drive(&self) -> &Drive<()> {
        self.machine.drive(self.drive)
    }

    /// The state, to save it.
    pub fn ftl(&self) -> &Ftl<()> {
        self.drive().ftl()
    }

    /// The state, to change it without time (volumes of writing on the fast path).
    pub fn ftl_mut(&mut self) -> &mut Ftl<()> {
        self.machine.drive_mut(self.drive).ftl_mut()
    }

    /// Puts in a state that was saved from a rig of the same configuration.
    ///
    /// # Panics
    /// If the layouts differ.
    pub fn set_ftl(&mut self, ftl: Ftl<()>) {
        self.machine.drive_mut(self.drive).set_ftl(ftl);
    }

    /// Gives the drive an age, from which its cells begin to err. Preparing it makes it new again.
    ///
    /// # Errors
    /// If nothing is known of its cells.
    pub fn set_age(&mut self, age: &AgeSpec) -> Result<(), String> {
        let Some(cells) = &self.config.cells else {
            return Err("the model says nothing of its cells: it has no age".to_owned());
        };
        let age = age.resolve(&cells.cell);
        let now = self.machine.context.queue.now();
        self.machine.drive_mut(self.drive).set_age(age, now);
        Ok(())
    }

    /// Changes the limit on mean power from the next run on.
    pub fn set_power_cap(&mut self, cap: Option<Power>) {
        self.cap = cap;
        self.machine.drive_mut(self.drive).set_power_cap(cap);
    }

    /// Runs the jobs of a file on the drive as it is, and leaves it at rest.
    ///
    /// # Errors
    /// What the jobs ask and the drive cannot give, before anything is run.
    pub fn run(
        &mut self,
        file: &JobFile,
        options: &mut RunOptions<'_>,
    ) -> Result<Simulated, Diagnostic> {
        let mut plan = translate::plan(&file.jobs, &self.setting(options))?;
        self.runs += 1;
        for (start, bytes) in &plan.layout {
            self.lay_out(*start, *bytes);
        }
        self.machine.drive_mut(self.drive).resume();
        let unwritten = self.warn_of_unwritten(&plan.read_on_drive);
        plan.warnings.extend(unwritten);
        let bench = Bench {
            machine: &mut self.machine,
            drive: self.drive,
            config: &self.config,
            clock: &mut self.clock,
        };
        let result = bench.run(file, plan, options);
        self.machine.context.probe = Observer::default();
        result
    }

    /// Lets time pass without I/O, so that what a drive does by itself is done.
    pub fn idle(&mut self, time: Duration) {
        self.machine.drive_mut(self.drive).resume();
        let until = self.machine.context.queue.now() + time;
        self.machine.run_to(until);
        self.machine.drain();
    }

    /// Finds what the jobs ask and the drive cannot give, without running or preparing anything.
    ///
    /// # Errors
    /// The same as those of [`Rig::run`].
    pub fn check(&self, file: &JobFile, options: &RunOptions<'_>) -> Result<(), Diagnostic> {
        translate::plan(&file.jobs, &self.setting(options)).map(|_| ())
    }

    fn setting(&self, options: &RunOptions<'_>) -> Setting {
        let unit_bytes = self.config.unit_bytes();
        Setting {
            room: Room {
                real_bytes: self.real_bytes,
                simulated_bytes: self.config.user_bytes,
                unit_bytes,
                buffer_bytes: u64::from(self.config.buffer.units)
                    * u64::from(self.config.geometry.unit_bytes),
            },
            target: self.drive,
            compresses: self.config.compression.is_some(),
            seed: self.seed,
            run: self.runs,
            reseed: options.reseed,
            shrink: options.shrink,
            host: options.host,
        }
    }

    /// Writes what is not there yet, without time: fio lays a file out before it reads it.
    fn lay_out(&mut self, start: u64, bytes: u64) {
        let unit_bytes = self.config.unit_bytes();
        let ftl = self.ftl_mut();
        let end = (start + bytes).div_ceil(unit_bytes).min(u64::from(ftl.map().logical_units()));
        for unit in start / unit_bytes..end {
            if ftl.map().get(unit as u32) == UNMAPPED {
                ftl.write(unit as u32, ());
            }
        }
    }

    /// Warns if reads may meet parts of the drive that were never written.
    fn warn_of_unwritten(&self, regions: &[(u64, u64)]) -> Vec<Warning> {
        let unit_bytes = self.config.unit_bytes();
        let map = self.ftl().map();
        let mut warnings = Vec::new();
        for (start, bytes) in regions {
            let end = (start + bytes).div_ceil(unit_bytes).min(u64::from(map.logical_units()));
            let first = start / unit_bytes;
            let units = end.saturating_sub(first);
            // A share is enough: every 16th of a large region is looked at.
            let step = if units > 1 << 16 { 16 } else { 1 };
            let looked = (first..end).step_by(step as usize);
            let count = units.div_ceil(step);
            let empty = looked.filter(|unit| map.get(*unit as u32) == UNMAPPED).count() as u64;
            if count > 0 && empty * 100 > count {
                let percent = 100.0 * empty as f64 / count as f64;
                let message = format!(
                    "{percent:.0} % of the {bytes} bytes from {start} on were never written when \
                     the run began: reads of them do not reach the flash"
                );
                warnings.push(warning("reads-unwritten", "state", message));
            }
        }
        warnings
    }
}

fn build(config: &DriveConfig, seed: u64) -> (Machine<(), Observer>, u16) {
    let mut machine: Machine<(), Observer> = Machine::new(Observer::default());
    let config = config.clone();
    let drive =
        machine.add(|context, node| Node::Drive(Box::new(Drive::new(config, seed, context, node))));
    (machine, drive)
}
