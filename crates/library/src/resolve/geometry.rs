//! The shape of the flash at the scale of the run.

use super::super::file::Flash;
use super::super::ftl_file::{FtlFile, Group};
use super::super::model::Model;
use super::super::scale::Scale;
use super::{Complaint, LEAST_GROUPS, LEAST_UNITS, positive};
use engine::{narrow, whole};
use iopath::device::flash::geometry::{Geometry, GroupSpan, Layout};
use metric::{Dimension, show};

/// Bytes of a physical unit: a mapping unit, or a grain of one in a drive that compresses.
pub(super) fn physical_unit(model: &Model) -> u64 {
    let grains = super::modes::grains(&model.drive).unwrap_or(1) as u64;
    model.drive.ftl.unit.get().base() / grains
}

/// The geometry at the scale: blocks are shortened, superblocks and dies stay.
pub(super) fn geometry(model: &Model, scale: Scale) -> Result<Geometry, Complaint> {
    let shortest = shortest(model)?;
    let share = share(model, scale)?;
    let (lines, groups) = blocks(model, &shortest, share)?;
    let rows = narrow::<u32>(lines) * shortest.pages_per_wl;
    let outside = model.drive.ftl.policies().stripes_outside_alpha();
    let groups = u32::try_from(groups).unwrap_or(u32::MAX - outside);
    let geometry = Geometry { rows, groups_per_lane: groups.saturating_add(outside), ..shortest };
    check_size(&geometry, model)?;
    Ok(geometry)
}

/// The drive with a single superblock, whose blocks are one program long.
fn shortest(model: &Model) -> Result<Geometry, Complaint> {
    let (drive, nand) = (&model.drive, &model.nand);
    let (channels, dies) = channels_and_dies(&drive.flash)?;
    check_block(model)?;
    check_spare(&drive.ftl, dies)?;
    Ok(Geometry {
        channels,
        dies,
        planes: nand.planes.get().number,
        page_bytes: narrow(nand.page.get().base()),
        pages_per_wl: nand.pages_per_program.get().number,
        rows: nand.pages_per_program.get().number,
        unit_bytes: narrow(physical_unit(model)),
        span: match drive.ftl.group.get() {
            Group::Superblock => GroupSpan::Superblock,
            Group::Block => GroupSpan::Block,
        },
        groups_per_lane: 1,
        parity_period: drive.ftl.parity_period.get().number,
    })
}

/// The buses and the dies on all of them.
fn channels_and_dies(flash: &Flash) -> Result<(u32, u32), Complaint> {
    let channels = positive(&flash.channels, "a channel")?;
    let dies = positive(&flash.dies, "a die")?;
    if dies < channels {
        let message = format!("{dies} dies cannot use {channels} channels");
        return Err((flash.dies.at(), message, "give each channel a die at least".to_owned()));
    }
    Ok((channels, dies))
}

/// Refuses blocks that programs or mapping units do not fill.
fn check_block(model: &Model) -> Result<(), Complaint> {
    let nand = &model.nand;
    let at = model.drive.flash.dies.at();
    let impossible = |message: String, help: &str| Err((at, message, help.to_owned()));
    let planes = nand.planes.get().number;
    let page = nand.page.get().base();
    let per_program = nand.pages_per_program.get().number;
    let per_block = nand.pages_per_block.get().number;
    let unit = physical_unit(model);
    let whole_pages = (512..=1 << 20).contains(&page) && page.is_power_of_two();
    if !(1..=8).contains(&planes) || !whole_pages || per_program == 0 || per_block == 0 {
        let message = format!(
            "planes {planes}, page {page} B, {per_program} pages a program, {per_block} a block"
        );
        return impossible(message, "1 to 8 planes, pages of a power of two, nothing zero");
    }
    if !per_block.is_multiple_of(per_program) {
        let message = format!("blocks of {per_block} pages hold no whole program of {per_program}");
        return impossible(message, "make pages_per_block a multiple of pages_per_program");
    }
    if unit > page && !(planes as u64).is_multiple_of(unit / page) {
        let message = format!("units of {unit} B do not fit {planes} planes of {page} B");
        return impossible(message, "a unit must fill a whole number of planes");
    }
    Ok(())
}

/// Refuses spare and parity that no drive has.
fn check_spare(ftl: &FtlFile, dies: u32) -> Result<(), Complaint> {
    let alpha = ftl.alpha.get().fraction();
    if !(1.001..=20.0).contains(&alpha) {
        let message = format!("alpha of {alpha} leaves no spare, or more than any drive has");
        return Err((ftl.alpha.at(), message, "use 1.001 x to 20 x".to_owned()));
    }
    let parity = ftl.parity_period.get().number;
    if parity == 1 || parity > dies {
        let message = format!("one parity die in {parity} is not possible with {dies} dies");
        return Err((ftl.parity_period.at(), message, "use 0, or 2 to dies".to_owned()));
    }
    Ok(())
}

