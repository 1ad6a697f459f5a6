//! Drives with as little spare as their configuration may have: they still come to rest, whatever
//! was written and in whichever order.

use crate::common::media::Seen;
use crate::common::*;
use iopath::device::flash::config::Pace;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::policies::{Padding, WritePoints};
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::geometry::Layout;
use iopath::machine::Stop;

/// The most units that the drive may offer its host.
fn tight(mut c: DriveConfig) -> DriveConfig {
    let layout = iopath::device::flash::geometry::Layout::new(c.geometry);
    let mut units = u64::from(layout.groups) * u64::from(layout.group_data_units);
    loop {
        c.user_bytes = units * c.unit_bytes();
        match c.check() {
            Ok(()) => return c,
            Err(why) => assert!(why.contains("too little spare"), "{why}"),
        }
        units -= 1;
    }
}

/// Random writes, some of many units, flushes and trims, with rests between.
fn load(c: &DriveConfig, seed: u64) {
    let mut r = Stream::new(seed, "load");
    let (unit, user) = (c.unit_bytes(), c.user_bytes / c.unit_bytes());
    let mut m = machine::<u32, _>(c.clone(), Seen::default());
    let hot = 1 + r.below(user);
    for _ in 0..400 {
        let span = if r.below(2) == 0 { hot } else { user };
        let most = if r.below(10) == 0 { 40 } else { 2 };
        let at = r.below(span);
        let len = (1 + r.below(most)).min(user - at);
        let command = match r.below(12) {
            0 => command(Op::Flush, 0, 0),
            1 => command(Op::Trim, at * unit, len * unit),
            _ => command(Op::Write, at * unit, len * unit),
        };
        m.issue(command);
        if r.below(4) == 0 {
            let stop = m.run(Instant::NEVER, 200_000);
            assert_eq!(stop, Stop::Idle, "seed {seed}: {}", m.describe());
            let open = m.context.commands.outstanding();
            assert_eq!(open, 0, "seed {seed}: at rest with commands under way: {}", m.describe());
        }
    }
    m.audit();
}

/// A cache that has no blocks of its own keeps a stripe however full the drive is, of which
/// collection gets nothing back: it has to be in the spare.
#[test]
fn a_cache_that_takes_its_blocks_from_the_spare_leaves_collection_enough() {
    for victim in [VictimPolicy::Fifo, VictimPolicy::Greedy, VictimPolicy::DChoices(1)] {
        for (dies, planes) in [(2, 1), (4, 1), (4, 4)] {
            for when_full in [WhenFull::Direct, WhenFull::Fold] {
                let mut g = geometry();
                (g.dies, g.planes, g.pages_per_wl, g.rows) = (dies, planes, 2, 4);
                (g.page_bytes, g.groups_per_lane) = (16384, 14);
                let mut c = config(g, 2.0);
                c.policies = FtlPolicies { victim, padding: Padding::Page, ..Default::default() };
                (c.nand.slc_program, c.nand.slc_sense) = (Some(us(90)), Some(us(25)));
                let row = u64::from(dies * planes * 8);
                let slc = SlcPolicy {
                    bits: 2,
                    rows: 2,
                    static_units: 0,
                    dynamic_units: 3 * row,
                    when_full,
                };
                c.policies.slc = Some(slc);
                c.collection.pace = Pace::Burst { stripes: 1 };
                c.buffer.copy_units = c.least_copy_units();
                c.buffer.units = c.least_buffer_units();
                let c = tight(c);
                (0..30).for_each(|seed| load(&c, seed));
            }
        }
    }
}

/// Writes of the host and steps of collection in any order, as far as the translation layer lets
/// them.
fn interleave(policies: FtlPolicies, span: GroupSpan, seed: u64) {
    let mut g = Geometry { span, planes: 4, dies: 1, channels: 1, ..geometry() };
    (g.page_bytes, g.pages_per_wl, g.rows, g.groups_per_lane) = (4096, 1, 9, 18);
    let layout = Layout::new(g);
    let stripe = layout.stripe_data_units();
    let logical = stripe * (18 - policies.least_spare_stripes(&layout));
    let mut ftl = Ftl::<()>::new(layout, logical, policies, false);
    (0..logical).for_each(|unit| ftl.write(unit, ()));
    let mut r = Stream::new(seed, "steps");
    let (mut read, mut placed, mut steps) = (Vec::new(), 0, 0);
    while placed < 4 * logical {
        let unit = r.below(u64::from(logical)) as u32;
        let behind = ftl.debt() > i64::from(stripe);
        match r.below(3) {
            0 if !behind => {
                for unit in unit..logical.min(unit + r.below(5) as u32) {
                    ftl.note_order(unit, 1);
                    if !ftl.can_place_host() {
                        break;
                    }
                    ftl.place_host(unit, ());
                    placed += 1;
                }
            }
            1 if ftl.wants_collection(0) => match ftl.next_page() {
                None if ftl.victims() < 6 => {
                    ftl.start_victim(0);
                }
                page => read.extend(page),
            },
            2 if !read.is_empty() => {
                let (first, bits) = read.swap_remove(r.below(read.len() as u64) as usize);
                let units = (0..32).filter(|slot| bits >> slot & 1 == 1);
                units.for_each(|slot| {
                    ftl.move_unit(first + slot);
                });
            }
            _ => {}
        }
        ftl.forget_untimed();
        steps += 1;
        assert!(steps < 1_000_000, "seed {seed}: nothing goes on, debt {}", ftl.debt());
    }
    ftl.audit();
}

/// What levelling moves goes into a stripe of its own. While that may have to be opened, neither
/// new data nor copies take the last free one.
#[test]
fn levelling_finds_its_stripe_free_whatever_comes_first() {
    let ordered = WritePoints::Ordered { after: 1 };
    for write_points in [WritePoints::Separate, WritePoints::Shared, ordered] {
        for span in [GroupSpan::Block, GroupSpan::Superblock] {
            let wear = WearLevelling::Static(0);
            let policies = FtlPolicies { write_points, wear, ..FtlPolicies::default() };
            (0..200).for_each(|seed| interleave(policies.clone(), span, seed));
        }
    }
}
