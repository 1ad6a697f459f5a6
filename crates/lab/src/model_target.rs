//! A modelled drive as the target of a method.

use super::failure::Failure;
use super::load::Load;
use super::options::ArrayCondition;
use super::preconditioning::Preconditioning;
use super::prewrite;
use super::soak::{SoakAsked, Soaked};
use super::target::{
    Counters, LifeAsked, Lived, PowerLoss, Ran, Rebuilt, Target, Transactions, Work, WriteLimits,
    Written,
};
use engine::{Duration, Instant, narrow, whole};
use fio::JobFile;
use iopath::device::flash::cell::CellModel;
use iopath::device::flash::cell::age::AgeSpec;
use iopath::device::flash::cell::endurance::{Class, retention_hours};
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::{Drive, DriveState, OwnTime};
use iopath::device::flash::ftl::Mark;
use iopath::kernel::command::Op;
use iopath::kernel::probe::Cause;
use library::ResolvedSystem;
use metric::State;
use simulate::{HostCost, Rig, RunOptions, Served, ServersAsked, Simulated};
use smart::Protocol;
use stats::Timeline;
use std::cell::Cell;

/// A rig and the drive that it represents.
pub struct ModelTarget {
    pub(super) name: String,
    pub(super) rig: Rig,
    scale: f64,
    pub(super) host: HostCost,
    raw_bytes: f64,
    rated_cycles: Option<f64>,
    rated_writes: Option<f64>,
    counters: Counters,
    age: Option<AgeSpec>,
    /// The condition of the array that it is.
    pub(super) array: ArrayCondition,
    /// Jobs draw other numbers with every seed.
    reseed: bool,
    pub(super) protocol: Protocol,
    /// What was done last, over time.
    pub(super) seen: Option<Timeline>,
    /// The share of the real capacity that checked loads need at least.
    needed: Cell<f64>,
    /// What its flash held when that was remembered, by drive.
    remembered: Vec<Mark<()>>,
}

/// Copies of a file that an array may make of it.
const COPIES: u64 = 2;

impl ModelTarget {
    /// A drive or system as it was resolved, and the fresh rig of it.
    pub fn new(name: &str, resolved: &ResolvedSystem, rig: Rig, rated_cycles: Option<f64>) -> Self {
        let host = HostCost { submit: resolved.host.submit };
        let scale = resolved.scale;
        let raw = |drive: &Drive<()>| {
            let layout = drive.ftl().layout();
            let unit_bytes = f64::from(layout.geometry.unit_bytes);
            f64::from(layout.groups) * f64::from(layout.group_units) * unit_bytes / scale
        };
        let raw_bytes = rig.drives().map(raw).sum();
        let counters = Counters { flash_write_bytes: Some(0.0), ..Counters::default() };
        ModelTarget {
            name: name.to_owned(),
            rig,
            scale,
            host,
            raw_bytes,
            rated_cycles,
            rated_writes: None,
            counters,
            age: None,
            array: ArrayCondition::Healthy,
            reseed: false,
            protocol: Protocol::Nvme,
            seen: None,
            needed: Cell::new(0.0),
            remembered: Vec::new(),
        }
    }

    /// The least scale at which all loads fit that were checked so far.
    pub fn needed_scale(&self) -> f64 {
        self.needed.get()
    }

    /// The command set in which the drive reports its counters; default NVMe.
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// Bytes that can be written to media that state no cycles.
    pub fn set_rated_writes(&mut self, bytes: Option<f64>) {
        self.rated_writes = bytes;
    }

    /// The age that the drive gets whenever it is brought into a state.
    pub fn set_age(&mut self, age: Option<AgeSpec>) {
        self.age = age;
    }

    /// The condition in which the array that it is runs loads, and whether its jobs draw other
    /// numbers with every seed.
    pub fn set_loads(&mut self, array: ArrayCondition, reseed: bool) {
        (self.array, self.reseed) = (array, reseed);
    }

    /// The rig, to save and load its state.
    pub fn rig(&mut self) -> &mut Rig {
        &mut self.rig
    }

