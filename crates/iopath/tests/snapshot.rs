//! A saved state continues exactly like the one it was taken from; anything else is refused with a
//! reason, never with a panic.

use crate::common::random::{cases, drives};
use crate::common::*;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::snapshot::SnapshotError;
use iopath::device::flash::geometry::Layout;
use proptest::prelude::*;

const MODEL: [u8; 32] = [7; 32];

/// A drive at rest after so many writes.
fn written(config: &DriveConfig, writes: u64, seed: u64) -> Ftl<()> {
    let logical = (config.user_bytes / config.unit_bytes()) as u32;
    let mut ftl = Ftl::new(Layout::new(config.geometry), logical, config.policies.clone(), false);
    write_on(&mut ftl, writes, seed);
    ftl.forget_untimed();
    ftl
}

fn write_on(ftl: &mut Ftl<()>, writes: u64, seed: u64) {
    let mut stream = Stream::new(seed, "snapshot");
    let logical = ftl.map().logical_units() as u64;
    for n in 0..writes {
        ftl.write(stream.below(logical) as u32, ());
        if n % 97 == 0 {
            ftl.pad_host();
            ftl.trim(stream.below(logical) as u32);
        }
    }
}

fn saved(ftl: &Ftl<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    ftl.save(&mut bytes, MODEL).unwrap();
    bytes
}

fn load(config: &DriveConfig, bytes: &[u8], model: [u8; 32]) -> Result<Ftl<()>, SnapshotError> {
    let logical = (config.user_bytes / config.unit_bytes()) as u32;
    let layout = Layout::new(config.geometry);
    Ftl::load(&mut &bytes[..], layout, logical, config.policies.clone(), false, model)
}

fn small() -> DriveConfig {
    let g = Geometry { dies: 2, planes: 2, pages_per_wl: 2, rows: 8, ..geometry() };
    config(Geometry { groups_per_lane: 20, ..g }, 1.3)
}

