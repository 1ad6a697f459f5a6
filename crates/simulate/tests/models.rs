//! Model files: what is accepted, and how mistakes are reported.

use iopath::device::flash::drive::DriveState;
use library::{Model, Overrides, Scale, flash_drives, source_text};
use simulate::{Rig, RunOptions};

/// The error for a change of the P5430's file.
fn broken(from: &str, to: &str) -> String {
    let text = source_text("d5-p5430-15.36tb").unwrap();
    assert!(text.contains(from), "the model no longer says `{from}`");
    let text = text.replacen(from, to, 1);
    match Model::parse("mine", "mine.toml", &text, None, &[]) {
        Ok(_) => panic!("`{to}` was accepted"),
        Err(diagnostic) => {
            assert!(diagnostic.line > 0 && diagnostic.column > 0);
            diagnostic.to_string()
        }
    }
}

#[test]
fn every_shipped_model_resolves_whole_and_scaled() {
    for slug in flash_drives() {
        let model = Model::named(slug, &[]).unwrap();
        for units in [8 << 20, 64 << 20] {
            let resolved = model.resolve(Scale::Units(units), &Overrides::default()).unwrap();
            let unit = resolved.config.geometry.unit_bytes as u64;
            let mapped = resolved.config.user_bytes / unit;
            assert!(mapped <= units + units / 8, "{slug}: {mapped} units");
            let capacity = resolved.config.user_bytes as f64 / resolved.scale;
            assert!((capacity / resolved.real_bytes as f64 - 1.0).abs() < 1e-6, "{slug}");
        }
    }
}

#[test]
fn a_misspelt_key_is_named_with_its_place_and_the_right_one() {
    let error = broken("read_cost =", "read_csot =");
    assert!(error.starts_with("mine.toml:23:1: unknown field `read_csot`"), "{error}");
    assert!(error.contains("did you mean `read_cost`?"), "{error}");
}

#[test]
fn a_bare_number_is_refused() {
    let error = broken("value = \"64 MiB\"", "value = 64");
    assert!(error.contains("`64` has no unit; write for example `4 KiB`"), "{error}");
    let error = broken("value = \"96 dies\"", "value = 96");
    assert!(error.contains("has no unit"), "{error}");
}

#[test]
fn a_value_without_a_source_is_refused() {
    let error = broken("source = \"data sheet: PCIe 4.0 x4\"", "source = \"somewhere\"");
    assert!(error.contains("a source begins with"), "{error}");
    let error = broken("fitted_on = [\"s1.p5430.randread\"]", "fitted_on = []");
    assert!(error.contains("fitted_on"), "{error}");
}

#[test]
fn impossible_geometry_is_reported_before_anything_runs() {
    let error = broken("value = \"96 dies\"", "value = \"7 dies\"");
    assert!(error.contains("7 dies cannot use 16 channels"), "{error}");
    let error = broken("value = \"1.145 x\"", "value = \"0.9 x\"");
    assert!(error.contains("leaves no spare"), "{error}");
    let error = broken("unit = { value = \"4 KiB\"", "unit = { value = \"3 KiB\"");
    assert!(error.contains("a mapping unit of 3 KiB is not possible"), "{error}");
    let error = broken("size = { value = \"64 MiB\"", "size = { value = \"1 MiB\"");
    assert!(error.contains("word lines that fill side by side on 96 dies"), "{error}");
    let error =
        broken("closed_window = { value = \"465 us\"", "closed_window = { value = \"9 ms\"");
    assert!(error.contains("closed window"), "{error}");
    let error = broken("nand = \"qlc-192l-fg\"", "nand = \"qlc-193l-fg\"");
    assert!(error.contains("did you mean `qlc-192l-fg`?"), "{error}");
}

