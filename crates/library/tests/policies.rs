//! What a model file says about the policies of its translation layer, and what runs.

use iopath::device::flash::ftl::map_cache::MapCachePolicy;
use iopath::device::flash::ftl::policies::FtlPolicies;
use iopath::device::flash::ftl::separation::Separation;
use iopath::device::flash::ftl::victim::VictimPolicy;
use iopath::device::flash::ftl::wear::WearLevelling;
use library::{Model, Overrides, Scale, source_text};

/// A shipped model with other words for its policies.
fn with(changes: &[(&str, &str)]) -> Result<FtlPolicies, String> {
    let mut text = source_text("p4510-8tb").unwrap().replace(
        "[suspend]",
        r#"separation = { value = "hint 3 streams", source = "assumed: test" }
wear_levelling = { value = "static 50 erases", source = "assumed: test" }

[ftl.bad_blocks]
factory = { value = "1 %", source = "assumed: test" }
reserve = { value = "3 %", source = "assumed: test" }
rated = { value = "3000 erases", source = "assumed: test" }
failed_at_rated = { value = "2 %", source = "assumed: test" }
shape = { value = "4 x", source = "assumed: test" }

[map]
cache = { value = "512 MiB", source = "assumed: test" }

[suspend]"#,
    );
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let model = Model::parse("mine", "mine.toml", &text, None, &[]).map_err(|e| e.to_string())?;
    let resolved = model.resolve(Scale::Share(1.0 / 512.0), &Overrides::default());
    resolved.map(|resolved| resolved.config.policies).map_err(|e| e.to_string())
}

#[test]
fn a_model_file_chooses_every_policy() {
    let p = with(&[("value = \"greedy\"", "value = \"d-choices 5\"")]).unwrap();
    assert_eq!(p.victim, VictimPolicy::DChoices(5));
    assert_eq!(p.separation, Separation::Hint(3));
    assert_eq!(p.wear, WearLevelling::Static(50));
    let bad = p.bad_blocks.unwrap();
    assert_eq!((bad.factory, bad.reserve, bad.failed_at_rated), (0.01, 0.03, 0.02));
    assert_eq!((bad.rated, bad.shape), (3000, 4.0));
    // The cache has the same share of the map at every scale.
    let MapCachePolicy { bytes, entry_bytes } = p.map_cache.unwrap();
    assert_eq!(entry_bytes, 4);
    assert!((bytes as f64 / f64::from(1 << 20) - 1.0).abs() < 0.01, "{bytes}");
}

#[test]
fn without_a_word_every_drive_is_what_it_was() {
    let model = Model::named("p4510-8tb", &[]).unwrap();
    let resolved = model.resolve(Scale::default(), &Overrides::default()).unwrap();
    assert_eq!(resolved.config.policies, FtlPolicies::default());
}

#[test]
fn impossible_values_are_refused_with_a_place_and_a_fix() {
    for (from, to, message) in [
        ("\"greedy\"", "\"gredy\"", "`cost-benefit`"),
        ("hint 3 streams", "hint 99 streams", "(1 to 16)"),
        ("static 50 erases", "static", "`static 50 erases`"),
        ("\"4 x\"", "\"400 x\"", "a constant hazard"),
        ("3000 erases", "0 erases", "rated for one erase"),
        (
            "failed_at_rated = { value = \"2 %\"",
            "failed_at_rated = { value = \"100 %\"",
            "0 % to 99 %",
        ),
    ] {
        let error = with(&[(from, to)]).unwrap_err();
        assert!(error.contains(message) && error.contains("mine.toml:"), "{error}");
    }
}
