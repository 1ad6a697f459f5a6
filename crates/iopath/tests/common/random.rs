//! Random small drives: every shape, buffer, link and limit that a model file could ask for, small
//! enough that collection, padding and full queues happen within a few hundred commands.

use super::*;
use iopath::device::flash::config::{BackgroundConfig, CompressionConfig, Pace, ReadAheadConfig};
use iopath::device::flash::ftl::policies::{Padding, WritePoints};
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::ftl::stream::Lines;
use iopath::device::flash::geometry::Layout;
use iopath::device::queues::{Arbitration, Class, QueueConfig};
use proptest::prelude::*;

/// So many cases, or as many as `PROPTEST_CASES` says: the same tests serve a quick run and a long
/// search.
pub fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Shapes: any span, unit size, word line and parity that fit each other.
pub fn geometries() -> impl Strategy<Value = Geometry> {
    let units = prop_oneof![3 => Just(4096u32), 2 => Just(16384), 1 => Just(65536)];
    (units, 1..3u32, 1..5u32, 0..3u32, 1..4u32, 2..5u32, any::<bool>(), 0..4u32).prop_map(
        |(unit_bytes, channels, dies, planes, pages_per_wl, lines, superblock, parity)| {
            let planes = if unit_bytes == 65536 { 4 } else { 1 << planes };
            let span = if superblock { GroupSpan::Superblock } else { GroupSpan::Block };
            Geometry {
                channels: channels.min(dies),
                dies,
                planes,
                page_bytes: 16384,
                pages_per_wl,
                rows: pages_per_wl * lines,
                unit_bytes,
                span,
                groups_per_lane: 14,
                parity_period: if parity > 1 && superblock { parity } else { 0 },
            }
        },
    )
}

/// What an FTL may decide by.
pub fn policies() -> impl Strategy<Value = FtlPolicies> {
    let victim = prop_oneof![
        3 => Just(VictimPolicy::Greedy),
        3 => Just(VictimPolicy::Fifo),
        2 => (1..6u32).prop_map(VictimPolicy::DChoices),
        2 => Just(VictimPolicy::CostBenefit),
        2 => (1..8u32).prop_map(VictimPolicy::Windowed),
    ];
    let separation = prop_oneof![
        3 => Just(Separation::None),
        2 => (1..4u32).prop_map(Separation::Hint),
        2 => (0.05..0.8f64).prop_map(Separation::Recency),
    ];
    let wear = prop_oneof![
        2 => Just(WearLevelling::None),
        1 => Just(WearLevelling::Dynamic),
        2 => (0..4u32).prop_map(WearLevelling::Static),
    ];
    // Blocks that fail after a few erases, so that drives end as read-only now and then.
    let bad_blocks = (0.0..0.02f64, 0.0..0.2f64, 2..20u32, 0.01..0.9f64, 0.5..4.0f64).prop_map(
        |(factory, reserve, rated, failed_at_rated, shape)| BadBlocks {
            factory,
            reserve,
            rated,
            failed_at_rated,
            shape,
        },
    );
    let bad_blocks = proptest::option::weighted(0.3, bad_blocks);
    // Entries of 512 bytes: a few units a translation page, so that small drives have many.
    let map_cache = (1..200_000u64).prop_map(|bytes| MapCachePolicy { bytes, entry_bytes: 512 });
    let map_cache = proptest::option::weighted(0.3, map_cache);
    (victim, separation, wear, bad_blocks, map_cache).prop_map(
        |(victim, separation, wear, bad_blocks, map_cache)| FtlPolicies {
            victim,
            separation,
            wear,
            bad_blocks,
            map_cache,
            ..FtlPolicies::default()
        },
    )
}

/// Submission queues, with limits that are reached and without.
fn queues() -> impl Strategy<Value = QueueConfig> {
    let limit = || prop_oneof![Just(u32::MAX), 1..6u32];
    (1..5u32, limit(), limit(), 1..4u32, proptest::option::of([1..4u32, 1..4u32, 1..4u32]))
        .prop_map(|(count, depth, slots, burst, weights)| QueueConfig {
            count,
            depth,
            slots,
            burst,
            arbitration: match weights {
                None => Arbitration::RoundRobin,
                Some(weights) => Arbitration::Weighted {
                    weights,
                    classes: vec![Class::Low, Class::Urgent, Class::High, Class::Medium],
                },
            },
        })
}

/// Reading ahead, of streams as short as a single read.
fn read_ahead() -> impl Strategy<Value = Option<ReadAheadConfig>> {
    let drawn = (2..20u32, 1..4u32, 1..3u32);
    let of = |(units, streams, after)| ReadAheadConfig { units, streams, after };
    proptest::option::weighted(0.4, drawn.prop_map(of))
}

