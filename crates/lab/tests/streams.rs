//! Random streams: they depend on what a model says and on the seed, not on how its file is named.

use lab::{BenchOptions, ModelBench};
use library::{Scale, System, drives, source_text};
use metric::{Measurement, Params};
use std::collections::BTreeSet;
use std::path::Path;

const DRIVE: &str = "sn850-1tb";

/// A mix on a steady drive: senses, suspends, collection and the pattern all draw numbers.
fn measure(target: &str, seed: u64) -> Measurement {
    let scale = Scale::Units(1 << 20);
    let bench = ModelBench::new(BenchOptions {
        seed,
        scale: Some(scale),
        ios: 8_000,
        ..BenchOptions::default()
    });
    let pairs = [("read", "70 %"), ("qd", "8"), ("duration", "1 s")];
    let params = Params::from_pairs(pairs).unwrap();
    bench.measure(target, "mixed", &params).unwrap()
}

fn write(path: &Path, text: &str) -> String {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_copy_of_a_model_gives_its_numbers_under_any_path() {
    let folder = tempfile::tempdir().unwrap();
    let text = source_text(DRIVE).unwrap();
    let one = write(&folder.path().join("x.toml"), text);
    let other = write(&folder.path().join("sub/y.toml"), text);
    let round = format!("{}/sub/../x.toml", folder.path().display());
    let library = measure(DRIVE, 1);
    for path in [&one, &other, &round] {
        assert_eq!(measure(path, 1).metrics, library.metrics, "{path}");
    }
    assert_ne!(measure(&one, 2).metrics, library.metrics, "the seed still counts");
}

/// A model of the user's own is as independent of its path as one of the library.
#[test]
fn a_model_with_a_name_of_its_own_gives_the_same_numbers_under_any_path() {
    let folder = tempfile::tempdir().unwrap();
    let text = source_text(DRIVE).unwrap().replacen("WD Black SN850 1TB", "Mine", 1);
    let one = write(&folder.path().join("x.toml"), &text);
    let other = write(&folder.path().join("y.toml"), &text);
    assert_eq!(measure(&one, 1).metrics, measure(&other, 1).metrics);
}

/// What is drawn by is the same for a model and its variant, in the file or by `--set`.
#[test]
fn a_variant_draws_by_the_same_names() {
    let drawn_by = |system: &System| {
        let resolved = system.resolve(Scale::default(), &Default::default()).unwrap();
        let names: Vec<String> = resolved.spec.flash().map(|config| config.name.clone()).collect();
        names
    };
    let folder = tempfile::tempdir().unwrap();
    let text = source_text(DRIVE).unwrap();
    let changed = text.replacen("read_cost = { value = \"", "read_cost = { value = \"1", 1);
    assert_ne!(changed, text);
    let path = write(&folder.path().join("v.toml"), &changed);
    let variant = System::from_file(Path::new(&path), &[]).unwrap();
    let set = [("controller.ecc".to_owned(), "9 us".to_owned())];
    for model in [System::named(DRIVE, &[]).unwrap(), System::named(DRIVE, &set).unwrap()] {
        assert_eq!(drawn_by(&variant), drawn_by(&model));
    }
}

/// A name that two drives bear would give both the same stream.
#[test]
fn names_of_drives_are_unique() {
    let name = |slug: &str| System::named(slug, &[]).unwrap().name().to_owned();
    let names: BTreeSet<String> = drives().map(name).collect();
    assert_eq!(names.len(), drives().count());
}
