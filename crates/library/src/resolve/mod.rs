//! From what a model file says to what will run, at a scale.
//!
//! A scaled drive has the same dies, planes, pages and superblocks (never fewer than 500); its
//! blocks are shorter. Spans, pre-writing and durations that fill a drive scale with it; block
//! sizes, queue depths, the write buffer, rates and latencies do not.

mod capacity;
mod geometry;
mod modes;
mod raw_flash;
mod read_ahead;
mod sections;

use super::cooling_file::Surroundings;
use super::diagnose;
use super::ftl_file::FtlFile;
use super::host_path::HostPath;
use super::model::{Model, Overrides};
use super::scale::Scale;
use super::sourced::Sourced;
use capacity::Capacity;
use engine::{Count, Duration};
use fio::Diagnostic;
use geometry::geometry;
use iopath::device::flash::config as io;
use iopath::device::flash::geometry::Layout;

pub use raw_flash::RawFlash;

/// Fewest superblocks of a scaled drive: with fewer, collection changes character.
const LEAST_GROUPS: u64 = 512;

/// Fewest mapping units of a superblock, where that leaves enough of them. Of short ones the best
/// victim is better than of long ones: by the law of greedy collection amplification at an alpha of
/// 1.07 is 2.6 % lower with 256 units and 0.4 % lower with 2048.
const LEAST_UNITS: u64 = 2048;

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
    ///
    /// # Errors
    /// If the values together make no drive that works at this scale, or if an override names heat
    /// that the model does not have.
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
    let drive = &model.drive;
    check_unit(&drive.ftl)?;
    let mut geometry = geometry(model, scale)?;
    raw_flash::check(model)?;
    let capacity = Capacity::of(model, scale, overrides.give_up, &geometry)?;
    let slc = modes::slc(model, &geometry, capacity.share())?;
    // What is set aside for the cache is outside alpha.
    let set_aside = slc.as_ref().map_or(0, |slc| slc.set_aside(&Layout::new(geometry)));
    geometry.groups_per_lane = geometry.groups_per_lane.saturating_add(set_aside);
    geometry::check_size(&geometry, model)?;
    let host = HostPath::default();
    let cap = drive.power.cap(overrides.power_state)?;
    let config = io::DriveConfig {
        name: model.stream.clone(),
        user_bytes: capacity.user_bytes,
        geometry,
        erase_bytes: real_block_bytes(model),
        policies: modes::policies(drive, slc, capacity.share()),
        collection: modes::collection(drive, &geometry),
        compression: modes::compression(drive),
        link: drive.link.resolve(&host),
        queues: drive.queues.as_ref().map(|q| q.resolve(drive.link.interface.get())).transpose()?,
        controller: drive.controller.resolve()?,
        read_ahead: (drive.read_ahead.as_ref())
            .map(|file| file.resolve(drive.ftl.unit.get().base()))
            .transpose()?,
        buffer: drive.buffer.resolve(&geometry)?,
        nand: sections::nand_timing(drive, &model.nand),
        suspend: drive.suspend.resolve(),
        programs: drive.flash.programs()?,
        power: drive.power.resolve(cap),
        cells: sections::cells(drive, &model.nand),
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
    Ok(Resolved { scale: capacity.scale(), config, real_bytes: capacity.real_bytes, host })
}

/// Refuses mapping units that no drive has.
fn check_unit(ftl: &FtlFile) -> Result<(), Complaint> {
    let unit = ftl.unit.get().base();
    if unit.is_power_of_two() && (4096..=65536).contains(&unit) {
        return Ok(());
    }
    let message = format!("a mapping unit of {} is not possible", ftl.unit.get());
    Err((ftl.unit.at(), message, "use 4, 8, 16, 32 or 64 KiB".to_owned()))
}

/// Bytes of a real block over the planes of a die.
fn real_block_bytes(model: &Model) -> u64 {
    let nand = &model.nand;
    nand.pages_per_block.get().number as u64
        * nand.planes.get().number as u64
        * nand.page.get().base()
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
        return bad(at, "a power state below the idle power stops all work", "raise it");
    }
    Ok(())
}
