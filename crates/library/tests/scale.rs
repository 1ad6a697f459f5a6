//! What the scale may shorten and what it must keep.

use iopath::device::flash::geometry::Layout;
use library::{Model, Overrides, Scale, flash_drives};

/// A lower page is programmed in a quarter of the time of an upper one. A block with one lower page
/// too many would make the drive faster at small scales than it is.
#[test]
fn a_shorter_block_has_as_many_pages_of_each_kind() {
    let mut seen = 0;
    for slug in flash_drives() {
        let model = Model::named(slug, &[]).unwrap();
        for units in 1..=40 {
            let scale = Scale::Units(units << 20);
            let Ok(resolved) = model.resolve(scale, &Overrides::default()) else { continue };
            let (geometry, nand) = (&resolved.config.geometry, &resolved.config.nand);
            let lines = geometry.rows / geometry.pages_per_wl;
            let (programs, senses) = (nand.program.len() as u32, nand.sense.len() as u32);
            assert_eq!(lines % programs, 0, "{slug}: {lines} programs at {units} Mi units");
            assert_eq!(geometry.rows % senses, 0, "{slug}: {} pages a block", geometry.rows);
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen} scales of drives");
}

/// What wears are the blocks that are written and erased in turn: as many bytes at any scale, with
/// the reserve of the write streams and without blocks that lie idle.
#[test]
fn the_blocks_that_wear_are_those_that_are_simulated() {
    let mut seen = 0;
    for slug in flash_drives() {
        let model = Model::named(slug, &[]).unwrap();
        let Ok(resolved) = model.resolve(Scale::Units(64 << 20), &Overrides::default()) else {
            continue;
        };
        let layout = Layout::new(resolved.config.geometry);
        let units = f64::from(layout.groups) * f64::from(layout.group_units);
        let bytes = units * f64::from(layout.geometry.unit_bytes) / resolved.scale;
        let off = bytes / model.raw_flash().in_turn() - 1.0;
        println!("{slug}: {:+.2} %", 100.0 * off);
        assert!(off.abs() < 0.002, "{slug}: {off}");
        seen += 1;
    }
    assert!(seen > 15, "{seen} drives");
}