proptest! {
    #![proptest_config(cases(200))]

    /// Writing in order a page at a time ends in the state of writing unit by unit.
    #[test]
    fn writes_in_order_are_writes_one_by_one(
        config in drives(Protection::Protected),
        plain: bool,
        keep_undo: bool,
        runs in prop::collection::vec((any::<prop::sample::Index>(), 1..400_u32, 0..40_u64), 1..40),
        seed: u64,
    ) {
        let logical = (config.user_bytes / config.unit_bytes()) as u32;
        let mut policies = config.policies.clone();
        if plain {
            policies = policies.victim.into();
        }
        let layout = Layout::new(config.geometry);
        let mut ftl = Ftl::new(layout, logical, policies, keep_undo && !plain);
        let mut single = ftl.clone();
        ftl.write_in_order(0, logical, ());
        (0..logical).for_each(|unit| single.write(unit, ()));
        for (first, units, scattered) in runs {
            let first = first.index(logical as usize) as u32;
            let units = units.min(logical - first);
            ftl.write_in_order(first, units, ());
            (first..first + units).for_each(|unit| single.write(unit, ()));
            for ftl in [&mut ftl, &mut single] {
                ftl.end_command();
                write_on(ftl, scattered, seed);
                ftl.forget_untimed();
            }
            prop_assert!(saved(&ftl) == saved(&single));
        }
        ftl.audit();
    }

    /// Whatever was written since a mark, little or more than the drive holds: going back ends in
    /// the marked state, again and again, and what follows is as if nothing had been.
    #[test]
    fn a_drive_goes_back_to_its_mark(
        config in drives(Protection::Protected),
        before in 0..4000_u64,
        stretches in prop::collection::vec((0..6000_u64, any::<u32>()), 1..4),
        seed: u64,
    ) {
        let mut ftl = written(&config, before, seed);
        ftl.forget_untimed();
        let mut alone = ftl.clone();
        let (mark, marked) = (ftl.mark(), saved(&ftl));
        let logical = ftl.map().logical_units();
        for (writes, trimmed) in stretches {
            write_on(&mut ftl, writes, seed ^ u64::from(trimmed));
            (0..50).for_each(|i| ftl.trim((trimmed % logical + i * 7) % logical));
            ftl.forget_untimed();
            ftl.go_back(&mark);
            ftl.audit();
            prop_assert!(saved(&ftl) == marked);
        }
        for ftl in [&mut ftl, &mut alone] {
            write_on(ftl, 2000, seed ^ 1);
            ftl.forget_untimed();
        }
        prop_assert!(saved(&ftl) == saved(&alone));
    }

    #[test]
    fn a_loaded_state_goes_on_like_the_saved_one(
        config in drives(Protection::Protected), writes in 0..4000u64, seed: u64
    ) {
        let mut ftl = written(&config, writes, seed);
        let bytes = saved(&ftl);
        let mut loaded = load(&config, &bytes, MODEL).unwrap();
        loaded.audit();
        prop_assert_eq!(&bytes, &saved(&loaded));
        write_on(&mut ftl, 2000, seed ^ 1);
        write_on(&mut loaded, 2000, seed ^ 1);
        loaded.audit();
        ftl.forget_untimed();
        loaded.forget_untimed();
        prop_assert_eq!(ftl.ledger(), loaded.ledger());
        prop_assert!(ftl.map().places().eq(loaded.map().places()));
        prop_assert_eq!(ftl.pool().erases(), loaded.pool().erases());
    }

    #[test]
    fn a_cut_file_is_refused(writes in 0..2000u64, share in 0.0..1.0f64) {
        let config = small();
        let mut bytes = saved(&written(&config, writes, 3));
        bytes.truncate((bytes.len() as f64 * share) as usize);
        prop_assert!(matches!(load(&config, &bytes, MODEL), Err(SnapshotError::Truncated)));
    }

    #[test]
    fn a_changed_byte_is_noticed(writes in 0..2000u64, at in 0.0..1.0f64, change in 1..=255u8) {
        let config = small();
        let mut bytes = saved(&written(&config, writes, 3));
        let at = (bytes.len() as f64 * at) as usize;
        bytes[at] ^= change;
        prop_assert!(load(&config, &bytes, MODEL).is_err());
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(load(&small(), &bytes, MODEL).is_err());
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let config = small();
    let bytes = saved(&written(&config, 500, 1));
    let text = |bytes: &[u8], model| load(&config, bytes, model).err().unwrap().to_string();
    assert_eq!(text(b"# a text file, say", MODEL), "this is not a snapshot of a drive");
    assert_eq!(text(&bytes, [8; 32]), "the snapshot belongs to another model");
    assert_eq!(text(&bytes[..100], MODEL), "the snapshot is truncated");
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(text(&newer, MODEL), "the snapshot has format 9, this program reads format 4");
    let other = DriveConfig { user_bytes: config.user_bytes - 4096, ..config.clone() };
    let error = load(&other, &bytes, MODEL).err().unwrap();
    assert_eq!(error.to_string(), "the snapshot belongs to a drive of another shape or scale");
}

/// The last write may end in padding, and the padded word line still waits for its program. Its
/// group is no candidate for collection until then; a loaded one would be.
#[test]
fn what_waits_for_its_program_is_not_saved() {
    let config = small();
    let mut ftl = written(&config, 0, 1);
    ftl.write(0, ());
    ftl.pad_host();
    assert!(ftl.has_ready());
    let error = ftl.save(&mut Vec::new(), MODEL).unwrap_err();
    assert_eq!(error.to_string(), "a snapshot is taken at rest only");
    ftl.forget_untimed();
    assert!(!saved(&ftl).is_empty());
}

/// The state of a timed drive at rest, put into another machine, gives the same drive: what was
/// being collected is collected on from where it was, and no write pays for it twice.
#[test]
fn a_timed_drive_goes_on_from_its_snapshot() {
    let config = || config(Geometry { rows: 1024, groups_per_lane: 24, ..geometry() }, 1.3);
    let load = |bytes: &[u8]| load(&config(), bytes, MODEL).unwrap();
    let copies_of = |machine: &mut Machine<(), Times>, writes: u64, seed: u64| {
        let before = machine.drive(0).ftl().ledger().copies;
        let mut writing = thread("writes", Directions::Write, 4096, config().user_bytes, 8);
        writing.io_limit = Some(writes);
        start(machine, vec![writing], seed);
        machine.run(Instant::NEVER, u64::MAX);
        machine.audit();
        machine.drive(0).ftl().ledger().copies - before
    };
    for seed in 0..10 {
        let mut first = machine(config(), Times::default());
        prepare(&mut first, DriveState::Steady(1.0));
        copies_of(&mut first, 1000 + 500 * seed, seed);
        let mut bytes = Vec::new();
        first.drive(0).ftl().save(&mut bytes, MODEL).unwrap();
        let mut second = machine(config(), Times::default());
        second.drive_mut(0).set_ftl(load(&bytes));
        let [went_on, loaded] = [&mut first, &mut second].map(|m| copies_of(m, 200, 100 + seed));
        assert_eq!(went_on, loaded, "seed {seed}");
    }
}
