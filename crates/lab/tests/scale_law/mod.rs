//! Scale and budget may cost precision; they never change the answer. Here a drive of each kind is
//! held to it; `make soak` holds every drive and system of the library to it.

mod law;

use law::{Point, differences};

fn hold(target: &str, points: &[Point]) {
    let wrong = differences(target, points);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const QUICK: [Point; 3] = [(1, 50_000), (4, 50_000), (4, 200_000)];

#[test]
fn a_data_centre_drive_does_not_know_its_scale() {
    hold("d7-p5520-7.68tb", &QUICK);
}

#[test]
fn nor_does_a_drive_behind_an_slc_cache() {
    hold("pm981a-256gb", &[(4, 50_000), (16, 50_000), (16, 200_000)]);
}

#[test]
fn nor_does_a_striped_array() {
    hold("mdraid-raid0-4x-p5520", &[(4, 50_000), (16, 50_000), (16, 200_000)]);
}
