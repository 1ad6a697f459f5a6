//! Chains and rings that no driver makes: an answer or an end, and nothing outside of memory.

use crate::common::{ENTRIES, GUEST, MEMORY, World, asked};
use proptest::prelude::*;
use virtio::driver::{Descriptor, Driver, IN, INDIRECT, NEXT, OUT, WRITE};
use virtio::{Fault, LONGEST};
use vm_memory::{Bytes as _, GuestAddress};

const IO_ERROR: u8 = 1;
/// Memory that holds no ring.
const FREE: u64 = GUEST + (1 << 20);

/// Offers a chain of these descriptors, from the first on; the header of a read or write is at
/// [`FREE`].
fn offer(kind: u32, descriptors: &[Descriptor]) -> (World, Driver) {
    let (world, mut driver) = World::new(0, 512, false);
    let mut header = [0; 16];
    header[..4].copy_from_slice(&kind.to_le_bytes());
    world.memory.write_slice(&header, GuestAddress(FREE)).expect("memory");
    for (index, descriptor) in (0_u16..).zip(descriptors) {
        driver.set(index, *descriptor).expect("memory");
    }
    driver.offer(0).expect("memory");
    (world, driver)
}

fn part(addr: u64, len: u32, flags: u16, next: u16) -> Descriptor {
    Descriptor { addr, len, flags, next }
}

fn fault(kind: u32, descriptors: &[Descriptor]) -> String {
    offer(kind, descriptors).0.work().expect_err("it cannot be").to_string()
}

/// The status that a chain is answered with, at [`FREE`] + 64.
fn status(kind: u32, descriptors: &[Descriptor]) -> u8 {
    let (mut world, mut driver) = offer(kind, descriptors);
    world.work().expect("it works");
    assert!(driver.ended().expect("memory").is_some(), "it is given back");
    let mut status = [0xFF];
    world.memory.read_slice(&mut status, GuestAddress(FREE + 64)).expect("memory");
    status[0]
}

#[test]
fn a_chain_without_an_answer_ends_the_connection() {
    let header = |next| part(FREE, 16, NEXT, next);
    let cases: [(&str, &[Descriptor]); 9] = [
        ("place for a status", &[part(FREE, 16, 0, 0)]),
        ("place for a status", &[part(FREE, 16, NEXT, 1), part(FREE, 0, WRITE, 0)]),
        ("has no end", &[header(0)]),
        ("leads out of its table", &[header(ENTRIES)]),
        ("leads out of its table", &[part(0, 16, INDIRECT, 0)]),
        ("no whole length", &[part(FREE, 15, INDIRECT, 0)]),
        ("table in a table", &[part(GUEST, 16, INDIRECT, 0)]),
        ("outside of memory", &[header(1), part(GUEST + MEMORY, 1, WRITE, 0)]),
        ("behind one to be written", &[part(FREE, 1, NEXT | WRITE, 1), part(FREE, 16, 0, 0)]),
    ];
    for (reason, descriptors) in cases {
        let said = fault(IN, descriptors);
        assert!(said.starts_with("queue 0: a chain of descriptors"), "{descriptors:?}: {said}");
        assert!(said.contains(reason), "{descriptors:?}: {said}");
    }
}

#[test]
fn a_chain_with_a_place_for_its_status_is_answered() {
    let last = part(FREE + 64, 1, WRITE, 0);
    let beyond = GUEST + MEMORY - 256;
    let header = part(FREE, 16, NEXT, 1);
    assert_eq!(status(IN, &[part(FREE, 15, NEXT, 1), last]), IO_ERROR, "a short header");
    assert_eq!(status(IN, &[part(1, 16, NEXT, 1), last]), IO_ERROR, "a header outside");
    let cases: [(u32, Descriptor); 4] = [
        (IN, part(beyond, 512, NEXT | WRITE, 2)),
        (OUT, part(beyond, 512, NEXT, 2)),
        (IN, part(u64::MAX - 100, 512, NEXT | WRITE, 2)),
        (OUT, part(u64::MAX - 511, 512, NEXT, 2)),
    ];
    for (kind, data) in cases {
        assert_eq!(status(kind, &[header, data, last]), IO_ERROR, "{data:?}");
    }
    let most = u32::try_from(LONGEST).expect("it fits");
    for kind in [IN, OUT] {
        let flags = if kind == IN { NEXT | WRITE } else { NEXT };
        let long = part(FREE, most + 512, flags, 2);
        assert_eq!(status(kind, &[header, long, last]), IO_ERROR, "longer than the longest");
    }
}