/// Share of the drive that is simulated.
fn share(model: &Model, scale: Scale) -> Result<f64, Complaint> {
    let user = model.drive.body.capacity.get().base();
    match scale {
        Scale::Units(most) => Ok((most as f64 / user_units(model) as f64).min(1.0)),
        Scale::Bytes(bytes) => Ok((bytes as f64 / user as f64).min(1.0)),
        Scale::Share(share) if share > 0.0 && share <= 1.0 => Ok(share),
        Scale::Share(share) => {
            let message = format!("a scale of {share} is not between 0 and 1");
            Err((model.drive.body.capacity.at(), message, "use 1/1 or less".to_owned()))
        }
    }
}

/// Physical units of the real drive's capacity.
fn user_units(model: &Model) -> u64 {
    model.drive.body.capacity.get().base() / physical_unit(model)
}

/// Programs that a block is long, and superblocks within alpha.
fn blocks(model: &Model, shortest: &Geometry, share: f64) -> Result<(u64, u64), Complaint> {
    let alpha = model.drive.ftl.alpha.get().fraction();
    let layout = Layout::new(*shortest);
    let line_units = layout.group_data_units as u64 * layout.lanes as u64;
    let lines_per_block = (model.nand.pages_per_block.get().number / shortest.pages_per_wl) as u64;
    let period = period(model, lines_per_block);
    let pool = user_units(model) as f64 * alpha * share;
    let real_groups = real_stripes(model, &layout);
    // As many superblocks as the real drive has, unless they were too short; never too few. Blocks
    // are shortened down to one program of each kind of page.
    let unit = model.drive.ftl.unit.get().base() / physical_unit(model);
    let longest = pool / (LEAST_UNITS * unit) as f64;
    let scaled = real_groups.min(longest).max(LEAST_GROUPS as f64);
    let groups = if share >= 1.0 { real_groups } else { scaled };
    let periods = whole((pool / groups / (line_units * period) as f64).round());
    let lines = (periods * period).clamp(period, lines_per_block);
    let groups = whole((pool / (lines * line_units) as f64).round().max(8.0));
    if share < 1.0 && groups < LEAST_GROUPS * 9 / 10 {
        let message = format!("at this scale only {groups} superblocks are left");
        let unit = physical_unit(model);
        let least = LEAST_GROUPS as f64 * (line_units * period) as f64 * unit as f64 / alpha;
        let help = format!(
            "{LEAST_GROUPS} superblocks are needed: simulate {} or more of it, or leave --scale \
             out (of a drive that is served it is --size)",
            show(Dimension::Bytes, least * 1.05)
        );
        return Err((model.drive.body.capacity.at(), message, help));
    }
    Ok((lines, groups))
}

/// Stripes of the real drive within alpha, given the layout of one die row of it.
pub(super) fn real_stripes(model: &Model, layout: &Layout) -> f64 {
    let unit_pages = layout.geometry.rows;
    let row_units = layout.stripe_data_units() as f64 / f64::from(unit_pages);
    let pages = f64::from(model.nand.pages_per_block.get().number);
    let pool = user_units(model) as f64 * model.drive.ftl.alpha.get().fraction();
    (pool / (row_units * pages)).max(1.0)
}

/// Programs after which the kinds of pages, and with them the times, come again. A block holds as
/// many pages of each kind at every scale: with one lower page too many it would be faster than a
/// real one. 1 where the whole block holds more of one kind.
fn period(model: &Model, lines_per_block: u64) -> u64 {
    let nand = &model.nand;
    let (programs, senses) = (nand.program.len() as u64, nand.sense.len() as u64);
    let pages = u64::from(nand.pages_per_program.get().number);
    let whole = |lines: &u64| {
        lines.is_multiple_of(programs.max(1)) && (lines * pages).is_multiple_of(senses.max(1))
    };
    (1..=lines_per_block)
        .find(whole)
        .filter(|lines| lines_per_block.is_multiple_of(*lines))
        .unwrap_or(1)
}

/// Refuses what 32-bit maps cannot hold, parity and reserve included.
pub(super) fn check_size(geometry: &Geometry, model: &Model) -> Result<(), Complaint> {
    let one = Layout::new(Geometry { groups_per_lane: 1, ..*geometry });
    let groups = geometry.groups_per_lane as f64 * one.lanes as f64;
    let physical = groups * one.group_units as f64;
    if physical >= u32::MAX as f64 {
        let message = format!("{physical:.0} mapping units are more than 32-bit maps can hold");
        let at = model.drive.body.capacity.at();
        return Err((at, message, "simulate a smaller share".to_owned()));
    }
    Ok(())
}
