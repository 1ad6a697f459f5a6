//! A modelled drive or system under test: its state lasts from run to run.

mod heat;

use super::audit::Audit;
use super::blueprint::{Blueprint, LEAST_UNIT, Planned};
use super::observe::Observer;
use super::options::RunOptions;
use super::phase::Bench;
use super::pristine::Pristine;
use super::simulated::{HeatSummary, Simulated};
use super::states::States;
use super::timeline;
use super::translate::{self, Extent, Plan};
use super::warn::warning;
use crate::health::{Clock, Skipped};
use engine::{Duration, Instant, Stream, narrow};
use fio::{Diagnostic, JobFile};
use iopath::device::flash::cell::age::AgeSpec;
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::{Drive, DriveState, OwnTime};
use iopath::device::flash::ftl::UnitLedger;
use iopath::device::flash::ftl::map::UNMAPPED;
use iopath::device::flash::ftl::{Ftl, Mark};
use iopath::kernel::Range;
use iopath::machine::system::{Built, SystemSpec};
use iopath::machine::{FlashTotals, Machine, Node};
use library::{Least, ResolvedSystem};
use stats::{Timeline, Warning};
use std::collections::BTreeMap;

/// Bytes of one untimed write when everything is filled.
const FILL_BYTES: u64 = 1 << 20;
/// Places of a region that are looked at to see whether it was ever written.
const LOOKS: u64 = 1 << 16;

/// Stretches of an idle time.
const IDLE_PARTS: u32 = 120;

/// A modelled drive or system and what is needed to run fio's jobs on it. Between runs it is at
/// rest: all commands are answered, all full word lines programmed.
pub struct Rig {
    pub(super) blueprint: Blueprint,
    /// Capacities of namespaces that the model represents, by the place of the drive and their
    /// number, once they are managed.
    pub(super) sizes: BTreeMap<(usize, u16), u64>,
    pub(super) runs: u64,
    pub(super) machine: Pristine<Machine<(), Observer>>,
    pub(super) built: Built,
    /// Addresses of the flash drives, in the order of the specification.
    pub(super) flash: Vec<u16>,
    clock: Clock,
    pub(super) audit: Audit,
    states: States,
}

impl Rig {
    /// A fresh drive or system of this configuration: see [`Blueprint::new`].
    pub fn new(system: impl Into<SystemSpec>, scale: f64, seed: u64) -> Rig {
        Rig::build(Blueprint::new(system, scale, seed))
    }

    /// A fresh drive or system as it was resolved: see [`Blueprint::of`].
    pub fn of(resolved: &ResolvedSystem, seed: u64) -> Rig {
        Rig::build(Blueprint::of(resolved, seed))
    }

    /// Builds a drive or system, fresh.
    pub fn build(blueprint: Blueprint) -> Rig {
        let (machine, built) = machine(&blueprint.system, blueprint.seed);
        let places = blueprint.system.flash_places();
        let flash = places.map(|place| built.addresses[place]).collect();
        let clock = Clock::new(blueprint.scale);
        let (sizes, audit, states) = (BTreeMap::new(), Audit::default(), States::default());
        Rig { blueprint, sizes, runs: 0, machine, built, flash, clock, audit, states }
    }

    /// The same rig, which takes prepared states from those of others and adds its own.
    #[must_use]
    pub fn sharing(self, states: States) -> Rig {
        Rig { states, ..self }
    }

    /// Replaces everything by new drives in this state, under volumes that are new too. Runs count
    /// from the beginning again.
    pub fn prepare(&mut self, state: &DriveState) {
        if !self.machine.is_new() {
            // The old drives are gone before there are new ones: memory matters here.
            self.machine = Pristine::new(Machine::new(Observer::default()));
            (self.machine, self.built) = machine(&self.blueprint.system, self.blueprint.seed);
        }
        self.runs = 0;
        self.clock = Clock::new(self.clock.scale());
        if !States::worth(state) {
            self.bring_into(state);
            return;
        }
        let key = self.blueprint.state_key(state);
        if let Some(flash) = self.states.find(&key) {
            self.set_ftls(&*flash);
            return self.fill_tiers(state);
        }
        // What is built in no time is copied in no time only if it is there already.
        if !self.bring_into(state) || self.states.asked_again(&key) {
            self.states.keep(key, self.drives().map(Drive::ftl));
        }
    }