#[test]
fn a_ring_that_jumps_ends_the_connection() {
    let (mut world, driver) = World::new(0, 512, false);
    let (_, available, _) = driver.place();
    world.memory.write_slice(&1000_u16.to_le_bytes(), GuestAddress(available + 2)).expect("memory");
    let fault = world.work().expect_err("it cannot be");
    assert!(matches!(fault, Fault::Ring { queue: 0, .. }), "{fault}");
}

#[test]
fn a_head_outside_of_the_table_ends_the_connection() {
    let (mut world, mut driver) = World::new(0, 512, false);
    driver.offer(ENTRIES).expect("memory");
    assert!(matches!(world.work(), Err(Fault::Chain { queue: 0, .. })));
}

/// Addresses and lengths.
type Spans = Vec<(u64, u64)>;

/// Where a chain leads, by a second reading of the specification: what is read and what is written,
/// or `None` if it is none.
fn walk(image: &[u8], head: u16) -> Option<(Spans, Spans)> {
    let descriptor = |table: u64, index: u64| {
        let at = usize::try_from(table.checked_add(16 * index)?.checked_sub(GUEST)?).ok()?;
        let bytes = image.get(at..at.checked_add(16)?)?;
        let number = |from: usize, to: usize| {
            bytes[from..to].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        Some((number(0, 8), number(8, 12), number(12, 14), number(14, 16)))
    };
    let (mut table, mut entries, mut index) = (GUEST, u64::from(ENTRIES), u64::from(head));
    let (mut is_table, mut steps) = (false, 0);
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    loop {
        if index >= entries || steps == entries {
            return None;
        }
        let (addr, len, flags, next) = descriptor(table, index)?;
        if flags & u64::from(INDIRECT) != 0 {
            if is_table || len % 16 != 0 {
                return None;
            }
            (table, entries, index, is_table, steps) = (addr, len / 16, 0, true, 0);
            continue;
        }
        steps += 1;
        if flags & u64::from(WRITE) != 0 {
            writes.push((addr, len));
        } else if writes.is_empty() {
            reads.push((addr, len));
        } else {
            return None;
        }
        if flags & u64::from(NEXT) == 0 {
            return Some((reads, writes));
        }
        index = next;
    }
}

/// The address of the last byte of a buffer, if it has one.
fn last(buffer: &[(u64, u64)]) -> Option<u64> {
    buffer.iter().rev().find(|(_, len)| *len > 0).map(|(addr, len)| addr.saturating_add(len - 1))
}

fn any_descriptor() -> impl Strategy<Value = Descriptor> {
    let inside = FREE..GUEST + MEMORY;
    let addr =
        prop_oneof![8 => inside, 1 => GUEST + MEMORY - 600..GUEST + MEMORY, 1 => any::<u64>()];
    let len = prop_oneof![
        2 => Just(16_u32), 2 => Just(1), 3 => Just(512), 1 => Just(0), 1 => 0..5000_u32,
        1 => any::<u32>()
    ];
    let flags = prop_oneof![
        4 => Just(NEXT), 3 => Just(NEXT | WRITE), 3 => Just(WRITE), 1 => Just(0),
        1 => Just(INDIRECT)
    ];
    let next = prop_oneof![9 => 0..8_u16, 1 => any::<u16>()];
    (addr, len, flags, next).prop_map(|(addr, len, flags, next)| Descriptor {
        addr,
        len,
        flags,
        next,
    })
}

/// The addresses of the bytes that are others now.
fn changed(before: &[u8], after: &[u8]) -> Vec<u64> {
    const PAGE: usize = 4096;
    let pages = before.chunks(PAGE).zip(after.chunks(PAGE)).enumerate();
    let pages = pages.filter(|(_, (old, new))| old != new);
    let bytes = pages.flat_map(|(page, (old, new))| {
        let bytes = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
        bytes.map(move |(at, _)| GUEST + (page * PAGE + at) as u64)
    });
    bytes.collect()
}

fn image(world: &World) -> Vec<u8> {
    let mut all = vec![0; MEMORY as usize];
    world.memory.read_slice(&mut all, GuestAddress(GUEST)).expect("memory");
    all
}

proptest! {
    /// A chain is answered if the specification has one there with a place for the status, else the
    /// connection ends. Only what may be written is written.
    #[test]
    fn any_chain_is_answered_or_ends_the_connection(
        chain in prop::collection::vec(any_descriptor(), 8),
        kind in 0..16_u32,
        sector in prop_oneof![4 => 0..2100_u64, 1 => any::<u64>()],
        head in 0..8_u16,
    ) {
        let (mut world, mut driver) = World::new(0, 512, false);
        let mut header = [0; 16];
        header[..4].copy_from_slice(&kind.to_le_bytes());
        header[8..].copy_from_slice(&sector.to_le_bytes());
        for (index, descriptor) in (0_u16..).zip(&chain) {
            driver.set(index, *descriptor).expect("memory");
            if descriptor.flags & WRITE == 0 {
                // Wherever a request may begin.
                let _ = world.memory.write_slice(&header, GuestAddress(descriptor.addr));
            }
        }
        driver.offer(head).expect("memory");
        world.drive.fill(0xA5);
        let before = image(&world);
        let answered = world.work();
        let after = image(&world);
        let walked = walk(&before, head);
        let status = walked.as_ref().and_then(|(_, writes)| last(writes));
        let is_inside = status.is_some_and(|at| (GUEST..GUEST + MEMORY).contains(&at));
        prop_assert_eq!(answered.is_ok(), is_inside, "{:?}", answered);
        let writes = walked.map(|(_, writes)| writes).unwrap_or_default();
        let (_, _, used) = driver.place();
        let ring = (used, 6 + 8 * u64::from(ENTRIES));
        for addr in changed(&before, &after) {
            let allowed = writes.iter().chain([&ring]);
            let allowed = allowed.into_iter().any(|(start, len)| {
                addr >= *start && addr - start < *len
            });
            prop_assert!(allowed, "{addr:#x} was written");
        }
        if answered.is_ok() {
            let ended = driver.ended().expect("memory").expect("it is given back");
            prop_assert_eq!(ended.number, head / 3);
        }
    }

    /// Whatever stands where the rings are: an end or an answer, and it does not last for ever.
    #[test]
    fn any_rings_come_to_an_end(
        bytes in prop::collection::vec(any::<u8>(), 2048),
        few in 0..40_u16,
    ) {
        let (mut world, driver) = World::new(1 << 29, 512, false);
        world.memory.write_slice(&bytes, GuestAddress(GUEST)).expect("memory");
        let (_, available, _) = driver.place();
        let index = few.to_le_bytes();
        world.memory.write_slice(&index, GuestAddress(available + 2)).expect("memory");
        let _ = world.work();
        prop_assert_eq!(world.device.under_way(), 0);
    }
}

/// After an answer to nonsense the queue goes on.
#[test]
fn a_queue_goes_on_after_a_bad_request() {
    let (mut world, mut driver) = World::new(0, 512, false);
    assert_eq!(asked(&mut world, &mut driver, (IN, u64::MAX, &[], 512)).status, IO_ERROR);
    assert_eq!(asked(&mut world, &mut driver, (IN, 0, &[], 512)).status, 0);
}
