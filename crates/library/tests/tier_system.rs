//! Cache tiers in system files: what is accepted, and how mistakes are reported.

use iopath::machine::system::NodeSpec;
use iopath::volume::tier::TierConfig;
use iopath::volume::tier::config::{AdmissionConfig, EvictionConfig, Mode};
use library::{Overrides, Scale, System};

const EXAMPLE: &str = include_str!("../../../examples/nvme-before-qlc.toml");

fn tier(system: &System) -> TierConfig {
    let resolved = system.resolve(Scale::default(), &Overrides::default()).unwrap();
    let found = resolved.spec.nodes.iter().find_map(|node| match node {
        NodeSpec::Tier { config, .. } => Some(config.as_ref().clone()),
        _ => None,
    });
    found.expect("the system has a tier")
}

#[test]
fn the_example_before_a_drive_of_four_bits_a_cell_is_what_it_says() {
    let system = System::parse("mine", "mine.toml", EXAMPLE, None, &[]).unwrap();
    let tier = tier(&system);
    assert_eq!((tier.mode, tier.block, tier.sector), (Mode::WriteBack, 65536, 4096));
    assert_eq!(tier.admission, AdmissionConfig::SecondTouch { ghosts: 4_000_000 });
    assert!(matches!(tier.eviction, EvictionConfig::TwoQueue { .. }));
    assert_eq!(tier.bypass_after, Some(4 << 20));
    assert!(tier.cache_bytes * 4 < tier.backing_bytes && tier.persistent);
}

#[test]
fn the_modules_of_the_review_differ_in_nothing_but_the_module() {
    let of = |name| tier(&System::named(name, &[]).unwrap());
    let (small, large) = (of("optane-16gb-dt01aca200"), of("optane-32gb-dt01aca200"));
    assert!(small.cache_bytes < large.cache_bytes);
    assert_eq!(TierConfig { cache_bytes: large.cache_bytes, ..small }, large);
}

#[test]
fn a_tier_that_cannot_be_is_refused_with_its_place_and_a_way_out() {
    let cases = [
        (
            "of = [\"fast\", \"slow\"]",
            "of = [\"slow\", \"fast\"]",
            "larger than the device behind it",
        ),
        ("of = [\"fast\", \"slow\"]", "of = [\"fast\"]", "1 parts"),
        (
            "block = { value = \"64 KiB\"",
            "block = { value = \"5000 B\"",
            "not a multiple of the sector",
        ),
        ("block = { value = \"64 KiB\"", "block = { value = \"1 MiB\"", "more than 64 sectors"),
        ("ghosts = { value = \"4000000 blocks\"", "touches = { value = \"4 touches\"", "`ghosts`"),
        (
            "dirty_goal = { value = \"50 %\"",
            "dirty_goal = { value = \"70 %\"",
            "with a dirty goal of",
        ),
        ("mode = { value = \"write-back\"", "mode = { value = \"write-maybe\"", "write-maybe"),
    ];
    for (from, to, part) in cases {
        let text = EXAMPLE.replacen(from, to, 1).replacen(
            "share = { value = \"20 %\"",
            "share = { value = \"100 %\"",
            usize::from(to.contains("slow\", \"fast")),
        );
        assert_ne!(text, EXAMPLE, "the example no longer says `{from}`");
        let Err(diagnostic) = System::parse("mine", "mine.toml", &text, None, &[]) else {
            panic!("`{to}` was accepted");
        };
        let told = diagnostic.to_string();
        assert!(told.contains(part), "{told}");
        assert!(diagnostic.line > 0 && told.contains("mine.toml"), "{told}");
    }
}
