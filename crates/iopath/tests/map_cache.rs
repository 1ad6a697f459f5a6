//! A partial map in memory: how often it hits, what a miss costs, and what it writes.

use crate::common::*;

/// A drive of 64 Ki units with 64 translation pages, of which `frames` fit into the cache.
fn drive(frames: u64) -> DriveConfig {
    let g = Geometry { dies: 8, channels: 8, rows: 64, groups_per_lane: 165, ..geometry() };
    let mut c = config(g, 1.25);
    c.policies.map_cache = Some(MapCachePolicy { bytes: frames * 4096, entry_bytes: 4 });
    c
}

fn run(c: &DriveConfig, directions: Directions, ios: u64, depth: u32) -> Machine<(), Times> {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    let mut load = thread("load", directions, 4096, c.user_bytes, depth);
    load.io_limit = Some(ios);
    start(&mut m, vec![load], 1);
    m.run(Instant::NEVER, u64::MAX);
    m.audit();
    m
}

#[test]
fn the_hit_ratio_of_uniform_access_is_cache_over_map() {
    for frames in [8, 16, 48] {
        let c = drive(frames);
        let pages = c.user_bytes.div_ceil(4096 * 1024);
        let m = run(&c, Directions::Read, 40_000, 4);
        let counts = m.drive(0).ftl().map_cache_counts().unwrap();
        let hits = counts.hits as f64 / (counts.hits + counts.misses) as f64;
        let law = frames as f64 / pages as f64;
        println!("{frames} of {pages} pages: hits {hits:.4}, law {law:.4}");
        // Binomial, four standard deviations; the empty cache at the start costs at most `frames`.
        let doubt = 4.0 * (law * (1.0 - law) / 40_000.0).sqrt() + frames as f64 / 40_000.0;
        assert!((hits - law).abs() < doubt, "{hits}, {law}");
    }
}

/// At depth one a read takes one sense on a hit and two on a miss, to the picosecond, but for what
/// a plane still holds.
#[test]
fn a_miss_costs_one_more_sense() {
    let m = run(&drive(16), Directions::Read, 4000, 1);
    let counts = m.drive(0).ftl().map_cache_counts().unwrap();
    let transfer = 4096 * 1_000_000_000_000 / FAST as u128;
    let sense = us(50).ps() as u128 + transfer;
    let latencies = m.context.probe.ios.iter().map(|io| io.completed.since(io.issued).ps() as u128);
    let (mut hits, mut misses) = (0, 0);
    for latency in latencies {
        // The link's and the channel's transfers are a few nanoseconds each.
        match (latency as f64 / sense as f64).round() as u32 {
            1 => hits += 1,
            2 => misses += 1,
            n => panic!("a read of {n} senses"),
        }
    }
    let kept = m.drive(0).nand().counters().kept;
    assert!(kept < 10, "{kept}");
    assert_eq!((hits, misses), (counts.hits + kept, counts.misses - kept));
}

/// Every miss of a write puts a page out that was changed by another: so many pages are written,
/// and they are part of the write amplification.
#[test]
fn changed_pages_are_written_and_counted() {
    let c = drive(16);
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    // At depth one no two commands miss the same page together.
    let mut writes = thread("writes", Directions::Write, 4096, c.user_bytes, 1);
    writes.io_limit = Some(60_000);
    start(&mut m, vec![writes], 1);
    let from = m.drive(0).ftl().ledger();
    m.run(Instant::NEVER, u64::MAX);
    m.audit();
    let (to, counts) = (m.drive(0).ftl().ledger(), m.drive(0).ftl().map_cache_counts().unwrap());
    let written = to.metadata - from.metadata;
    println!("{counts:?}, {written} pages written");
    assert_eq!(to.host - from.host, 60_000);
    // The first pages to come in found the cache empty.
    assert_eq!(written, counts.misses - 16);
    let pages = c.user_bytes.div_ceil(4096 * 1024) as f64;
    let law = 60_000.0 * (1.0 - 16.0 / pages);
    assert!((written as f64 / law - 1.0).abs() < 0.02, "{written} pages, law {law}");
    // Each of them is a write that collection has to follow: A counts both kinds alike.
    let placed = (to.host - from.host + written) as f64;
    let a = (to.total() - from.total()) as f64 / placed;
    println!("units written for each unit of data or map: {a:.3}");
    assert!(a > 1.0 && to.total() - from.total() > 60_000 + written);
}

/// The same writes in zero time leave the same amount of the map behind.
#[test]
fn the_untimed_path_writes_as_much_of_the_map() {
    let c = drive(16);
    let m = run(&c, Directions::Write, 40_000, 1);
    let timed = m.drive(0).ftl().ledger();
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    let (units, mut stream) = (c.user_bytes / 4096, Stream::new(9, "untimed"));
    let ftl = m.drive_mut(0).ftl_mut();
    (0..40_000).for_each(|_| ftl.write(stream.below(units) as u32, ()));
    ftl.audit();
    let untimed = ftl.ledger();
    let ratio = timed.metadata as f64 / untimed.metadata as f64;
    println!("pages written: timed {}, untimed {}", timed.metadata, untimed.metadata);
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}
