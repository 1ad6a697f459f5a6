//! Namespaces: what a drive shows as devices of their own. They share flash, cores and link, and
//! nothing of what they hold.
use iopath::kernel::Device;

use crate::common::media::Seen;
use crate::common::random::{cases, drives};
use crate::common::*;
use iopath::device::flash::drive::{MOST_NAMESPACES, NamespaceFault, Namespaces};
use iopath::machine::Stop;
use proptest::prelude::*;
use std::collections::BTreeMap;

const UNIT: u64 = 4096;

/// What namespaces are, without arithmetic: each unit of the drive belongs to no namespace or to
/// one.
struct Plain {
    units: Vec<Option<u16>>,
}

impl Plain {
    fn longest_gap(&self) -> usize {
        self.units.split(Option::is_some).map(<[_]>::len).max().unwrap_or(0)
    }

    fn held(&self, number: u16) -> usize {
        self.units.iter().filter(|owner| **owner == Some(number)).count()
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Capacity adds up, ranges never overlap, and the largest gap is what can be created: the gate
    /// is at one unit more.
    #[test]
    fn units_have_one_owner(
        units in 1..60u64,
        steps in proptest::collection::vec((any::<bool>(), 0..40u64, 0..12u16), 0..60),
    ) {
        let mut table = Namespaces::new(units * UNIT, UNIT);
        let mut plain = Plain { units: vec![None; units as usize] };
        for (create, size, number) in steps {
            if create {
                let fits = size > 0 && size as usize <= plain.longest_gap();
                match table.create(size * UNIT) {
                    Ok(made) => {
                        prop_assert!(fits);
                        let held = table.get(made).unwrap();
                        prop_assert_eq!(held.bytes, size * UNIT);
                        for unit in held.start / UNIT..held.end() / UNIT {
                            let owner = &mut plain.units[unit as usize];
                            prop_assert_eq!(owner.replace(made), None, "a unit with two owners");
                        }
                    }
                    Err(NamespaceFault::Size) => prop_assert_eq!(size, 0),
                    Err(fault) => {
                        prop_assert_eq!(fault, NamespaceFault::Capacity);
                        prop_assert!(!fits);
                    }
                }
            } else {
                let known = plain.held(number) > 0;
                prop_assert_eq!(table.delete(number).is_ok(), known);
                plain.units.iter_mut().filter(|o| **o == Some(number)).for_each(|o| *o = None);
            }
            let free = plain.units.iter().filter(|owner| owner.is_none()).count() as u64;
            prop_assert_eq!(table.unallocated(), free * UNIT);
            let held: u64 = table.iter().map(|(_, held, _)| held.bytes).sum();
            prop_assert_eq!(held + table.unallocated(), table.total());
            let listed = Namespaces::listed(table.total(), UNIT, table.iter()).unwrap();
            prop_assert!(listed.iter().eq(table.iter()), "a list of them says all");
        }
    }

    /// Writes and trims of one namespace never change what another reads, and a format empties
    /// exactly one: on any drive, against a map of what was last written where.
    #[test]
    fn what_one_writes_no_other_reads(
        config in drives(Protection::Protected),
        shares in proptest::collection::vec(1..100u64, 2..5),
        steps in proptest::collection::vec(
            (0..40u8, any::<u16>(), any::<u16>(), 1..5u64), 1..150),
    ) {
        let unit = config.unit_bytes();
        let all = config.user_bytes / unit;
        let sum: u64 = shares.iter().sum();
        let mut table = Namespaces::new(config.user_bytes, unit);
        for share in &shares {
            let units = (all * share / sum).max(1).min(table.unallocated() / unit);
            let number = table.create(units * unit);
            prop_assume!(number.is_ok());
            table.attach(number.unwrap()).unwrap();
        }
        let sizes: Vec<u64> = table.iter().map(|(_, held, _)| held.bytes / unit).collect();
        let mut m = machine::<u32, Seen>(config, Seen::default());
        m.drive_mut(0).set_namespaces(table.clone());
        let mut plain: BTreeMap<(u16, u64), u32> = BTreeMap::new();
        let mut version = 0;
        for (what, which, place, len) in steps {
            let namespace = which % sizes.len() as u16;
            let size = sizes[usize::from(namespace)];
            let first = u64::from(place) % size;
            let len = len.min(size - first);
            let op = match what {
                0 => {
                    let held = table.get(namespace).unwrap();
                    m.drain();
                    m.drive_mut(0).deallocate(held.start, held.bytes);
                    m.resume();
                    plain.retain(|(owner, _), _| *owner != namespace);
                    continue;
                }
                1..8 => Op::Trim,
                8..14 => Op::Read,
                _ => Op::Write,
            };
            let mut c = command::<u32>(op, first * unit, len * unit);
            c.namespace = namespace;
            if op == Op::Write {
                version += 1;
                c.payload = version;
            }
            m.issue(c);
            // One after another, so that what is read is known.
            prop_assert_eq!(m.run(Instant::NEVER, 1_000_000), Stop::Idle);
            // A drive that is worn out takes no more writes, and changes nothing.
            let taken = m.context.probe.ends.pop().map(|end| end.1) == Some(Status::Ok);
            if !taken {
                prop_assert!(m.drive(0).ftl().is_read_only());
                continue;
            }
            for at in first..first + len {
                match op {
                    Op::Write => plain.insert((namespace, at), version),
                    Op::Trim => plain.remove(&(namespace, at)),
                    _ => None,
                };
            }
        }
        m.drain();
        for (number, held, _) in table.iter() {
            for at in 0..held.bytes / unit {
                let mut c = command::<u32>(Op::Read, at * unit, unit);
                c.namespace = number;
                m.context.probe.units.clear();
                m.issue(c);
                m.run(Instant::NEVER, 1_000_000);
                let (place, tag) = m.context.probe.units.pop().expect("the read has ended");
                prop_assert_eq!(place, held.start / unit + at, "read beyond the namespace");
                prop_assert_eq!(tag, plain.get(&(number, at)).copied().unwrap_or_default());
            }
        }
        m.audit();
    }
}

#[test]
fn there_are_128_identifiers_and_no_more() {
    let mut table = Namespaces::new(200 * UNIT, UNIT);
    for number in 0..MOST_NAMESPACES as u16 {
        assert_eq!(table.create(UNIT), Ok(number));
    }
    assert_eq!(table.create(UNIT), Err(NamespaceFault::Identifiers));
    table.delete(5).unwrap();
    assert_eq!(table.create(2 * UNIT), Ok(5), "the freed number, behind the others");
    assert_eq!(table.get(5).unwrap().start, 128 * UNIT);
}

#[test]
fn attaching_twice_and_sizes_of_no_whole_unit_are_refused() {
    let mut table = Namespaces::new(10 * UNIT, UNIT);
    assert_eq!(table.create(UNIT + 512), Err(NamespaceFault::Size));
    assert_eq!(table.attach(0), Err(NamespaceFault::Unknown));
    let number = table.create(10 * UNIT).unwrap();
    assert_eq!(table.detach(number), Err(NamespaceFault::Detached));
    assert_eq!(table.attach(number), Ok(()));
    assert_eq!(table.attach(number), Err(NamespaceFault::Attached));
    assert_eq!(table.create(UNIT), Err(NamespaceFault::Capacity));
}

/// What no namespace holds is spare area: random writes to half of a drive that was divided cost
/// what they cost on a drive that gives up the other half, and less than over all of it.
#[test]
fn what_no_namespace_holds_is_spare() {
    let mut whole = config(Geometry { groups_per_lane: 128, ..geometry() }, 1.1);
    let half = whole.user_bytes / UNIT / 2 * UNIT;
    let amplification = |c: DriveConfig, bytes: u64, divided: bool| {
        let unit = c.unit_bytes();
        let mut m = machine::<(), ()>(c, ());
        if divided {
            let mut table = Namespaces::new(m.drive(0).capacity(), unit);
            for _ in 0..2 {
                let number = table.create(bytes / 2 / unit * unit).unwrap();
                table.attach(number).unwrap();
            }
            m.drive_mut(0).set_namespaces(table);
        }
        prepare(&mut m, DriveState::Steady(1.0));
        let threads = u16::from(divided) + 1;
        let span = bytes / u64::from(threads) / unit * unit;
        let load = |namespace: u16| {
            let name = format!("t{namespace}");
            let mut spec = thread(&name, Directions::Write, unit, span, 4);
            spec.regions[0].namespace = namespace;
            ThreadSpec { io_limit: Some(40_000 / u64::from(threads)), ..spec }
        };
        let before = m.drive(0).ftl().ledger();
        start(&mut m, (0..threads).map(load).collect(), 1);
        m.run(Instant::NEVER, u64::MAX);
        let after = m.drive(0).ftl().ledger();
        (after.total() - before.total()) as f64 / (after.accepted - before.accepted) as f64
    };
    let divided = amplification(whole.clone(), half, true);
    let over_all = amplification(whole.clone(), whole.user_bytes, false);
    whole.user_bytes = half;
    let given_up = amplification(whole, half, false);
    assert!((divided / given_up - 1.0).abs() < 0.03, "{divided} against {given_up}");
    assert!(divided < 0.6 * over_all, "{divided} against {over_all}");
}