    pub(super) fn options(&self) -> RunOptions<'static> {
        RunOptions { host: self.host, reseed: self.reseed, ..RunOptions::default() }
    }

    /// The job file of a load, and how it is run.
    fn job_of(&self, work: &Work<'_>) -> Result<(JobFile, RunOptions<'static>), Failure> {
        let load = work.load.on_devices(self.rig.devices().len());
        let file = load.parse(work.ramp_us, work.runtime_us)?;
        let mut options = self.options();
        options.window = work.window;
        options.budget_ios = work.load.budget_ios;
        options.enough = work.enough;
        options.anywhere = work.load.anywhere;
        options.shrink = work.load.span.is_some() && !work.keep_size;
        Ok((file, options))
    }

    /// A pass over a file that keeps its size. On a part of a drive it takes more than its share
    /// of an SLC cache, which leaves too little for what follows: the cache holds that much more.
    fn run_kept(
        &mut self,
        file: &JobFile,
        options: &mut RunOptions<'_>,
        load: &Load,
    ) -> Result<Simulated, Failure> {
        let beyond = |units: f64| whole(units * (1.0 - self.scale));
        let used = |rig: &Rig| -> Vec<u64> { rig.drives().map(|d| d.ftl().slc_used()).collect() };
        let before = used(&self.rig);
        let all = (COPIES * load.span.unwrap_or(0) / self.rig.unit_bytes().max(1)) as f64;
        // What the cache of the whole drive has no room for goes past it there too.
        let room = |drive: &Drive<()>| {
            let ftl = drive.ftl();
            ftl.slc_budget().saturating_sub(ftl.slc_used()) as f64 / self.scale
        };
        let lent: Vec<u64> = self.rig.drives().map(|drive| beyond(all.min(room(drive)))).collect();
        self.rig.lend_slc(lent);
        let ran = self.rig.run(file, options);
        let after = used(&self.rig);
        let grown = |(before, after): (&u64, &u64)| beyond(after.saturating_sub(*before) as f64);
        let lent: Vec<u64> = before.iter().zip(&after).map(grown).collect();
        self.rig.lend_slc(lent);
        Ok(ran?)
    }

    fn tell_served(&mut self, served: &Served) {
        let sum = |write: bool| -> f64 {
            let causes = Cause::ALL.iter().filter(|cause| (cause.op() == Op::Write) == write);
            causes.map(|cause| served.tally.of(*cause).bytes as f64).sum::<f64>() / self.scale
        };
        let (read, write) = (sum(false), sum(true));
        self.tell(read, write, write, served.seconds / self.scale);
    }

    fn tell(&mut self, host_read: f64, host_write: f64, flash: f64, seconds: f64) {
        self.counters.host_read_bytes += host_read;
        self.counters.host_write_bytes += host_write;
        self.counters.seconds += seconds;
        let total = self.counters.flash_write_bytes.get_or_insert(0.0);
        *total += flash;
    }
}

impl Target for ModelTarget {
    fn name(&self) -> &str {
        &self.name
    }

