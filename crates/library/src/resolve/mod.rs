//! From what a model file says to what will run, at a scale.
//!
//! A scaled drive has the same dies, planes, pages and superblocks (never fewer than 500); its
//! blocks are shorter. Spans, pre-writing and durations that fill a drive scale with it; block
//! sizes, queue depths, the write buffer, rates and latencies do not.

mod geometry;
mod modes;
mod raw_flash;

use super::cooling_file::Surroundings;
use super::diagnose;
use super::file::Protection;
use super::host_path::HostPath;
use super::model::{Model, Overrides};
use super::scale::Scale;
use super::sourced::Sourced;
use engine::{Bandwidth, Count, Duration};
use fio::Diagnostic;
use geometry::geometry;
use iopath::device::flash::config as io;
use iopath::device::flash::ftl::policies::FtlPolicies;
use iopath::device::flash::geometry::{Geometry, Layout};

pub use raw_flash::RawFlash;

/// Fewest superblocks of a scaled drive: with fewer, collection changes character.
const LEAST_GROUPS: u64 = 512;

/// A drive that can be built.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The drive at the scale.
    pub config: io::DriveConfig,
    /// Simulated over real bytes; 1 if the whole drive is simulated.
    pub scale: f64,
    /// Bytes that the host of the real drive sees, after what was given up.
    pub real_bytes: u64,
    /// Time that the host's software adds, before submission and after completion.
    pub host: HostPath,
}

/// An error: byte offset in the drive file, message, help.
type Complaint = (usize, String, String);

fn positive(value: &Sourced<Count>, what: &str) -> Result<u32, Complaint> {
    match value.get().number {
        0 => Err((value.at(), format!("a drive needs {what}"), "give at least one".to_owned())),
        n => Ok(n),
    }
}

impl Model {
    /// The drive at a scale.
    pub fn resolve(&self, scale: Scale, overrides: &Overrides) -> Result<Resolved, Diagnostic> {
        let file = if self.slug.ends_with(".toml") {
            self.slug.clone()
        } else {
            format!("models/drive/{}.toml", self.slug)
        };
        let mut resolved = self.resolve_named(&file, scale, overrides)?;
        match &mut resolved.config.heat {
            Some(heat) => *heat = overrides.surroundings.apply(heat)?,
            None if overrides.surroundings != Surroundings::default() => {
                let place = diagnose::place(&file, "", 0);
                return Err(Diagnostic::new(&place, "the model says nothing of its heat")
                    .with_help("cooling and air matter to drives with a section [thermal] only"));
            }
            None => {}
        }
        Ok(resolved)
    }

    pub(super) fn resolve_named(
        &self,
        file: &str,
        scale: Scale,
        overrides: &Overrides,
    ) -> Result<Resolved, Diagnostic> {
        resolve(self, scale, overrides).map_err(|(at, message, help)| {
            Diagnostic::new(&diagnose::place(file, &self.text, at), message).with_help(help)
        })
    }

    /// What its dies hold, and what for.
    pub fn raw_flash(&self) -> RawFlash {
        RawFlash::of(self)
    }

    /// What one should know of its values although it can run.
    pub fn warnings(&self) -> Vec<String> {
        raw_flash::warnings(self)
    }
}

