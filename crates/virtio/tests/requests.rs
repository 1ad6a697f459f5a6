//! Each kind of request, and what it is answered with.

use crate::common::{BYTES, EVENTS, FLUSHES, SWITCH, World, asked};
use std::io::Read as _;
use virtio::Status;
use virtio::driver::{DISCARD, FLUSH, GET_ID, IN, OUT, WRITE_ZEROES, range};

const OK: u8 = 0;
const IO_ERROR: u8 = 1;
const UNSUPPORTED: u8 = 2;

#[test]
fn what_is_written_is_read_again() {
    for (features, indirect) in [(0, false), (EVENTS, true)] {
        let (mut world, mut driver) = World::new(features, 512, indirect);
        let data: Vec<u8> = (0..8192_u32).map(|i| (i % 251) as u8).collect();
        let written = asked(&mut world, &mut driver, (OUT, 8, &data, 0));
        assert_eq!((written.status, written.written), (OK, 1));
        let read = asked(&mut world, &mut driver, (IN, 8, &[], 8192));
        assert_eq!((read.status, read.written), (OK, 8193));
        assert!(read.data == data);
        assert_eq!(asked(&mut world, &mut driver, (IN, 24, &[], 512)).data, [0; 512]);
        let log = &world.log;
        assert_eq!(log[..2], [("write", 4096, 8192, true), ("read", 4096, 8192, true)]);
    }
}

#[test]
fn many_requests_are_under_way() {
    let (mut world, mut driver) = World::new(EVENTS, 512, false);
    for round in 0..40_u8 {
        let mut numbers = Vec::new();
        while let Some(number) =
            driver.ask(OUT, numbers.len() as u64, &[round; 512], 0).expect("memory")
        {
            numbers.push(number);
        }
        assert_eq!(numbers.len(), 10, "three descriptors each");
        world.work().expect("it works");
        for number in numbers {
            let ended = driver.ended().expect("memory").expect("an answer");
            assert_eq!((ended.number, ended.status), (number, OK));
        }
        assert!(world.drive[..5120].iter().all(|byte| *byte == round));
    }
    assert_eq!(world.device.under_way(), 0);
}

#[test]
fn a_flush_and_the_serial_number() {
    let (mut world, mut driver) = World::new(FLUSHES, 512, false);
    assert_eq!(asked(&mut world, &mut driver, (FLUSH, 0, &[], 0)).status, OK);
    assert_eq!(world.log, [("flush", 0, 0, false)]);
    let id = asked(&mut world, &mut driver, (GET_ID, 0, &[], 20));
    assert_eq!((id.status, &id.data[..]), (OK, &b"SERIAL-1\0\0\0\0\0\0\0\0\0\0\0\0"[..]));
    assert_eq!(asked(&mut world, &mut driver, (GET_ID, 0, &[], 4)).data, b"SERI");
}

#[test]
fn ranges_are_given_up_and_zeroed() {
    let (mut world, mut driver) = World::new(0, 512, false);
    world.drive.fill(7);
    let two = [range(8, 8, 0), range(100, 0, 0), range(32, 16, 0)].concat();
    assert_eq!(asked(&mut world, &mut driver, (DISCARD, 0, &two, 0)).status, OK);
    let zeros = asked(&mut world, &mut driver, (WRITE_ZEROES, 0, &range(64, 8, 1), 0));
    assert_eq!(zeros.status, OK);
    let expected = [("discard", 4096, 4096), ("discard", 16384, 8192), ("zeros", 32768, 4096)];
    let seen: Vec<_> = world.log.iter().map(|(op, start, len, _)| (*op, *start, *len)).collect();
    assert_eq!(seen, expected);
    let nothing = asked(&mut world, &mut driver, (DISCARD, 0, &range(8, 0, 0), 0));
    assert_eq!((nothing.status, world.log.len()), (OK, 3), "nothing is asked of the drive");
    world.failure = Some(Status::IoError);
    assert_eq!(asked(&mut world, &mut driver, (DISCARD, 0, &two, 0)).status, IO_ERROR);
}