/// Drives over those shapes with everything else at random too.
pub fn drives(protection: Protection) -> impl Strategy<Value = DriveConfig> {
    let queues = proptest::option::weighted(0.3, queues());
    let link = (prop_oneof![Just(u32::MAX), 1..5u32], any::<bool>(), 0..3u64, queues);
    let limits = (0..40u32, 0..40u32, 1..4u32, 1..4u32, any::<bool>(), 1..3u32);
    let suspend = (any::<bool>(), 0..3u64, 0..3u64, 1..4u32, 0..2u64, any::<bool>());
    // Turns, small writes, what is kept for them, slowing; a burst of program data.
    let entry = (0..20u32, 0..3u32, 0..12u32, 0..200u32, proptest::option::of(512..100_000u64));
    let flow = (1.3..2.5f64, any::<bool>(), 0..3u64, any::<bool>(), entry);
    let modes = (any::<bool>(), any::<bool>(), 0..4u32, 0..3u32, 0..4u64, any::<bool>());
    let parts = (geometries(), link, limits, suspend, flow, policies(), modes, read_ahead());
    parts.prop_map(move |(g, link, limits, suspend, flow, policies, modes, ahead)| {
        let (alpha, independent, ecc, capped, entry) = flow;
        let mut c = config(g, alpha);
        let extra = policies.extra_host_streams() + policies.extra_copy_streams();
        c.geometry.groups_per_lane += 2 * extra + u32::from(policies.map_cache.is_some());
        c.policies = policies;
        c.buffer.protection = protection;
        c.programs = ProgramLimits { dies: limits.2, dies_collecting: limits.3 };
        c.controller.cores = limits.5;
        c.controller.read_cost = us(1);
        c.controller.write_cost = us(2);
        c.controller.copy_cost = us(ecc);
        c.controller.copy_batch = 1 + 5 * ecc as u32;
        c.controller.buffer_read = us(2);
        c.read_ahead = ahead;
        c.controller.write_ack = us(link.2);
        c.link.queue_limit = link.0;
        c.queues = link.3.filter(|_| c.link.queue_limit == u32::MAX);
        c.link.half_duplex = link.1;
        c.controller.whole_reads = link.1;
        c.link.down = Bandwidth::from_base(500_000_000);
        c.link.up = Bandwidth::from_base(600_000_000);
        c.link.command_latency = us(link.2);
        c.link.completion_latency = us(link.2);
        c.nand.sense = if limits.4 { vec![us(40)] } else { vec![us(30), us(50), us(70)] };
        c.nand.bus = Bandwidth::from_base(400_000_000);
        c.nand.ecc = us(ecc * 3);
        c.nand.independent_planes = independent;
        c.suspend = suspension(suspend);
        if capped {
            c.power = capped_power();
        }
        set_modes(&mut c, modes);
        // A cache keeps two stripes at most that nothing is set aside for.
        c.geometry.groups_per_lane += 2 * u32::from(c.policies.slc.is_some());
        c.buffer.copy_units = c.least_copy_units() + limits.1;
        c.buffer.units = c.least_buffer_units() + limits.0;
        c.nand.write_burst = entry.4;
        c.buffer.admission = Admission {
            turn: if entry.0 == 0 { u32::MAX } else { entry.0 },
            small_bytes: entry.1 * 4096,
            kept_units: entry.2.min(limits.0),
        };
        if c.collection.pace == Pace::Paid {
            c.collection.slow_units = entry.3.saturating_sub(100);
        }
        c
    })
}

/// Whether and how reads suspend.
fn suspension(drawn: (bool, u64, u64, u32, u64, bool)) -> SuspendConfig {
    let (enabled, wait, window, count, resume, exempt) = drawn;
    SuspendConfig {
        enabled,
        latency: us(wait * 20),
        closed_window: us(window * 100),
        erase_segment: us(700),
        resume: us(resume * 10),
        max_count: count * 3,
        min_run: us(wait * 30),
        max_hold: us(400),
        never_ppm: u32::from(exempt) * 300_000,
    }
}

/// A cap that holds work back.
fn capped_power() -> PowerConfig {
    PowerConfig {
        idle: Power::from_base(1_000_000),
        sense: Energy::from_base(1_000_000),
        transfer_per_byte: Energy::from_base(300),
        program_per_byte: Energy::from_base(3000),
        erase: Energy::from_base(50_000_000),
        cap: Some(Power::from_base(1_500_000)),
        cap_window: us(500),
        rated: None,
    }
}

/// Write points, padding, an SLC cache, and when collection runs.
fn set_modes(c: &mut DriveConfig, modes: (bool, bool, u32, u32, u64, bool)) {
    let (shared, pad, slc, burst, after, during_reads) = modes;
    let g = c.geometry;
    if shared {
        // What is in order has its own stripe in half of them, after a few units or many.
        c.policies.write_points = match after {
            0 | 1 => WritePoints::Shared,
            _ => WritePoints::Ordered { after: 1 + 40 * (burst / 2) },
        };
    }
    if pad {
        c.policies.padding = Padding::Page;
    }
    let bits = g.pages_per_wl.max(2);
    if slc > 0 && g.rows >= bits {
        c.nand.slc_program = Some(us(90));
        c.nand.slc_sense = Some(us(25));
        let stripe = Lines::slc(g.rows / bits).stripe_units(&Layout::new(g)) as u64;
        c.policies.slc = Some(SlcPolicy {
            bits,
            rows: g.rows / bits,
            static_units: if slc == 1 { 0 } else { stripe },
            dynamic_units: stripe * (slc as u64 - 1) * 3,
            when_full: if burst == 1 { WhenFull::Fold } else { WhenFull::Direct },
        });
    }
    // Mapping units of two grains, where a page holds two of them.
    let layout = Layout::new(g);
    if during_reads && layout.slots >= 4 && layout.unit_planes == 1 {
        c.policies.grains = Some(2);
        c.compression = Some(CompressionConfig { smallest: engine::Ratio::from_base(0) });
        c.user_bytes = c.user_bytes / c.unit_bytes() * c.unit_bytes();
    }
    if burst == 2 {
        c.collection.pace = Pace::Burst { stripes: 1 };
    }
    if after > 0 {
        c.collection.background = Some(BackgroundConfig {
            after: us((after - 1) * 100),
            target: engine::Ratio::from_base(300_000),
            during_reads,
        });
    }
}
