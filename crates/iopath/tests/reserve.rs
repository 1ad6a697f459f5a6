//! The last free stripe belongs to collection: as long as an FTL says that a unit of the host can
//! be placed, placing it leaves one free, however long the units are and wherever they go.

use crate::common::*;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::policies::WritePoints;
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::geometry::Layout;

/// Pages of four grains, mapping units of two, stripes of two pages.
fn layout() -> Layout {
    let mut g = geometry();
    (g.page_bytes, g.unit_bytes, g.rows, g.groups_per_lane) = (16384, 4096, 2, 16);
    Layout::new(g)
}

/// Places units of these sizes, again and again, until the FTL takes no more. Nothing is collected.
/// Returns the units placed and the free stripes that are left.
fn fill(policies: FtlPolicies, sizes: &[u32]) -> (u32, u32) {
    let mut ftl: Ftl<()> = Ftl::new(layout(), 1000, policies, false);
    let mut placed = 0;
    while ftl.can_place_host() {
        ftl.set_hint(placed as u16 % 3);
        ftl.set_stored(sizes[placed as usize % sizes.len()]);
        ftl.place_host(placed, ());
        placed += 1;
        assert!(ftl.pool().free_stripes() >= 1, "{placed} units took the last stripe: {sizes:?}");
    }
    ftl.audit();
    (placed, ftl.pool().free_stripes())
}

fn grains() -> FtlPolicies {
    FtlPolicies { grains: Some(2), ..FtlPolicies::default() }
}

fn with_cache(when_full: WhenFull) -> FtlPolicies {
    let slc = SlcPolicy { bits: 2, rows: 1, static_units: 0, dynamic_units: 400, when_full };
    FtlPolicies { slc: Some(slc), ..grains() }
}

/// A stripe holds eight grains. With 2, 2, 2, 1 of them seven are used when the next unit of two
/// comes: it does not fit, the stripe ends, and the unit opens the next one. What is left at the
/// end is one stripe, and the grain that a unit of two cannot use.
#[test]
fn a_unit_that_does_not_fit_into_the_last_page_does_not_open_the_last_stripe() {
    for sizes in [&[2, 2, 2, 1][..], &[2, 1], &[1, 2, 2], &[1], &[2], &[1, 1, 2, 1, 1, 1]] {
        assert_eq!(fill(grains(), sizes).1, 1, "{sizes:?}");
    }
    // 15 of 16 stripes of four units each: whole units leave nothing unused, 2-2-2-1 leave a grain.
    assert_eq!(fill(grains(), &[2]).0, 15 * 4);
    assert_eq!(fill(grains(), &[2, 2, 2, 1]).0, 15 * 4);
}

#[test]
fn nor_does_one_that_misses_the_last_page_of_the_cache() {
    for when_full in [WhenFull::Direct, WhenFull::Fold] {
        for sizes in [&[2, 2][..], &[2, 1], &[1, 2], &[1, 2, 2], &[1, 1, 1, 2]] {
            assert_eq!(fill(with_cache(when_full), sizes).1, 1, "{when_full:?} {sizes:?}");
        }
    }
}

#[test]
fn nor_does_any_of_several_streams() {
    for streams in 1..4 {
        for sizes in [&[2, 2, 2, 1][..], &[1, 2], &[1, 2, 2, 2, 1]] {
            let separation = Separation::Hint(streams);
            let left = fill(FtlPolicies { separation, ..grains() }, sizes).1;
            assert!(left >= 1, "{streams} {sizes:?}");
            let slc = FtlPolicies { separation, ..with_cache(WhenFull::Fold) };
            assert!(fill(slc, sizes).1 >= 1, "{streams} {sizes:?}");
        }
    }
    let shared = FtlPolicies { write_points: WritePoints::Shared, ..grains() };
    assert_eq!(fill(shared, &[1, 2]).1, 1);
}