#[test]
fn what_cannot_be_is_refused() {
    let (mut world, mut driver) = World::new(0, 4096, true);
    let end = BYTES / 512;
    let mut status = |kind, sector, out: &[u8], read| {
        asked(&mut world, &mut driver, (kind, sector, out, read)).status
    };
    for (sector, len) in [(1, 4096), (0, 512), (end, 4096), (end - 8, 8192), (u64::MAX, 4096)] {
        assert_eq!(status(IN, sector, &[], len), IO_ERROR, "read {len} at {sector}");
        assert_eq!(status(OUT, sector, &vec![0; len as usize], 0), IO_ERROR);
    }
    assert_eq!(status(IN, end - 8, &[], 4096), OK, "the last block");
    assert_eq!(status(IN, 0, &[], 0), IO_ERROR, "nothing to read");
    assert_eq!(status(OUT, 0, &[], 0), IO_ERROR, "nothing to write");
    for kind in [2, 3, 10, 14, 16, 0x8000_0001] {
        assert_eq!(status(kind, 0, &[], 512), UNSUPPORTED, "kind {kind}");
    }
    assert_eq!(status(DISCARD, 0, &[0; 15], 0), IO_ERROR, "no whole range");
    assert_eq!(status(DISCARD, 0, &[], 0), IO_ERROR, "no range");
    assert_eq!(status(DISCARD, 0, &[0; 33 * 16], 0), IO_ERROR, "too many ranges");
    assert_eq!(status(DISCARD, 0, &range(0, 8, 1), 0), UNSUPPORTED, "a flag of zeros");
    assert_eq!(status(DISCARD, 0, &range(4, 8, 0), 0), IO_ERROR, "it is not aligned");
    assert_eq!(status(DISCARD, 0, &range(end, 8, 0), 0), IO_ERROR, "beyond the end");
    assert_eq!(status(WRITE_ZEROES, 0, &range(0, 8, 2), 0), UNSUPPORTED, "an unknown flag");
    assert_eq!(status(WRITE_ZEROES, 0, &range(0, (1 << 16) + 8, 0), 0), IO_ERROR, "too long");
    assert_eq!(status(WRITE_ZEROES, 0, &[0; 32], 0), IO_ERROR, "two ranges");
    assert_eq!(world.log.len(), 1, "the drive was asked for the last block only");
}

#[test]
fn a_failure_of_the_drive_is_told() {
    let (mut world, mut driver) = World::new(0, 512, false);
    world.failure = Some(Status::IoError);
    assert_eq!(asked(&mut world, &mut driver, (IN, 0, &[], 512)).status, IO_ERROR);
    assert_eq!(asked(&mut world, &mut driver, (FLUSH, 0, &[], 0)).status, IO_ERROR);
}

/// A driver that knows of flushes has a cache; one that knows of the switch may turn it off.
#[test]
fn a_write_cache_that_is_off_makes_writes_durable() {
    let durable = |features: u64, on: bool| {
        let (mut world, mut driver) = World::new(features, 512, false);
        world.cache(on);
        asked(&mut world, &mut driver, (OUT, 0, &[1; 512], 0));
        world.log[0].3
    };
    assert!(!durable(FLUSHES, true) && !durable(FLUSHES, false));
    assert!(durable(0, true), "no flush is known");
    assert!(!durable(FLUSHES | SWITCH, true) && durable(FLUSHES | SWITCH, false));
}

#[test]
fn a_guest_is_called_when_it_wants_to_be() {
    let calls = |world: &mut World| {
        let mut bytes = [0; 256];
        world.ends.0.read(&mut bytes).unwrap_or(0) / 8
    };
    let (mut world, mut driver) = World::new(EVENTS, 512, false);
    for _ in 0..3 {
        driver.ask(OUT, 0, &[1; 512], 0).expect("memory").expect("room");
    }
    assert!(driver.must_kick(0).expect("memory"));
    world.work().expect("it works");
    assert_eq!(calls(&mut world), 1, "one call for three");
    // The guest has not looked yet: it knows that there is something.
    let before = driver.offered();
    driver.ask(OUT, 0, &[1; 512], 0).expect("memory").expect("room");
    assert!(driver.must_kick(before).expect("memory"));
    world.work().expect("it works");
    assert_eq!(calls(&mut world), 0);
    while driver.ended().expect("memory").is_some() {}
    asked(&mut world, &mut driver, (OUT, 0, &[1; 512], 0));
    assert_eq!(calls(&mut world), 1);
}
