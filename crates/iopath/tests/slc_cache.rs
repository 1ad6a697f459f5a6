//! The SLC cache: where its knees are, what folding costs, and that a static cache is not spare
//! area.

use crate::common::*;
use engine::{Duration, Instant};
use iopath::device::flash::config::BackgroundConfig;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::ftl::stream::Lines;
use iopath::device::flash::geometry::Layout;
use iopath::host::workload::Pattern;

/// Three-bit cells, 900 us a word line natively and 100 us in SLC mode, bound by the dies.
fn cached(static_stripes: u64, dynamic: bool, when_full: WhenFull) -> DriveConfig {
    let mut g = geometry();
    (g.channels, g.dies, g.planes) = (2, 4, 2);
    g.pages_per_wl = 3;
    g.rows = 48;
    g.groups_per_lane = 96;
    let mut c = config(g, 1.1);
    let stripe = Lines::slc(16).stripe_units(&Layout::new(g)) as u64;
    c.policies.slc = Some(SlcPolicy {
        bits: 3,
        rows: 16,
        static_units: static_stripes * stripe,
        dynamic_units: if dynamic { u64::MAX / 8 } else { 0 },
        when_full,
    });
    // Set aside beside the pool, as resolving a model does.
    c.geometry.groups_per_lane += static_stripes as u32;
    c.nand.program = vec![us(900)];
    c.nand.slc_program = Some(us(100));
    c.nand.slc_sense = Some(us(25));
    c.nand.sense = vec![us(50)];
    c.buffer.units = 4 * c.least_buffer_units();
    c.buffer.copy_units = 4 * c.least_copy_units();
    c
}

fn stripe_units(c: &DriveConfig) -> u64 {
    Lines::slc(16).stripe_units(&Layout::new(c.geometry)) as u64
}

#[test]
fn an_empty_drive_caches_a_third_of_its_capacity_if_all_that_is_free_may_be_used() {
    // s units in three-bit cells take 3 s of what is free: s = (U - s) / 2 is a third, and the
    // budget shrinks by s/2 while s is written, so the stripes end at U/3.
    let c = cached(0, true, WhenFull::Direct);
    let logical = (c.user_bytes / 4096) as u32;
    let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), logical, c.policies.clone(), false);
    let mut written = 0;
    loop {
        ftl.write(written, ());
        if !ftl.is_slc(ftl.layout().group_of(ftl.map().get(written))) {
            break;
        }
        written += 1;
    }
    let share = f64::from(written) / f64::from(logical);
    // One stripe is lost to rounding down; raw space ends the cache no earlier.
    let stripe = stripe_units(&c) as f64 / f64::from(logical);
    assert!((share - 1.0 / 3.0).abs() < 1.5 * stripe, "{share}");
    ftl.audit();
}

/// When each request of 16 units of a sequential write over a share of a fresh drive ended, in
/// seconds.
fn sustained(c: &DriveConfig, share: f64) -> Vec<f64> {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    let mut spec = thread("w", Directions::Write, 65536, c.user_bytes, 32);
    spec.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    spec.byte_limit = Some((c.user_bytes as f64 * share) as u64 / 65536 * 65536);
    start(&mut m, vec![spec], 3);
    m.run(Instant::NEVER, u64::MAX);
    m.audit();
    let mut ends: Vec<f64> =
        m.context.probe.ios.iter().map(|io| io.completed.since(Instant::ZERO).as_s()).collect();
    ends.sort_by(f64::total_cmp);
    ends
}

/// Units a second between two volumes of units written.
fn rate(ends: &[f64], from: f64, to: f64) -> f64 {
    let (from, to) = ((from / 16.0) as usize, ((to / 16.0) as usize).min(ends.len() - 1));
    (to - from) as f64 * 16.0 / (ends[to] - ends[from])
}

#[test]
fn a_static_cache_ends_where_it_is_full_and_writes_go_on_at_the_native_rate() {
    let c = cached(40, false, WhenFull::Direct);
    let cache = 40.0 * stripe_units(&c) as f64;
    let dies = c.geometry.dies as f64;
    let page = (c.geometry.planes * c.geometry.page_bytes / 4096) as f64;
    let (slc, native) = (dies * page / 100e-6, dies * page * 3.0 / 900e-6);
    let ends = sustained(&c, 0.8);
    let fast = rate(&ends, 0.2 * cache, 0.9 * cache);
    let slow = rate(&ends, 1.5 * cache, 16.0 * ends.len() as f64);
    // An erase of 3 ms before each block: 16 programs of 100 us, or 16 of 900 us.
    let (fast_law, slow_law) = (slc * 1.6 / 4.6, native * 14.4 / 17.4);
    assert!((fast / fast_law - 1.0).abs() < 0.05, "{fast} against {fast_law}");
    assert!((slow / slow_law - 1.0).abs() < 0.05, "{slow} against {slow_law}");
    // The knee is where the cache is full, within the buffer and the window that is looked at.
    let middle = (fast * slow).sqrt();
    let window = 0.1 * cache;
    let knee =
        (0..100).map(|i| i as f64 * 0.02 * cache).find(|at| rate(&ends, *at, at + window) < middle);
    let slack = c.buffer.units as f64 + window;
    assert!((knee.unwrap() - cache).abs() < slack, "knee at {knee:?}, cache of {cache}");
}