    fn modelled(&self) -> bool {
        true
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn devices(&self) -> Vec<u64> {
        self.rig.devices().to_vec()
    }

    fn raw_bytes(&self) -> Option<f64> {
        (self.raw_bytes > 0.0).then_some(self.raw_bytes)
    }

    fn sector(&self) -> u64 {
        512
    }

    fn prepare(&mut self, state: State, share: f64) -> Result<(), Failure> {
        self.prepare_in(state, share, 0)
    }

    fn prepare_in(&mut self, state: State, share: f64, block: u64) -> Result<(), Failure> {
        let run = u32::try_from(block / self.rig.unit_bytes().max(1)).unwrap_or(u32::MAX);
        self.rig.prepare(&match state {
            State::Fresh => DriveState::Fresh,
            State::Filled => DriveState::Filled,
            State::Steady if run > 1 => DriveState::SteadyRuns(share, run),
            State::Steady => DriveState::Steady(share),
            State::Kept => {
                let why = "a model is made anew for each test, and has no state to keep; give it \
                           state = fresh, filled or steady";
                return Err(Failure::left_out(why));
            }
        });
        if let Some(age) = &self.age {
            self.rig.set_age(age).map_err(Failure::left_out)?;
        }
        Ok(())
    }

    fn fill(&mut self, _block: u64) -> Result<(), Failure> {
        self.rig.fill();
        Ok(())
    }

    fn format(&mut self, device: usize) -> Result<(), Failure> {
        self.rig.format_device(device).map_err(Failure::left_out)
    }

    fn check(&self, work: &Work<'_>) -> Result<(), Failure> {
        let (file, options) = self.job_of(work)?;
        let checked = self.rig.plan(&file, &options);
        if checked.is_err() {
            let share = self.rig.least_share(&file, &options)?;
            self.needed.set(self.needed.get().max(share));
        }
        checked?;
        Ok(())
    }

    fn least_region(&self, work: &Work<'_>) -> Result<u64, Failure> {
        let (file, options) = self.job_of(work)?;
        let of_drive = self.rig.least_share(&file, &options)? / self.scale;
        Ok(whole(of_drive * self.capacity() as f64))
    }

    fn run(&mut self, work: &Work<'_>) -> Result<Ran, Failure> {
        self.disturb()?;
        let (file, mut options) = self.job_of(work)?;
        self.rig.set_own_time(match work.volume {
            true => OwnTime::Load(1.0 / self.scale),
            false => OwnTime::Same,
        });
        let kept = work.keep_size && work.runtime_us == 0 && self.scale < 1.0;
        let simulated = match kept {
            true => self.run_kept(&file, &mut options, work.load),
            false => self.rig.run(&file, &mut options).map_err(Failure::from),
        };
        // Not every step checks its loads before: what this one needs is known now.
        let simulated = simulated.or_else(|failure| self.check(work).and(Err(failure)))?;
        if let Some(broken) = simulated.broken() {
            return Err(Failure::failed(broken));
        }
        let moved = |bytes: fn(&stats::JobResult) -> u64| -> f64 {
            simulated.run.jobs.iter().map(|job| bytes(job) as f64).sum::<f64>() / self.scale
        };
        let (read, write) = (moved(|job| job.read().io_bytes), moved(|job| job.write().io_bytes));
        let flash = write * simulated.write_amplification.unwrap_or(0.0);
        self.tell(read, write, flash, simulated.measured_s / self.scale);
        self.seen = Some(simulated.timeline);
        let told = |code: &str| ["few-samples", "scaled"].contains(&code);
        Ok(Ran {
            // Percentiles carry their own uncertainty, and the scale is reported once.
            warnings: simulated
                .warnings
                .iter()
                .filter(|warning| !told(&warning.code))
                .map(|warning| warning.message.clone())
                .collect(),
            run: simulated.run,
            windows: simulated.series.into_iter().next().map(|series| series.windows),
            measured_s: simulated.measured_s,
            mean_power_w: Some(simulated.mean_power_w),
            write_amplification: simulated.write_amplification,
            heat: simulated.heat,
            processors_busy: None,
            sensed: Vec::new(),
            limit: simulated.limits.into_iter().next(),
        })
    }

    fn load_for(&mut self, load: &Load, seconds: f64, seed: u64) -> Result<Written, Failure> {
        let options = self.options();
        let done = prewrite::load_for(&mut self.rig, self.scale, seconds, load, seed, options)?;
        self.tell(done.read_bytes, done.write_bytes, done.flash_bytes, done.seconds);
        self.seen = Some(done.line);
        Ok(Written { host_bytes: done.write_bytes })
    }

    fn precondition(&mut self, asked: &Preconditioning) -> Result<bool, Failure> {
        self.preconditioned(asked)
    }

    fn idle(&mut self, seconds: f64) -> Result<(), Failure> {
        // What there is to collect shrinks with the drive while the rates stay, so the time in
        // which it is collected does too.
        let time = Duration::from_ps(whole((seconds * self.scale * 1e12).max(0.0)));
        if self.rig.now() + time > Instant::HORIZON {
            let why = format!("an idle time of {seconds} s ends after 100 days of simulated time");
            return Err(Failure::left_out(why));
        }
        self.rig.set_own_time(OwnTime::Pause(1.0 / self.scale));
        self.seen = Some(self.rig.idle(time));
        Ok(())
    }

    fn take_timeline(&mut self) -> Option<Timeline> {
        self.seen.take()
    }

    fn soak(&mut self, asked: &SoakAsked<'_>) -> Result<Soaked, Failure> {
        let options = self.options();
        super::warm::soak(&mut self.rig, self.scale, asked, options)
    }

    fn counters(&mut self) -> Result<Counters, Failure> {
        let flash = self.counters.flash_write_bytes.unwrap_or(0.0);
        let wear = self.rated_cycles.map(|rated| flash / self.raw_bytes / rated);
        // The resolution of the timed counters that some drives have.
        Ok(Counters { wear, wear_step: 1.0 / 102_400.0, ..self.counters })
    }

    fn rated_cycles(&self) -> Option<f64> {
        self.rated_cycles
    }

    fn superblock_bytes(&self) -> Option<f64> {
        let of = |drive: &Drive<()>| {
            let layout = drive.ftl().layout();
            f64::from(layout.stripe_data_units()) * f64::from(layout.geometry.unit_bytes)
        };
        self.rig.drives().map(of).reduce(|a, b| a + b)
    }

    fn spare_bytes(&self) -> Option<f64> {
        let of = |drive: &Drive<()>| {
            let ftl = drive.ftl();
            ftl.spare_units().max(0) as f64 * f64::from(ftl.layout().geometry.unit_bytes)
        };
        self.rig.drives().map(of).reduce(|a, b| a + b)
    }

    fn slc_bytes(&self) -> f64 {
        let of = |drive: &Drive<()>| {
            let ftl = drive.ftl();
            ftl.slc_budget() as f64 * f64::from(ftl.layout().geometry.unit_bytes)
        };
        self.rig.drives().map(of).sum()
    }

    fn free_bytes(&self) -> Option<f64> {
        let of = |drive: &Drive<()>| {
            let ftl = drive.ftl();
            (-ftl.debt()).max(0) as f64 * f64::from(ftl.layout().geometry.unit_bytes)
        };
        self.rig.drives().map(of).reduce(|a, b| a + b)
    }

    fn buffer_bytes(&self) -> Option<f64> {
        let of = |config: &DriveConfig| config.buffer_bytes() as f64;
        self.rig.system().flash().map(of).reduce(|a, b| a + b)
    }

    fn cache_bytes(&self) -> f64 {
        self.rig.system().caches().map(|cache| cache.bytes as f64).sum()
    }

    fn remember(&mut self) {
        self.remembered = self.rig.mark();
    }

    fn take_back(&mut self) {
        self.rig.go_back(&self.remembered);
    }

    fn write_limits(&self) -> Option<WriteLimits> {
        let mut drives = 0;
        let (mut link, mut flash) = (0.0, 0.0);
        for config in self.rig.system().flash() {
            drives += 1;
            link += config.link.down.base() as f64;
            flash += program_rate(config);
        }
        // Side by side each drive has a device, and one with namespaces has several.
        let devices = self.rig.devices().len().clamp(1, drives.max(1)) as f64;
        (drives > 0).then_some(WriteLimits { link: link / devices, flash: flash / devices })
    }

    fn members(&self) -> u32 {
        narrow(self.rig.members().len())
    }

    fn rated_writes(&self) -> Option<f64> {
        self.rated_writes
    }

    fn retention_s(&self, cycles: f64, class: Class) -> Option<f64> {
        let mut drives = self.rig.system().flash();
        let (drive, other) = (drives.next()?, drives.next());
        let cells = drive.cells.as_ref().filter(|_| other.is_none())?;
        Some(retention_hours(&CellModel::new(cells.cell.clone()), class, cycles) * 3600.0)
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.rig.restart();
        Ok(())
    }

    fn fail_member(&mut self, member: u32) -> Result<(), Failure> {
        self.take_out(member)
    }

    fn check_rebuild(&self) -> Result<(), Failure> {
        self.rebuildable()
    }

    fn rebuild(&mut self, member: u32, work: Option<&Work<'_>>) -> Result<Rebuilt, Failure> {
        self.rebuilt(member, work)
    }

    fn power_cut(&mut self, work: &Work<'_>) -> Result<PowerLoss, Failure> {
        self.cut_power(work)
    }

    fn serve(
        &mut self,
        asked: &ServersAsked,
        state: State,
        watch: &dyn Fn(f64),
    ) -> Result<Transactions, Failure> {
        // Servers that do not fit are refused before the drive is prepared.
        let share = self.rig.check_servers(asked).map_err(Failure::left_out)?;
        if let Some(least) = self.rig.too_small() {
            self.needed.set(self.needed.get().max(least.share));
            return Err(Failure::left_out(format!("{least}; simulate more of it (--scale)")));
        }
        self.prepare(state, share)?;
        let served = self.rig.serve(asked, &mut |done| watch(done)).map_err(Failure::left_out)?;
        self.tell_served(&served);
        let values = super::served::values(&served);
        Ok(Transactions { values, warnings: Vec::new() })
    }

    fn live(&mut self, asked: &LifeAsked<'_>) -> Result<Lived, Failure> {
        self.live_to_the_end(asked)
    }
}

/// Bytes a second that the flash of a drive can program at most.
fn program_rate(config: &DriveConfig) -> f64 {
    let g = &config.geometry;
    let page = f64::from(g.planes) * f64::from(g.page_bytes);
    let native = config
        .nand
        .program
        .iter()
        .map(|time| page * f64::from(g.pages_per_wl) / (time.ps() as f64 / 1e12).max(1e-12));
    let slc = config.nand.slc_program.map(|time| page / (time.ps() as f64 / 1e12).max(1e-12));
    let fastest = native.chain(slc).fold(0.0, f64::max);
    fastest * f64::from(config.programs.dies.min(g.dies))
}