/// Builds the configuration.
fn resolve(model: &Model, scale: Scale, overrides: &Overrides) -> Result<Resolved, Complaint> {
    let (drive, nand) = (&model.drive, &model.nand);
    let unit = drive.ftl.unit.get().base();
    if !unit.is_power_of_two() || !(4096..=65536).contains(&unit) {
        let message = format!("a mapping unit of {} is not possible", drive.ftl.unit.get());
        return Err((drive.ftl.unit.at(), message, "use 4, 8, 16, 32 or 64 KiB".to_owned()));
    }
    let mut geometry = geometry(model, scale)?;
    raw_flash::check(model)?;
    let unit = geometry.unit_bytes as u64;
    let layout_units = Layout::new(Geometry { groups_per_lane: 1, ..geometry }).group_data_units;
    let per_stripe = layout_units as u64 * lanes(&geometry) as u64;
    let outside = model.drive.ftl.policies().stripes_outside_alpha();
    let closed = (geometry.groups_per_lane - outside) as u64;
    let alpha = drive.ftl.alpha.get().fraction();
    let full_units = (closed as f64 * per_stripe as f64 / alpha) as u64;
    let kept = 1.0 - overrides.give_up.fraction();
    if !(0.05..=1.0).contains(&kept) {
        let message = format!("{} cannot be given up", overrides.give_up);
        return Err((drive.body.capacity.at(), message, "give up 0 % to 95 %".to_owned()));
    }
    let user_units = (full_units as f64 * kept) as u64;
    let real_full = drive.body.capacity.get().base();
    let real_bytes = (real_full as f64 * kept) as u64;
    let mut user_bytes = user_units * unit;
    let whole =
        (user_bytes as f64 / real_bytes as f64 - 1.0).abs() < 0.02 && is_whole(model, scale);
    if whole {
        user_bytes = real_bytes / unit * unit;
    }
    let simulated = user_bytes as f64 / real_bytes.max(1) as f64;
    let slc = modes::slc(model, &geometry, simulated)?;
    // What is set aside for the cache lies outside alpha.
    geometry.groups_per_lane += slc.as_ref().map_or(0, |slc| slc.set_aside(&Layout::new(geometry)));
    geometry::check_size(&geometry, model)?;
    let interface = *drive.link.interface.get();
    let link = interface.bandwidth(*drive.link.payload.get());
    let host = HostPath::default();
    let overhead = 1.0 + drive.flash.bus_overhead.get().fraction();
    let cap = match overrides.power_state {
        0 => None,
        n => match drive.power.states.get(n as usize - 1) {
            Some(cap) => Some(*cap.get()),
            None => {
                let message =
                    format!("power state {n} is not one of 0 to {}", drive.power.states.len());
                return Err((drive.power.idle.at(), message, "choose one of them".to_owned()));
            }
        },
    };
    let c = &drive.controller;
    let s = &drive.suspend;
    let config = io::DriveConfig {
        name: model.stream.clone(),
        user_bytes,
        geometry,
        erase_bytes: real_block_bytes(model),
        policies: FtlPolicies {
            write_points: modes::write_points(drive),
            padding: modes::padding(drive),
            slc,
            map_cache: drive.map.as_ref().map(|map| map.resolve(simulated)),
            grains: modes::grains(drive),
            ..drive.ftl.policies()
        },
        collection: modes::collection(drive, &geometry),
        compression: modes::compression(drive),
        link: io::LinkConfig {
            down: link,
            up: link,
            queue_limit: interface.queue_limit(),
            half_duplex: interface.half_duplex(),
            command_latency: *drive.link.command_latency.get(),
            completion_latency: host.complete,
        },
        queues: drive.queues.as_ref().map(|q| q.resolve(&interface)).transpose()?,
        controller: io::ControllerConfig {
            cores: positive(&c.cores, "a core")?,
            read_cost: *c.read_cost.get(),
            write_cost: *c.write_cost.get(),
            copy_cost: *c.copy_cost.get(),
            admin_cost: *c.admin_cost.get(),
            write_path: c.write_path.as_ref().map(|rate| *rate.get()),
            read_path: c.read_path.as_ref().map(|rate| *rate.get()),
            read_front_end: *c.read_front_end.get(),
            write_ack: *c.write_ack.get(),
            buffer_read: *c.buffer_read.get(),
        },
        buffer: buffer(model, &geometry)?,
        nand: io::NandTiming {
            sense: nand.sense.iter().map(|t| *t.get()).collect(),
            program: nand.program.iter().map(|t| *t.get()).collect(),
            erase: *nand.erase.get(),
            bus: Bandwidth::from_base((drive.flash.bus.get().base() as f64 / overhead) as u64),
            transfer_overhead: *drive.flash.transfer_overhead.get(),
            write_burst: drive.flash.write_burst.as_ref().map(|burst| burst.get().base()),
            ecc: *c.ecc.get(),
            independent_planes: nand.independent_plane_reads.get().is_yes(),
            slc_program: nand.slc_program.as_ref().map(|time| *time.get()),
            slc_sense: nand.slc_sense.as_ref().map(|time| *time.get()),
        },
        suspend: io::SuspendConfig {
            enabled: s.enabled.get().is_yes(),
            latency: *s.latency.get(),
            closed_window: *s.closed_window.get(),
            erase_segment: (*s.erase_segment.get()).max(Duration::from_us(1)),
            resume: *s.resume.get(),
            max_count: s.max_count.get().number,
            min_run: *s.min_run.get(),
            max_hold: *s.max_hold.get(),
            never_ppm: s.never.get().base().min(1_000_000) as u32,
        },
        programs: io::ProgramLimits {
            dies: positive(&drive.flash.program_limit, "a die that may program")?,
            dies_collecting: positive(
                &drive.flash.program_limit_collecting,
                "a die that may program",
            )?,
        },
        power: io::PowerConfig {
            idle: *drive.power.idle.get(),
            sense: *drive.power.sense.get(),
            transfer_per_byte: *drive.power.transfer.get(),
            program_per_byte: *drive.power.program.get(),
            erase: *drive.power.erase.get(),
            cap,
            cap_window: *drive.power.cap_window.get(),
            rated: drive.power.rated.as_ref().map(|rated| *rated.get()),
        },
        cells: nand.cell.as_ref().map(|cell| cells(drive, cell)),
        heat: drive
            .thermal
            .as_ref()
            .map(|file| file.resolve(*drive.power.idle.get()))
            .transpose()?,
    };
    check(model, &config)?;
    if let Some(faults) = &drive.faults {
        faults.check()?;
    }
    // The relations that the drive itself insists on.
    if let Err(fault) = config.check() {
        let help = "give the drive more spare (ftl.alpha), more buffer or fewer write streams";
        return Err((drive.ftl.alpha.at(), fault, help.to_owned()));
    }
    Ok(Resolved {
        scale: if whole { 1.0 } else { user_bytes as f64 / real_bytes as f64 },
        config,
        real_bytes,
        host,
    })
}