#[test]
fn folding_on_idle_moves_everything_once_and_gives_the_cache_back() {
    let mut c = cached(6, false, WhenFull::Direct);
    c.collection.background = Some(BackgroundConfig {
        after: Duration::from_ms(5),
        target: engine::Ratio::from_base(0),
        during_reads: false,
    });
    let mut m = machine::<(), _>(c.clone(), Times::default());
    let stripe = stripe_units(&c);
    let mut spec = thread("w", Directions::Write, 65536, c.user_bytes, 8);
    spec.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    spec.byte_limit = Some(4 * stripe * 4096 / 65536 * 65536);
    start(&mut m, vec![spec], 3);
    while m.context.probe.ios.len() < (4 * stripe / 16) as usize {
        m.run(Instant::NEVER, 1);
    }
    assert_eq!(m.drive(0).ftl().ledger().folding, 0, "nothing is folded before it is idle");
    m.idle(Duration::from_ms(4));
    assert_eq!(m.drive(0).ftl().ledger().folding, 0, "4 ms are not 5");
    m.idle(Duration::from_ms(500));
    m.audit();
    let ledger = m.drive(0).ftl().ledger();
    // The stripe that is still open stays in the cache.
    assert!(m.drive(0).ftl().slc_used() <= stripe);
    assert!(ledger.folding >= 3 * stripe && ledger.folding <= 4 * stripe, "{ledger:?}");
    assert_eq!(ledger.copies, 0);
}

#[test]
fn a_cache_that_is_folded_under_load_writes_everything_twice() {
    // Each unit is programmed in SLC, sensed, and programmed natively: dies are busy for
    // 1/16 of 1.6 + 3 ms and of 14.4 + 3 ms for each row of pages.
    let c = cached(4, false, WhenFull::Fold);
    let ends = sustained(&c, 0.6);
    let cache = 4.0 * stripe_units(&c) as f64;
    let rate = rate(&ends, 2.0 * cache, 16.0 * ends.len() as f64);
    let row = (c.geometry.dies * c.geometry.planes * c.geometry.page_bytes / 4096) as f64;
    let slc_s = 4.6e-3 / 16.0;
    // A native block takes three rows of SLC pages a word line.
    let native_s = 17.4e-3 / 48.0;
    let sense_s = 50e-6;
    let law = row / (slc_s + native_s + sense_s);
    assert!((rate / law - 1.0).abs() < 0.08, "{rate} against {law}");
}

#[test]
fn a_static_cache_does_not_change_the_amplification_of_a_full_drive() {
    let with = cached(4, false, WhenFull::Direct);
    let mut without = cached(0, false, WhenFull::Direct);
    without.policies.slc = None;
    let amplification = |c: &DriveConfig| {
        let logical = (c.user_bytes / 4096) as u32;
        let mut ftl: Ftl<()> =
            Ftl::new(Layout::new(c.geometry), logical, c.policies.clone(), false);
        let mut stream = engine::Stream::new(5, "writes");
        for unit in 0..logical {
            ftl.write(unit, ());
        }
        for _ in 0..logical {
            ftl.write(stream.below(logical as u64) as u32, ());
        }
        let from = ftl.ledger();
        for _ in 0..2 * logical {
            ftl.write(stream.below(logical as u64) as u32, ());
        }
        ftl.audit();
        let to = ftl.ledger();
        (to.total() - from.total()) as f64 / (to.host - from.host) as f64
    };
    let (a, b) = (amplification(&with), amplification(&without));
    // What is stale in the full cache leaves a little more room for the rest.
    assert!((a / b - 1.0).abs() < 0.06, "with {a}, without {b}");
}

/// Steady means that more of the same changes nothing: a full cache must not lend its room to the
/// native blocks until what it holds is overwritten.
#[test]
fn more_random_writes_leave_the_steady_state_of_a_cached_drive_as_it_is() {
    let mut c = cached(60, false, WhenFull::Direct);
    c.geometry.groups_per_lane += 288;
    c.user_bytes *= 4;
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    let live = c.user_bytes / u64::from(c.geometry.unit_bytes);
    let mut stream = engine::Stream::new(5, "writes");
    let mut amplification = |share: f64| {
        let ftl = m.drive_mut(0).ftl_mut();
        let from = ftl.ledger();
        for _ in 0..(live as f64 * share) as u64 {
            ftl.write(stream.below(live) as u32, ());
        }
        let to = ftl.ledger();
        (to.total() - from.total()) as f64 / (to.host - from.host) as f64
    };
    let first = amplification(0.3);
    amplification(3.0);
    let last = amplification(1.0);
    assert!((first / last - 1.0).abs() < 0.03, "{first} at first, {last} after long writing");
}

/// The page type of SLC blocks comes after those of the others, and a read names it in a byte.
#[test]
fn there_is_room_for_the_page_type_of_slc_blocks() {
    let mut c = cached(8, false, WhenFull::Direct);
    assert_eq!(c.check(), Ok(()));
    c.nand.sense = vec![us(60); 256];
    assert!(c.check().unwrap_err().contains("page type"));
    c.policies.slc = None;
    assert_eq!(c.check(), Ok(()));
    c.user_bytes = u64::MAX / 2;
    assert!(c.check().unwrap_err().contains("too little spare"));
}