    /// Brings what is fresh into this state. Returns whether it took next to no time.
    pub fn bring_into(&mut self, state: &DriveState) -> bool {
        let first = self.blueprint.flash().next().map_or("", |config| config.name.as_str());
        let mut stream = Stream::new(self.blueprint.seed, &format!("{first}/prepare"));
        let is_quick = self.machine.prepare(state, &mut stream);
        self.fill_tiers(state);
        is_quick
    }

    /// A steady state of random writes is one of a tier as well.
    fn fill_tiers(&mut self, state: &DriveState) {
        if matches!(state, DriveState::Steady(_) | DriveState::SteadyRuns(..)) {
            let mut stream = Stream::new(self.blueprint.seed, "tiers/prepare");
            self.machine.fill_tiers_at_random(&mut stream);
        }
    }

    /// The system that it was built from.
    pub fn system(&self) -> &SystemSpec {
        &self.blueprint.system
    }

    /// The configuration of its flash drive, if it is a single one.
    pub fn single(&self) -> Option<&DriveConfig> {
        self.blueprint.single()
    }

    /// The configuration of its first flash drive.
    ///
    /// # Panics
    /// If it has none.
    pub fn config(&self) -> &DriveConfig {
        self.blueprint.system.flash().next().expect("a system with a flash drive")
    }

    /// Capacity of what the model represents, bytes: of all devices together.
    pub fn real_bytes(&self) -> u64 {
        self.blueprint.real.iter().sum()
    }

    /// Capacity of each device that the model represents, bytes, in the order of the host.
    pub fn devices(&self) -> &[u64] {
        &self.blueprint.real
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
        if let Some(&drive) = self.flash.first() {
            let now = self.machine.context.queue.now();
            self.clock.reset_timed(self.machine.drive(drive), now);
        }
    }

    /// Seconds of the real drive's time pass without being simulated: what it does in them has
    /// been done on the fast path.
    pub fn skip_time(&mut self, seconds: f64) {
        self.clock.skip(&Skipped { seconds, ..Skipped::default() });
    }

    /// The drive does this without being simulated; its state is changed by the caller.
    pub fn skip(&mut self, work: &Skipped) {
        self.clock.skip(work);
    }

    /// Saves the counters of the minutes that are full by now.
    pub(crate) fn catch_up_clock(&mut self) {
        if let Some(&drive) = self.flash.first() {
            self.clock.catch_up(self.machine.drive(drive), self.machine.context.queue.now());
        }
    }

    /// All flash drives, to read their counters.
    pub fn drives(&self) -> impl ExactSizeIterator<Item = &Drive<()>> + Clone {
        self.flash.iter().map(|&drive| self.machine.drive(drive))
    }

    /// The first flash drive, to read its counters.
    ///
    /// # Panics
    /// If there is none.
    pub fn drive(&self) -> &Drive<()> {
        self.machine.drive(self.flash[0])
    }

    /// The state of the first flash drive, to save it.
    ///
    /// # Panics
    /// If there is none.
    pub fn ftl(&self) -> &Ftl<()> {
        self.drive().ftl()
    }

    /// The same, to change it in zero time.
    ///
    /// # Panics
    /// If there is none.
    pub fn ftl_mut(&mut self) -> &mut Ftl<()> {
        self.machine.drive_mut(self.flash[0]).ftl_mut()
    }

    /// Least unit that everything on it is a multiple of, bytes: the largest mapping unit.
    pub fn unit_bytes(&self) -> u64 {
        self.blueprint.unit_bytes()
    }

    /// Units written so far by cause, over all flash drives.
    pub fn ledger(&self) -> UnitLedger {
        self.drives().map(|drive| drive.ftl().ledger()).sum()
    }

    /// The machine, to look at its nodes.
    pub fn machine(&self) -> &Machine<(), impl iopath::kernel::probe::Probe<()>> {
        &*self.machine
    }

    /// Where the nodes of the system are in the machine.
    pub fn built(&self) -> &Built {
        &self.built
    }

    /// Writes everything once in order, in zero time: one device after another.
    pub fn fill(&mut self) {
        for device in 0..self.built.devices.len() {
            let capacity = self.built.devices[device].bytes;
            let mut start = 0;
            while start < capacity {
                let len = FILL_BYTES.min(capacity - start);
                self.write_untimed(device, start, len);
                start += len;
            }
        }
    }

