//! The admission of writes in model files: which writes enter a full write buffer, and when writes
//! are slowed.

use iopath::device::flash::config::DriveConfig;
use library::{Model, Overrides, Scale, source_text};

/// The P5520 with these lines added to sections.
fn with(lines: &[(&str, &str)]) -> Result<DriveConfig, String> {
    let mut text = source_text("d7-p5520-7.68tb").unwrap().to_owned();
    for (section, line) in lines {
        let (key, value) = line.split_once(" = ").unwrap();
        let line = format!("{key} = {{ value = \"{value}\", source = \"assumed: test\" }}");
        let section = format!("[{section}]\n");
        text = match text.contains(&section) {
            true => text.replacen(&section, &format!("{section}{line}\n"), 1),
            false => format!("{text}\n{section}{line}\n"),
        };
    }
    let model = Model::parse("mine", "mine.toml", &text, None, &[]).map_err(|e| e.to_string())?;
    let resolved = model.resolve(Scale::Share(1.0 / 256.0), &Overrides::default());
    resolved.map(|resolved| resolved.config).map_err(|e| e.to_string())
}

#[test]
fn the_default_admission_changes_nothing() {
    let c = with(&[]).unwrap();
    assert_eq!(c.buffer.admission, Default::default());
    assert_eq!(c.collection.slow_units, 0);
}

#[test]
fn a_model_file_sets_the_admission() {
    let c = with(&[
        ("buffer", "turn = 128 KiB"),
        ("buffer", "small = 16 KiB"),
        ("buffer", "kept_for_small = 8 MiB"),
        ("collection", "slow_from = 25 %"),
    ])
    .unwrap();
    let admission = c.buffer.admission;
    assert_eq!((admission.turn, admission.small_bytes, admission.kept_units), (32, 16384, 2048));
    // A quarter of the spare: of alpha 1.126, less a little for stripes outside it.
    let raw = c.geometry.groups_per_lane as f64
        * iopath::device::flash::geometry::Layout::new(c.geometry).stripe_data_units() as f64;
    let share = c.collection.slow_units as f64 / raw;
    assert!((share / (0.25 * (1.0 - 1.0 / 1.126)) - 1.0).abs() < 0.01, "{share}");
}

#[test]
fn what_is_just_possible_and_what_is_not() {
    for (good, bad, says) in [
        (("buffer", "turn = 4 KiB"), ("buffer", "turn = 4095 B"), "less than a mapping unit"),
        (
            ("collection", "slow_from = 50 %"),
            ("collection", "slow_from = 51 %"),
            "cannot be slowed from 51 %",
        ),
    ] {
        assert!(with(&[good]).is_ok(), "{good:?}");
        let error = with(&[bad]).unwrap_err();
        assert!(error.starts_with("mine.toml:") && error.contains(says), "{error}");
    }
    let kept = |size| with(&[("buffer", "small = 4 KiB"), ("buffer", size)]);
    assert!(kept("kept_for_small = 32 MiB").is_ok());
    assert!(kept("kept_for_small = 33 MiB").unwrap_err().contains("keep half"));
}

#[test]
fn a_buffer_of_more_units_than_32_bits_is_refused() {
    let text = source_text("d7-p5520-7.68tb").unwrap();
    for (key, value) in [("size", "16777280 MiB"), ("copies", "16777280 MiB")] {
        let set = vec![(format!("buffer.{key}"), value.to_owned())];
        let error = Model::parse("mine", "mine.toml", text, None, &set).unwrap_err().to_string();
        assert!(error.contains("more than 2^32 units"), "{error}");
    }
}

#[test]
fn contradictions_are_reported_with_a_fix() {
    for alone in ["small = 4 KiB", "kept_for_small = 1 MiB"] {
        let error = with(&[("buffer", alone)]).unwrap_err();
        assert!(error.contains("need each other") && error.contains("both or none"), "{error}");
    }
    let both = [("collection", "slow_from = 25 %"), ("collection", "burst = 20 %")];
    let error = with(&both).unwrap_err();
    assert!(error.contains("leave `burst` or `slow_from` out"), "{error}");
}
