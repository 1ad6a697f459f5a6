//! Physical sense of the models: what the dies of a drive hold, and what a run says of itself.

use iopath::device::flash::drive::DriveState;
use library::{Model, Overrides, Scale, flash_drives};
use simulate::{Rig, RunOptions};

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

/// Half the dies hold half as much: what is asked of them, the numbers and the fewest dies that do
/// are told.
#[test]
fn dies_that_do_not_hold_the_capacity_are_refused() {
    let told = Model::named("d7-p5520-7.68tb", &set(&[("flash.dies", "64 dies")])).unwrap_err();
    for part in ["64 dies of 64 GiB hold 4.398 TB", "8.648 TB", "7.68 TB", "1.126 x", "126 dies"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let half = [("flash.dies", "64 dies"), ("body.capacity", "3.84 TB")];
    assert!(Model::named("d7-p5520-7.68tb", &set(&half)).unwrap().warnings().is_empty());
    let larger = [("flash.dies", "64 dies"), ("nand.die_capacity", "128 GiB")];
    assert!(Model::named("d7-p5520-7.68tb", &set(&larger)).is_ok());
    // What an SLC cache is never without takes cells of three bits.
    let told = Model::named("sn850-1tb", &set(&[("slc.static", "20 GB")])).unwrap_err();
    assert!(told.contains("static SLC cache") && told.contains("60 GB"), "{told}");
}

/// Unused dies are spare that alpha does not count, or too many.
#[test]
fn flash_that_nothing_uses_is_reported() {
    let half = Model::named("d7-p5520-7.68tb", &set(&[("body.capacity", "3.84 TB")])).unwrap();
    let told = half.warnings();
    assert!(told.len() == 1 && told[0].contains("2.03 times"), "{told:?}");
    assert!(told[0].contains("ftl.alpha to 2.291 x") && told[0].contains("63 dies"), "{told:?}");
}

/// Every drive of the library: its dies hold its capacity times alpha. Of two the parity over dies
/// does not fit beside it, which they say.
#[test]
fn the_dies_of_every_drive_of_the_library_hold_it() {
    let mut seen = 0;
    for slug in flash_drives() {
        let model = Model::named(slug, &[]).unwrap();
        seen += 1;
        let raw = model.raw_flash();
        assert!(raw.used() <= 1.001 && raw.used() > 0.9, "{slug}: {raw:?}");
        let short = ["intel-320-300gb", "intel-710-200gb"].contains(&slug);
        assert_eq!(model.warnings().len(), usize::from(short), "{slug}: {:?}", model.warnings());
        if short {
            assert!(raw.used_with_parity() < 1.021, "{slug}: {raw:?}");
        }
    }
    assert!(seen >= 17, "{seen}");
}

/// What is in an SLC cache is written once more when it is folded.
#[test]
fn a_write_amplification_without_the_folding_says_so() {
    let model = Model::named("sn850-1tb", &[]).unwrap();
    let resolved = model.resolve(Scale::Units(4 << 20), &Overrides::default()).unwrap();
    let mut rig = Rig::new(resolved.config, resolved.scale, 1);
    let text = "[w]\nrw=write\nbs=128k\nioengine=libaio\niodepth=32\nio_size=200m\n";
    let file = fio::jobfile::parse_str("w", text, &fio::LoadOptions::default()).unwrap();
    rig.prepare(&DriveState::Fresh);
    let run = rig.run(&file, &mut RunOptions::default()).unwrap();
    let told = run.warnings.iter().find(|told| told.code == "folding-owed");
    let told = told.unwrap_or_else(|| panic!("{:?}", run.warnings));
    assert!(told.message.contains("of 1.000") && told.message.contains("it is 2.0"), "{told:?}");
    // A drive without such a cache owes nothing.
    let model = Model::named("p4510", &[]).unwrap();
    let resolved = model.resolve(Scale::Units(4 << 20), &Overrides::default()).unwrap();
    let mut rig = Rig::new(resolved.config, resolved.scale, 1);
    let run = rig.run(&file, &mut RunOptions::default()).unwrap();
    assert!(run.warnings.iter().all(|told| told.code != "folding-owed"), "{:?}", run.warnings);
}

/// Write amplification is bytes over bytes: a unit that is written in part is programmed whole.
#[test]
fn writes_of_a_part_of_a_unit_amplify_by_the_whole_of_it() {
    let amplification = |drive: &str, block: &str| {
        let model = Model::named(drive, &[]).unwrap();
        let resolved = model.resolve(Scale::Units(1 << 20), &Overrides::default()).unwrap();
        let mut rig = Rig::new(resolved.config, resolved.scale, 1);
        let text = format!("[w]\nrw=randwrite\nbs={block}\nioengine=libaio\niodepth=16\n");
        let file = fio::jobfile::parse_str("w", &text, &fio::LoadOptions::default()).unwrap();
        rig.prepare(&DriveState::Steady(1.0));
        let mut options = RunOptions { budget_ios: Some(100_000), ..RunOptions::default() };
        rig.run(&file, &mut options).unwrap().write_amplification.unwrap()
    };
    // A mapping unit of 64 KiB.
    let ratio = amplification("p5316", "4k") / amplification("p5316", "64k");
    assert!((ratio / 16.0 - 1.0).abs() < 0.03, "{ratio}");
}