/// The least buffer that is named is enough: with it a drive writes to the end, in a steady state
/// and in order. One mapping unit less is refused.
#[test]
fn the_least_buffer_that_is_named_is_enough_and_one_unit_less_is_not() {
    // Word lines of three pages and of one.
    for slug in ["d7-p5520-7.68tb", "x25-e-64gb"] {
        let with = |key: &str, kib: u64| {
            let value = format!("{kib} KiB");
            Model::named(slug, &[(format!("buffer.{key}"), value)])
        };
        let error = with("size", 1).unwrap_err();
        let named = error.split("is less than ").nth(1).and_then(|rest| rest.split(' ').next());
        let least: u64 = named.unwrap().parse().unwrap();
        for key in ["size", "copies"] {
            let small = with(key, least - 4).unwrap_err();
            assert!(small.contains(&format!("is less than {least} KiB")), "{small}");
            let scale = Scale::Units(4 << 20);
            let resolved = with(key, least).unwrap().resolve(scale, &Overrides::default()).unwrap();
            let mut rig = Rig::new(resolved.config, resolved.scale, 1);
            for (state, rw) in
                [(DriveState::Fresh, "write"), (DriveState::Steady(1.0), "randwrite")]
            {
                rig.prepare(&state);
                let text =
                    format!("[w]\nioengine=libaio\nrw={rw}\nbs=4k\niodepth=64\nio_size=256m\n");
                let file =
                    fio::jobfile::parse_str("w", &text, &fio::LoadOptions::default()).unwrap();
                let run = rig.run(&file, &mut RunOptions::default()).unwrap();
                assert!(run.checks.failures().is_empty(), "{slug} {key} {rw}");
            }
        }
    }
}

#[test]
fn a_value_can_be_set_from_outside_but_not_invented() {
    let set = |path: &str, value: &str| vec![(path.to_owned(), value.to_owned())];
    let model = Model::named("p5430", &set("flash.dies", "128 dies")).unwrap();
    assert_eq!(model.drive.flash.dies.get().number, 128);
    assert_eq!(model.drive.flash.dies.source(), "assumed: set on the command line");
    let error = Model::named("p5430", &set("flash.dice", "48 dies")).unwrap_err();
    assert!(error.contains("--set") && error.contains("such as dies, channels"), "{error}");
    let error = Model::named("p5430", &set("flash.dies", "48")).unwrap_err();
    assert!(error.contains("no unit") || error.contains("unit"), "{error}");
}

#[test]
fn names_are_found_or_nearly() {
    assert_eq!(Model::named("P5430", &[]).unwrap().slug, "d5-p5430-15.36tb");
    assert_eq!(Model::named("Intel P4510 8TB", &[]).unwrap().slug, "p4510-8tb");
    let error = Model::named("p5520", &[]).unwrap_err();
    assert!(error.contains("d7-p5520-7.68tb or d7-p5520-15.36tb"), "{error}");
    let error = Model::named("p4501", &[]).unwrap_err();
    assert!(error.contains("no drive of the library"), "{error}");
}

#[test]
fn spare_given_up_leaves_the_flash_as_it_is() {
    let model = Model::named("p5430", &[]).unwrap();
    let resolve = |percent| {
        let give_up = engine::Ratio::percent(percent);
        let overrides = Overrides { give_up, ..Overrides::default() };
        model.resolve(Scale::Units(16 << 20), &overrides).unwrap()
    };
    let (whole, less) = (resolve(0), resolve(10));
    assert_eq!(whole.config.geometry, less.config.geometry);
    let ratio = less.config.user_bytes as f64 / whole.config.user_bytes as f64;
    assert!((ratio - 0.9).abs() < 1e-6);
    assert!((whole.scale / less.scale - 1.0).abs() < 1e-6);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..Default::default()
    })]
    /// No text makes the reader of models panic.
    #[test]
    fn any_damage_is_an_error_or_a_model(at in 0usize..6000, with in ".{0,6}") {
        let text = source_text("d5-p5430-15.36tb").unwrap();
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) { at -= 1; }
        let text = format!("{}{with}{}", &text[..at], &text[at..]);
        let _ = Model::parse("mine", "mine.toml", &text, None, &[]);
    }
}
