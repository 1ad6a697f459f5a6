//! Scale and budget may cost precision; they never change the answer. Here a drive of each kind is
//! held to it; `make soak` holds every drive and system of the library to it.

mod law;

use lab::{BenchOptions, ModelBench};
use law::{Held, LOADS, Load, MIX, Point, RANDOM_WRITE, SEQUENTIAL_WRITE};
use library::Scale;
use metric::{Measurement, Params};

/// A load of which nothing can be compared is not held to the law.
fn hold(target: &str, loads: &[Load], points: &[Point]) {
    for load in loads {
        match law::hold_to(target, load, points) {
            Held::Agrees => {}
            Held::Differs(how) => panic!("it differs: {how}"),
            Held::Uncompared(why) => panic!("nothing to compare: {why}"),
        }
    }
}

const QUICK: [Point; 3] = [(1, 50_000), (4, 50_000), (4, 200_000)];

#[test]
fn a_data_centre_drive_does_not_know_its_scale() {
    hold("d7-p5520-7.68tb", &LOADS, &QUICK);
}

#[test]
fn nor_does_a_drive_behind_an_slc_cache() {
    hold("pm981a-256gb", &LOADS, &[(4, 50_000), (16, 50_000), (16, 200_000)]);
}

#[test]
fn nor_does_a_striped_array() {
    hold("mdraid-raid0-4x-p5520", &LOADS, &[(4, 50_000), (16, 50_000), (16, 200_000)]);
}

/// Lower pages take a quarter of the time of upper ones. With an odd number of pages a block had
/// one lower page too many: the drive wrote 5 % faster at 4 Mi units than at its full size.
#[test]
fn nor_does_a_drive_whose_pages_take_different_times() {
    hold("intel-320-300gb", &[RANDOM_WRITE], &[(1, 20_000), (4, 20_000), (16, 20_000)]);
}

/// What is written in open stripes is spare as well: with a quarter of the superblocks that was
/// four times as much of the drive, and amplification fell.
#[test]
fn nor_does_a_drive_with_fewer_superblocks_than_the_real_one() {
    let points = [(4, 200_000), (16, 200_000), (64, 200_000)];
    hold("vertex-3-240gb", &[RANDOM_WRITE], &points);
}

/// Blocks of one program: while a die erases, its victims' last pages wait, and there was nothing
/// else to read.
#[test]
fn nor_does_a_drive_whose_blocks_are_a_single_program() {
    hold("7400-pro-7.68tb", &[RANDOM_WRITE], &[(4, 200_000), (16, 200_000)]);
}

/// The more dies erase at once, the less they hold up writes in order: with longer blocks more did.
#[test]
fn nor_does_a_drive_whose_dies_erase_in_turn() {
    hold("sn850-1tb", &[MIX], &[(8, 200_000), (64, 200_000)]);
}

/// In a steady state the cache holds what was overwritten since; to fill it with writes leaves
/// stripes behind that are younger than they are after long writing.
#[test]
fn a_steady_state_with_a_full_slc_cache_stays_as_it_is() {
    hold("pm981a-256gb", &[RANDOM_WRITE], &[(2, 200_000), (8, 200_000)]);
}

/// Mirrors note seconds after a run that their regions are clean. Their drives took that for load,
/// and the time after it for a pause in which to empty their SLC caches: every run began with one.
#[test]
fn nor_does_a_mirrored_array_between_two_runs() {
    hold("raid10-4x-pm981a", &[MIX], &[(16, 50_000), (16, 200_000)]);
}

/// Parity that is written more than once takes spare area. A small part of an array is written over
/// many times in the time of a measurement, and would be collected as the array is after hours.
#[test]
fn writes_in_order_to_an_array_with_parity_meet_no_collection_of_the_scale() {
    let points = [(4, 50_000), (16, 50_000), (16, 200_000)];
    hold("mdraid-raid5-4x-p5520", &[SEQUENTIAL_WRITE], &points);
}