    /// Writes a range of a device in zero time.
    pub fn write_untimed(&mut self, device: usize, start: u64, len: u64) {
        let device = self.built.devices[device];
        self.machine.write_untimed(device.address, device.start + start, len);
    }

    /// Writes `len` bytes at each of these places (device, first byte) in zero time, in this order.
    pub fn write_all_untimed(&mut self, places: &[(usize, u64)], len: u64) {
        let range = |&(device, start): &(usize, u64)| {
            let device = self.built.devices[device];
            Range { address: device.address, start: device.start + start, len }
        };
        let ranges: Vec<Range> = places.iter().map(range).collect();
        self.machine.write_all_untimed(&ranges);
    }

    /// Puts in a state that was saved from a rig of the same configuration.
    ///
    /// # Panics
    /// If the layouts differ.
    pub fn set_ftl(&mut self, ftl: Ftl<()>) {
        self.machine.drive_mut(self.flash[0]).set_ftl(ftl);
    }

    /// Gives the flash drives these states, in their order. Units written so far by cause are those
    /// of the states.
    ///
    /// # Panics
    /// If the layouts differ.
    pub fn set_ftls<'a>(&mut self, ftls: impl IntoIterator<Item = &'a Ftl<()>>) {
        for (&drive, ftl) in self.flash.iter().zip(ftls) {
            self.machine.drive_mut(drive).set_ftl(ftl.clone());
        }
    }

    /// From now on a simulated second of the flash drives stands for this: for more than one where
    /// a run on a part of a drive stands for one on the whole, which takes longer.
    pub fn set_own_time(&mut self, own_time: OwnTime) {
        let now = self.now();
        for &address in &self.flash {
            self.machine.drive_mut(address).set_own_time(own_time, now);
        }
    }

    /// Lets the SLC caches of the flash drives hold so many units more, in their order.
    pub fn lend_slc(&mut self, units: impl IntoIterator<Item = u64>) {
        for (&drive, units) in self.flash.iter().zip(units) {
            self.machine.drive_mut(drive).ftl_mut().lend_slc(units);
        }
    }

    /// Marks what the flash drives hold, in their order, to come back to it.
    pub fn mark(&mut self) -> Vec<Mark<()>> {
        self.flash.iter().map(|&drive| self.machine.drive_mut(drive).mark()).collect()
    }

    /// Makes the flash drives hold what they held at their last marks. Units written so far by
    /// cause are those of then.
    pub fn go_back(&mut self, marks: &[Mark<()>]) {
        for (&drive, mark) in self.flash.iter().zip(marks) {
            self.machine.drive_mut(drive).go_back(mark);
        }
    }

    /// Gives the drive an age, from which its cells begin to err. Preparing it makes it new again.
    ///
    /// # Errors
    /// If nothing is known of the cells of a drive, or there is no flash.
    pub fn set_age(&mut self, age: &AgeSpec) -> Result<(), String> {
        if self.flash.is_empty() {
            return Err("it has no flash: only flash drives have an age".to_owned());
        }
        let now = self.machine.context.queue.now();
        for &drive in &self.flash {
            let drive = self.machine.drive_mut(drive);
            let Some(cells) = &drive.config().cells else {
                let name = &drive.config().name;
                return Err(format!("the model of {name} says nothing of its cells: no age"));
            };
            let age = age.resolve(&cells.cell);
            drive.set_age(age, now);
        }
        Ok(())
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
        let planned = self.plan(file, options)?;
        self.run_planned(file, planned, options)
    }

    /// Runs jobs that were planned for this run with the same options.
    ///
    /// # Errors
    /// What a trace turns out to ask while it is replayed.
    pub fn run_planned(
        &mut self,
        file: &JobFile,
        planned: Planned,
        options: &mut RunOptions<'_>,
    ) -> Result<Simulated, Diagnostic> {
        let mut plan: Plan = planned.0;
        self.runs += 1;
        for extent in &plan.layout {
            self.lay_out(*extent);
        }
        self.machine.resume();
        self.audit.look(&self.machine, &self.flash);
        let unwritten = self.warn_of_unwritten(&plan.read_on_drive);
        plan.warnings.extend(unwritten);
        let cool = self.heats();
        let bench = Bench {
            machine: &mut self.machine,
            single: self.blueprint.system.nodes.len() == 1,
            flash: &self.flash,
            clock: &mut self.clock,
        };
        let result = bench.run(file, plan, options);
        self.machine.context.probe = Observer::default();
        self.audit.check(&self.machine, &self.flash);
        let heat = HeatSummary::between(&cool, &self.heats());
        result.map(|simulated| Simulated { heat, ..simulated })
    }

    /// What the flash of all drives has done, and how it is now, as simulated.
    pub fn flash_totals(&self) -> FlashTotals {
        let now = self.machine.context.queue.now();
        FlashTotals::of(&self.machine, self.flash.iter().copied(), now)
    }

    /// Lets time pass without I/O, so that what a drive does by itself is done; returns what it
    /// did when.
    pub fn idle(&mut self, time: Duration) -> Timeline {
        self.machine.resume();
        let single = self.blueprint.system.nodes.len() == 1;
        let line = timeline::idle(&mut self.machine, &self.flash, single, |machine, look| {
            machine.idle_watched(time, IDLE_PARTS, look);
        });
        self.machine.drain();
        line
    }

    /// Plans the jobs of a file for the next run, without running or preparing anything.
    ///
    /// # Errors
    /// What the jobs ask and the drive cannot give.
    pub fn plan(&self, file: &JobFile, options: &RunOptions<'_>) -> Result<Planned, Diagnostic> {
        let setting = self.blueprint.setting(&self.built.devices, self.runs, options);
        translate::plan(&file.jobs, &setting, &options.replays).map(Planned)
    }

    /// What must be simulated of it for random accesses of some kind; `None` if it is enough for
    /// all.
    pub fn too_small(&self) -> Option<&Least> {
        self.blueprint.least.iter().max_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// The least share of what it represents, 0 to 1, that must be simulated for these jobs to fit.
    ///
    /// # Errors
    /// Jobs that fit at no scale.
    pub fn least_share(&self, file: &JobFile, options: &RunOptions<'_>) -> Result<f64, Diagnostic> {
        self.blueprint.least_share(file, options)
    }

    /// The ranges of drives that a range of a device is on.
    fn leaves(&self, extent: Extent) -> Vec<Range> {
        let device = self.built.devices[extent.device];
        self.machine.leaves(device.address, device.start + extent.start, extent.bytes)
    }

    /// Writes what is not there yet, in zero time: fio lays a file out before it reads it.
    pub(super) fn lay_out(&mut self, extent: Extent) {
        for Range { address, start, len } in self.leaves(extent) {
            let Node::Drive(drive) = self.machine.node_mut(address) else { continue };
            let unit_bytes = drive.config().unit_bytes();
            let ftl = drive.ftl_mut();
            if ftl.map().is_full() {
                continue;
            }
            let logical = u64::from(ftl.map().logical_units());
            for unit in start / unit_bytes..(start + len).div_ceil(unit_bytes).min(logical) {
                if ftl.map().get(narrow(unit)) == UNMAPPED {
                    ftl.write(narrow(unit), ());
                }
            }
        }
    }

    /// Warns if reads may meet parts of the flash that were never written.
    fn warn_of_unwritten(&self, regions: &[Extent]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.drives().all(|drive| drive.ftl().map().is_full()) {
            return warnings;
        }
        for &Extent { device, start, bytes } in regions {
            // A share is enough: of a large region some places are looked at.
            let step = (bytes / LOOKS).max(LEAST_UNIT).next_multiple_of(LEAST_UNIT);
            let looked = (start..start + bytes).step_by(step as usize);
            let (mut count, mut empty) = (0u64, 0u64);
            for place in looked {
                count += 1;
                empty += u64::from(self.is_unwritten(Extent { device, start: place, bytes: 1 }));
            }
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

    fn is_unwritten(&self, place: Extent) -> bool {
        let leaves = self.leaves(place);
        leaves.first().is_some_and(|leaf| match self.machine.node(leaf.address) {
            Node::Drive(drive) => {
                let unit = leaf.start / drive.config().unit_bytes();
                let map = drive.ftl().map();
                unit < u64::from(map.logical_units()) && map.get(narrow(unit)) == UNMAPPED
            }
            _ => false,
        })
    }
}

fn machine(system: &SystemSpec, seed: u64) -> (Pristine<Machine<(), Observer>>, Built) {
    let mut machine: Machine<(), Observer> = Machine::new(Observer::default());
    let built = system.build(&mut machine, seed);
    (Pristine::new(machine), built)
}
