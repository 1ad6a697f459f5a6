//! What a thread issues does not depend on whether it draws ahead.

use crate::common::*;
use iopath::host::workload::{BlockSizes, Pattern, Rate, Region, Zones};
use proptest::prelude::*;

const SPAN: u64 = 8 << 20;

/// Threads that nothing but their depth and their limits holds back.
fn threads() -> impl Strategy<Value = ThreadSpec> {
    let directions = prop_oneof![
        Just(Directions::Read),
        Just(Directions::Write),
        (0..=100_u8).prop_map(|read_percent| Directions::Mixed { read_percent }),
    ];
    let samplers: [fn(u64) -> Option<Sampler>; 4] = [
        |_| None,
        |n| Some(Sampler::Uniform { n }),
        |n| Some(Sampler::each_once(n, 3)),
        |n| Some(Sampler::zipf(n, 1.1, 3)),
    ];
    let sizes = prop_oneof![
        Just(BlockSizes::Fixed(4096)),
        Just(BlockSizes::Range(4096, 16_384)),
        Just(BlockSizes::split(&[(4096, 70), (32_768, 30)])),
    ];
    let limits = (prop::option::of(1..400_u64), prop::option::of(1..200_u64), 1..3_u32);
    let drawn = (0..4_usize, any::<bool>(), 1..9_u32, 50..=100_u8);
    (directions, sizes, drawn, limits).prop_map(
        move |(directions, sizes, (sampler, zoned, depth, random), (ios, blocks, run))| {
            let zones = zoned.then_some(Zones { bytes: 1 << 20, range: 1 << 20, skip: 1 << 20 });
            let room = zones.map_or(SPAN, |zones| zones.range);
            let sampler = samplers[sampler](room / 4096);
            // Several sizes go by a map where each place comes once.
            let once = sampler.as_ref().is_some_and(Sampler::is_each_once);
            let pattern = sampler.map_or(Pattern::Sequential, Pattern::Random);
            let map = (once && !zoned).then_some(4096);
            ThreadSpec {
                regions: vec![Region { map, zones, ..region(SPAN, pattern) }],
                sizes: [0, 1, 2].map(|_| sizes.clone()),
                random_percent: [random; 3],
                run,
                io_limit: Some(ios.unwrap_or(300)),
                byte_limit: blocks.map(|blocks| blocks * 4096),
                flush_at_end: true,
                ..thread("drawn", directions, 4096, SPAN, depth)
            }
        },
    )
}

fn ios(spec: ThreadSpec) -> Vec<IoDone> {
    let mut m = machine::<(), _>(config(geometry(), 1.3), Times::default());
    prepare(&mut m, DriveState::Filled);
    start(&mut m, vec![spec], 5);
    m.run(Instant::NEVER, u64::MAX);
    m.context.probe.ios
}

proptest! {
    /// A rate without an end holds nothing back, but a thread with one draws each I/O when it is
    /// due.
    #[test]
    fn a_thread_that_draws_ahead_issues_the_same(spec in threads()) {
        let limit = Some(Rate::Ios(u64::MAX));
        let when_due = ios(ThreadSpec { rate: [limit; 3], ..spec.clone() });
        let ahead = ios(spec);
        prop_assert_eq!(ahead, when_due);
    }
}