/// Where there is little spare area to take it from, the parity of a tenth of a pass takes all of
/// it: a small part of the array was collected while it was measured, a large one was not.
#[test]
fn nor_do_they_where_there_is_little_spare_area() {
    hold("raid5-3x-pm981a", &[SEQUENTIAL_WRITE], &[(4, 50_000), (16, 50_000), (16, 200_000)]);
}

/// A volume cache takes writes at its own rate until it is full: a short run would measure the
/// cache, a long one the disks.
#[test]
fn a_volume_cache_is_full_before_anything_is_measured() {
    hold("raid0-2x-dt01aca200-writeback", &[RANDOM_WRITE], &[(4, 5_000), (4, 20_000)]);
}

/// So does a module before a disk, and it takes two minutes to fill.
#[test]
fn nor_does_a_tier_begin_empty() {
    hold("optane-16gb-dt01aca200", &[RANDOM_WRITE], &[(4, 5_000), (4, 400_000), (4, 1_600_000)]);
}

/// Metrics of a method with these parameters on a drive of so many Mi units.
fn at(target: &str, method: &str, pairs: &[(&'static str, &'static str)], mi: u64) -> Measurement {
    let scale = Scale::Units(mi << 20);
    let options = BenchOptions { scale: Some(scale), ios: 160_000, ..BenchOptions::default() };
    let params = Params::from_pairs(pairs.iter().copied()).unwrap();
    ModelBench::new(options).measure(target, method, &params).unwrap()
}

fn agree(small: &Measurement, large: &Measurement, metrics: &[&str], within: f64) {
    for name in metrics {
        let (small, large) = (small.metrics[*name].value, large.metrics[*name].value);
        assert!((small / large - 1.0).abs() < within, "{name}: {small} and {large}");
    }
}

/// What a short test writes into an SLC cache is a share of it at every scale.
#[test]
fn a_short_test_does_not_fill_the_cache_of_a_small_part() {
    let pairs = [("state", "fresh"), ("duration", "3 s")];
    let of = |mi: u64| at("sn850-1tb", "crystaldiskmark", &pairs, mi);
    agree(&of(4), &of(16), &["seq_write"], 0.02);
}

/// A test file keeps its size, and is half of the SLC cache of a small part: what is written after
/// it has as much room there as on the whole drive.
#[test]
fn a_test_file_leaves_as_much_of_the_cache_as_it_does_on_the_whole_drive() {
    let of = |mi: u64| at("raid0-2x-pm981a", "raid-scaling", &[], mi);
    agree(&of(8), &of(32), &["seq_write", "write_iops"], 0.02);
}

/// The wait before a drive empties its cache is as short a part of a pause as on the whole drive:
/// at 4 Mi units it was longer than the pause, and a file was still read from the cache.
#[test]
fn what_is_emptied_in_a_pause_does_not_depend_on_the_scale() {
    let pairs = [("runs", "1")];
    let of = |mi: u64| at("sn850-1tb", "crystaldiskmark", &pairs, mi);
    agree(&of(4), &of(64), &["4k_read", "4k_q32_read", "4k_write"], 0.02);
}

#[test]
fn what_a_model_states_does_not_depend_on_the_scale() {
    let fact = |target: &str, units: u64, name: &str| {
        let options = BenchOptions { scale: Some(Scale::Units(units)), ..BenchOptions::default() };
        ModelBench::new(options).fact(target, name)
    };
    for target in library::drives() {
        for name in ["capacity", "max_capacity", "power_per_tb"] {
            let small = fact(target, 1 << 20, name);
            assert_eq!(small, fact(target, 64 << 20, name), "{target}: {name}");
            assert!(small.is_some() || name != "capacity", "{target} has no capacity");
        }
    }
    for target in library::systems() {
        assert!(fact(target, 1 << 20, "capacity").is_some(), "{target} has no capacity");
    }
}
