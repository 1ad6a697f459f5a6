//! Files of hard disks and 3D XPoint: what is accepted, and how mistakes are reported.

use library::{Medium, Model, Overrides, drives, flash_drives, source_text};

const DISK: &str = "dt01aca200-2tb";
const XPOINT: &str = "optane-memory-32gb";

/// The error for a change of a file.
fn broken(slug: &str, from: &str, to: &str) -> String {
    let text = source_text(slug).unwrap();
    assert!(text.contains(from), "the model no longer says `{from}`");
    let text = text.replacen(from, to, 1);
    match Medium::parse("mine", "mine.toml", &text, None, &[]) {
        Ok(_) => panic!("`{to}` was accepted"),
        Err(diagnostic) => {
            assert!(diagnostic.line > 0 && diagnostic.column > 0);
            diagnostic.to_string()
        }
    }
}

#[test]
fn every_drive_of_the_library_is_of_a_medium() {
    let media: Vec<Medium> = drives().map(|slug| Medium::named(slug, &[]).unwrap()).collect();
    let flash = media.iter().filter(|m| matches!(m, Medium::Flash(_))).count();
    assert_eq!(flash, flash_drives().count());
    for medium in &media {
        match medium {
            Medium::Flash(_) => {}
            Medium::Disk(disk) => {
                let config = disk.resolve(&Overrides::default()).unwrap();
                assert_eq!(config.user_bytes, medium.capacity());
                assert_eq!(config.platters.turn.ps(), 8_333_333_333);
                assert_eq!(config.link.queue_limit, 32);
            }
            Medium::XPoint(module) => {
                let config = module.resolve(&Overrides::default()).unwrap();
                assert_eq!(config.endurance_bytes, 182_500_000_000_000);
                assert_eq!(config.link.queue_limit, u32::MAX);
            }
        }
    }
    assert!(matches!(media.iter().find(|m| m.slug() == DISK), Some(Medium::Disk(_))));
    assert!(matches!(media.iter().find(|m| m.slug() == XPOINT), Some(Medium::XPoint(_))));
}

#[test]
fn names_and_fits_are_those_of_the_file() {
    let disk = Medium::named("Toshiba DT01ACA200 2TB", &[]).unwrap();
    assert_eq!(disk.slug(), DISK);
    assert!(disk.fitted_on().contains("s3.hdd.seqread"));
    let small = Medium::named("optane-16gb", &[]).unwrap();
    assert_eq!(small.fitted_on().len(), 5);
    let set = [("dies.count".to_owned(), "4 dies".to_owned())];
    let Medium::XPoint(set) = Medium::named("optane-16gb", &set).unwrap() else { panic!() };
    assert_eq!(set.file.dies.count.source(), "assumed: set on the command line");
}

#[test]
fn rated_numbers_follow_from_the_parts() {
    let module = Medium::named(XPOINT, &[]).unwrap();
    let near = |metric: &str, value: f64| {
        let fact = module.fact(metric).unwrap();
        assert!((fact / value - 1.0).abs() < 0.001, "{metric}: {fact}");
    };
    near("tbw", 182.5e12);
    near("seqread", 1350e6);
    near("seqwrite", 290e6);
    near("randread", 240e3);
    near("randwrite", 65e3);
    assert_eq!(module.fact("latread"), None, "the rated latency is not in the model");
    assert_eq!(Medium::named(DISK, &[]).unwrap().fact("dram"), Some(f64::from(64 << 20)));
}

#[test]
fn a_mistake_is_reported_with_its_place_and_a_fix() {
    let error = broken(DISK, "head_switch =", "head_swich =");
    assert!(error.contains("did you mean `head_switch`?"), "{error}");
    let error = broken(DISK, "media = \"disk\"", "media = \"dsik\"");
    assert!(error.starts_with("mine.toml:7:9: there is no medium `dsik`"), "{error}");
    let error = broken(DISK, "value = \"7200 rpm\"", "value = \"7200\"");
    assert!(error.contains("has no unit"), "{error}");
    let error = broken(DISK, "source = \"data sheet: 64 MiB\"", "source = \"somewhere\"");
    assert!(error.contains("a source begins with"), "{error}");
    let error = broken(DISK, "value = \"8.5 ms\"", "value = \"12 ms\"");
    assert!(error.contains("`arm.average`: no seek curve has this mean"), "{error}");
    let error = broken(DISK, "value = \"100 MB/s\"", "value = \"300 MB/s\"");
    assert!(error.contains("`platters.inner_rate`: it is above the outer rate"), "{error}");
    let error = broken(DISK, "value = \"4 heads\"", "value = \"0 heads\"");
    assert!(error.contains("`platters.heads`"), "{error}");
    let error = broken(DISK, "value = \"2 MiB\"", "value = \"200 MiB\"");
    assert!(error.contains("longer than a segment"), "{error}");
    let error = broken(XPOINT, "value = \"2 dies\"", "value = \"0 dies\"");
    assert!(error.contains("`dies.count`") && error.contains("mine.toml:28:19"), "{error}");
}

#[test]
fn what_needs_flash_says_so() {
    let error = Model::named(DISK, &[]).unwrap_err();
    assert!(error.contains("medium `disk`, and flash is needed"), "{error}");
    let Ok(Medium::Disk(disk)) = Medium::named(DISK, &[]) else { panic!() };
    let give_up = engine::Ratio::percent(10);
    let error = disk.resolve(&Overrides { give_up, ..Overrides::default() }).unwrap_err();
    assert!(error.to_string().contains("no spare area"), "{error}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..Default::default()
    })]
    /// No text makes the reader panic, and no value does that it can read.
    #[test]
    fn any_damage_is_an_error_or_a_model(at in 0usize..5000, with in ".{0,6}", disk in 0..2) {
        let text = source_text(if disk == 1 { DISK } else { XPOINT }).unwrap();
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) { at -= 1; }
        let text = format!("{}{with}{}", &text[..at], &text[at..]);
        let _ = Medium::parse("mine", "mine.toml", &text, None, &[]);
    }
}