/// The cells and what the drive does about their errors.
fn cells(
    drive: &super::file::DriveFile,
    cell: &super::CellFile,
) -> iopath::device::flash::config::Cells {
    let faults = drive.faults.as_ref();
    iopath::device::flash::config::Cells {
        cell: cell.resolve(),
        rebuild: faults.is_some_and(super::faults_file::FaultsFile::rebuilds),
        refresh: faults.and_then(super::faults_file::FaultsFile::refresh),
    }
}

fn lanes(geometry: &Geometry) -> u32 {
    Layout::new(Geometry { groups_per_lane: 1, ..*geometry }).lanes
}

/// Bytes of a real block over the planes of a die.
fn real_block_bytes(model: &Model) -> u64 {
    let nand = &model.nand;
    nand.pages_per_block.get().number as u64
        * nand.planes.get().number as u64
        * nand.page.get().base()
}

fn is_whole(model: &Model, scale: Scale) -> bool {
    let units = model.drive.body.capacity.get().base() / geometry::physical_unit(model).max(1);
    match scale {
        Scale::Units(most) => units <= most,
        Scale::Share(share) => share >= 1.0,
        Scale::Bytes(bytes) => bytes >= model.drive.body.capacity.get().base(),
    }
}

fn buffer(model: &Model, geometry: &Geometry) -> Result<io::BufferConfig, Complaint> {
    let b = &model.drive.buffer;
    let unit = geometry.unit_bytes as u64;
    // Pages are striped over all dies, so the word lines of all dies fill at the same time; with
    // one page a word line, one after another. The first is full when all others lack a page, and
    // the next must fill while it is programmed.
    let layout = Layout::new(Geometry { groups_per_lane: 1, ..*geometry });
    let (dies, page) = (geometry.dies as u64, (layout.plane_slots * layout.slots) as u64);
    let open_pages = (geometry.pages_per_wl as u64 - 1) * dies;
    let least = (open_pages + 2) * page;
    for (value, name) in [(&b.size, "buffer.size"), (&b.copies, "buffer.copies")] {
        if value.get().base() / unit < least {
            let message = format!(
                "{name} of {} is less than {} KiB: {open_pages} pages of word lines that fill side \
                 by side on {dies} dies, and the last pages of two, each {} KiB over the planes",
                value.get(),
                least * unit / 1024,
                page * unit / 1024
            );
            return Err((value.at(), message, "enlarge it, or use fewer dies".to_owned()));
        }
    }
    Ok(io::BufferConfig {
        units: (b.size.get().base() / unit) as u32,
        copy_units: (b.copies.get().base() / unit) as u32,
        protection: match b.protection.get() {
            Protection::Protected => io::Protection::Protected,
            Protection::Volatile => io::Protection::Volatile,
            Protection::Off => io::Protection::Off,
        },
        admission: modes::admission(b, unit)?,
    })
}

/// Relations between values that no single value shows.
fn check(model: &Model, config: &io::DriveConfig) -> Result<(), Complaint> {
    let drive = &model.drive;
    let bad =
        |value: usize, message: &str, help: &str| Err((value, message.to_owned(), help.to_owned()));
    if config.nand.sense.is_empty() || config.nand.sense.len() > 16 {
        return bad(drive.nand.span().start, "a flash needs 1 to 16 page types", "list `sense`");
    }
    if config.nand.bus.base() < 1_000_000 {
        return bad(drive.flash.bus.at(), "a bus below 1 MB/s is not possible", "e.g. `1200 MT/s`");
    }
    let slow = Duration::from_s(1);
    if config.nand.longest_program() > slow || config.nand.erase > slow {
        return bad(drive.nand.span().start, "a program or erase takes over a second", "check it");
    }
    if config.suspend.enabled && config.suspend.closed_window >= config.nand.longest_program() {
        let at = drive.suspend.closed_window.at();
        return bad(at, "the closed window is as long as the program", "set enabled = \"no\"");
    }
    if let Some(bad) = &drive.ftl.bad_blocks {
        bad.check()?;
    }
    for path in [&drive.controller.write_path, &drive.controller.read_path].into_iter().flatten() {
        if path.get().base() < 1_000_000 {
            return bad(path.at(), "a data path below 1 MB/s is not possible", "e.g. `240 MB/s`");
        }
    }
    modes::check(drive)?;
    if config.power.cap.is_some_and(|cap| cap <= config.power.idle) {
        let at = drive.power.idle.at();
        return bad(at, "a power state below the idle power lets nothing run", "raise it");
    }
    Ok(())
}
