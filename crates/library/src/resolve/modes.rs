//! Write points, padding, the SLC cache and the times of collection.

use super::super::file::{Buffer, DriveFile};
use super::super::model::Model;
use super::super::modes_file::{PaddingWord, WhenFullWord};
use super::super::policy_words::WritePointsWord;
use super::super::sourced::Sourced;
use super::Complaint;
use engine::{Ratio, narrow, whole};
use iopath::device::flash::config::{
    Admission, BackgroundConfig, CollectionConfig, CompressionConfig, Pace,
};
use iopath::device::flash::ftl::policies::{FtlPolicies, Padding, WritePoints};
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::ftl::stream::Lines;
use iopath::device::flash::geometry::{Geometry, Layout};

/// What the translation layer decides by, with the SLC cache at a scale.
pub(super) fn policies(drive: &DriveFile, slc: Option<SlcPolicy>, scale: f64) -> FtlPolicies {
    FtlPolicies {
        write_points: write_points(drive),
        padding: padding(drive),
        slc,
        map_cache: drive.map.as_ref().map(|map| map.resolve(scale)),
        grains: grains(drive),
        ..drive.ftl.policies()
    }
}

fn write_points(drive: &DriveFile) -> WritePoints {
    match drive.ftl.write_points.as_ref().map(|word| *word.get()) {
        Some(WritePointsWord::Shared) => WritePoints::Shared,
        Some(WritePointsWord::Ordered(bytes)) => {
            let units = bytes.base() / drive.ftl.unit.get().base();
            WritePoints::Ordered { after: narrow(units.max(1)) }
        }
        Some(WritePointsWord::Separate) | None => WritePoints::Separate,
    }
}

fn padding(drive: &DriveFile) -> Padding {
    match drive.ftl.padding.as_ref().map(|word| *word.get()) {
        Some(PaddingWord::Page) => Padding::Page,
        Some(PaddingWord::None) | None => Padding::None,
    }
}

/// Parts of a mapping unit that a compressed one is rounded to: 512 B of 4 KiB.
const GRAINS: u8 = 8;

/// Grains of a mapping unit, if the drive compresses.
pub(super) fn grains(drive: &DriveFile) -> Option<u8> {
    drive.compression.as_ref().map(|_| GRAINS)
}

pub(super) fn compression(drive: &DriveFile) -> Option<CompressionConfig> {
    drive.compression.as_ref().map(|file| CompressionConfig { smallest: *file.smallest.get() })
}

/// What no value shows by itself.
pub(super) fn check(drive: &DriveFile) -> Result<(), Complaint> {
    let whole = |value: &Sourced<Ratio>, what: &str| {
        let share = value.get().fraction();
        if share <= 1.0 {
            return Ok(());
        }
        let message = format!("{what} of {:.0} % is more than there is", 100.0 * share);
        Err((value.at(), message, "give 0 % to 100 %".to_owned()))
    };
    if let Some(file) = &drive.compression {
        whole(&file.smallest, "a stored share")?;
    }
    if let Some(file) = &drive.collection {
        file.burst.iter().try_for_each(|share| whole(share, "a burst"))?;
        if let Some(slow) = &file.slow_from {
            if slow.get().fraction() > 0.5 {
                let message = format!("writes cannot be slowed from {} of the spare", slow.get());
                return Err((slow.at(), message, "give 0 % to 50 %".to_owned()));
            }
            if file.burst.is_some() {
                let message = "bursts hold writes back, or pacing slows them, not both".to_owned();
                return Err((slow.at(), message, "leave `burst` or `slow_from` out".to_owned()));
            }
        }
        file.background.iter().try_for_each(|b| whole(&b.target, "a target"))?;
    }
    if let Some(file) = &drive.slc {
        let capacity = drive.body.capacity.get().base();
        if file.fixed.get().base() > capacity / 4 {
            let message = "a static cache of more than a quarter of the drive".to_owned();
            return Err((file.fixed.at(), message, "give part of it as `dynamic`".to_owned()));
        }
    }
    let alpha = &drive.ftl.alpha;
    if padding(drive) == Padding::Page && alpha.get().fraction() < PADDED_ALPHA {
        let message = format!(
            "alpha of {} leaves too little spare for a drive that pads pages",
            alpha.get().fraction()
        );
        return Err((alpha.at(), message, format!("use {PADDED_ALPHA} x at least")));
    }
    Ok(())
}

/// Least alpha of a drive that pads pages: its amplification grows beyond 60 below.
const PADDED_ALPHA: f64 = 1.03;

/// Which writes enter a full write buffer, in mapping units of `unit` bytes.
pub(super) fn admission(buffer: &Buffer, unit: u64) -> Result<Admission, Complaint> {
    let size = buffer.size.get().base();
    let turn = match &buffer.turn {
        None => u32::MAX,
        Some(turn) if turn.get().base() < unit => {
            let message = format!("a turn of {} is less than a mapping unit", turn.get());
            return Err((turn.at(), message, format!("use {unit} B at least")));
        }
        Some(turn) => narrow((turn.get().base() / unit).min(u32::MAX as u64)),
    };
    let (small_bytes, kept_units) = match (&buffer.small, &buffer.kept_for_small) {
        (None, None) => (0, 0),
        (Some(small), Some(kept)) => {
            if kept.get().base() > size / 2 {
                let message = format!(
                    "{} of a buffer of {} kept for small writes",
                    kept.get(),
                    buffer.size.get()
                );
                return Err((kept.at(), message, "keep half of the buffer at most".to_owned()));
            }
            (narrow(small.get().base().min(u32::MAX as u64)), narrow(kept.get().base() / unit))
        }
        (Some(one), None) | (None, Some(one)) => {
            let message = "`small` and `kept_for_small` need each other".to_owned();
            return Err((one.at(), message, "give both or none".to_owned()));
        }
    };
    Ok(Admission { turn, small_bytes, kept_units })
}

/// When collection runs. A burst is a share of the spare stripes, so that it means the same at
/// every scale.
pub(super) fn collection(drive: &DriveFile, geometry: &Geometry) -> CollectionConfig {
    let Some(file) = &drive.collection else { return CollectionConfig::default() };
    let spare = geometry.groups_per_lane as f64 * (1.0 - 1.0 / drive.ftl.alpha.get().fraction());
    let pace = match &file.burst {
        None => Pace::Paid,
        Some(share) => {
            Pace::Burst { stripes: count((spare * share.get().fraction()).round().max(1.0)) }
        }
    };
    let background = file.background.as_ref().map(|b| BackgroundConfig {
        after: *b.after.get(),
        target: *b.target.get(),
        during_reads: b.during_reads.get().is_yes(),
    });
    let stripe = Layout::new(*geometry).stripe_data_units() as f64;
    let slow = file.slow_from.as_ref().map_or(0.0, |share| spare * share.get().fraction());
    CollectionConfig { pace, background, slow_units: count((slow * stripe).round()) }
}

/// A whole number in 32 bits; beyond them the largest.
fn count(x: f64) -> u32 {
    u32::try_from(whole(x)).unwrap_or(u32::MAX)
}

/// The SLC cache at a scale: its capacities shrink with the drive.
pub(super) fn slc(
    model: &Model,
    geometry: &Geometry,
    scale: f64,
) -> Result<Option<SlcPolicy>, Complaint> {
    let Some(file) = &model.drive.slc else { return Ok(None) };
    let at = file.fixed.at();
    let bits = model.nand.bits_per_cell.get().number;
    if bits < 2 {
        let message = "cells of one bit need no SLC cache".to_owned();
        return Err((at, message, "leave the section [slc] out".to_owned()));
    }
    if model.nand.slc_program.is_none() || model.nand.slc_sense.is_none() {
        let message = "the flash has no times for one bit a cell".to_owned();
        let help = "give `slc_program` and `slc_sense` in the NAND file".to_owned();
        return Err((at, message, help));
    }
    let rows = (geometry.rows / bits).max(1);
    let stripe = Lines::slc(rows).stripe_units(&Layout::new(*geometry)) as u64;
    let units = |bytes: u64| whole((bytes as f64 * scale / geometry.unit_bytes as f64).round());
    // A cache smaller than a stripe would be none at all.
    let at_least_a_stripe = |units: u64| if units == 0 { 0 } else { units.max(stripe) };
    Ok(Some(SlcPolicy {
        bits,
        rows,
        static_units: at_least_a_stripe(units(file.fixed.get().base())),
        dynamic_units: units(file.dynamic.get().base()),
        when_full: match file.when_full.get() {
            WhenFullWord::Direct => WhenFull::Direct,
            WhenFullWord::Fold => WhenFull::Fold,
        },
    }))
}
