//! Power cuts: what was promised is there, and nothing that was never written.

use crate::common::{arrival, drive, ends, now};
use engine::Duration;
use proptest::prelude::*;
use serve::drive::{Ask, Fault, Flushes, LiveDrive};
use std::collections::BTreeMap;

const BLOCK: u64 = 4096;
/// Blocks that the tests write to.
const BLOCKS: u64 = 24;

fn filled(value: u8) -> Vec<u8> {
    vec![value; BLOCK as usize]
}

fn block(drive: &mut LiveDrive, block: u64) -> u8 {
    let read = now(drive, Ask::Read, block * BLOCK, BLOCK).result.expect("read");
    assert!(read.iter().all(|byte| *byte == read[0]), "a block is never torn");
    read[0]
}

#[test]
fn what_is_written_is_read_and_what_is_not_is_zero() {
    let mut drive = drive("p4510", Flushes::Honoured);
    now(&mut drive, Ask::Write(filled(7)), 8 * BLOCK, BLOCK).result.expect("written");
    now(&mut drive, Ask::Write(vec![9; 512]), 8 * BLOCK + 512, 512).result.expect("written");
    let read = now(&mut drive, Ask::Read, 7 * BLOCK, 3 * BLOCK).result.expect("read");
    let (before, rest) = read.split_at(BLOCK as usize);
    assert!(before.iter().all(|byte| *byte == 0));
    assert_eq!((rest[511], rest[512], rest[1023], rest[1024]), (7, 9, 9, 7));
    assert!(rest[BLOCK as usize..].iter().all(|byte| *byte == 0));
    now(&mut drive, Ask::Trim, 8 * BLOCK, BLOCK).result.expect("trimmed");
    assert_eq!(block(&mut drive, 8), 0);
}

#[test]
fn a_volatile_buffer_loses_what_was_not_flushed() {
    let mut drive = drive("sn850", Flushes::Honoured);
    now(&mut drive, Ask::Write(filled(1)), 0, BLOCK).result.expect("written");
    now(&mut drive, Ask::Flush, 0, 0).result.expect("flushed");
    now(&mut drive, Ask::Write(filled(2)), 0, BLOCK).result.expect("written");
    let cut = drive.cut_power(false).expect("memory");
    assert_eq!(cut.recovery.taken_back, 1, "{cut:?}");
    drive.restore_power();
    assert_eq!(block(&mut drive, 0), 1);
}

#[test]
fn a_protected_buffer_loses_nothing() {
    let mut drive = drive("p4510", Flushes::Honoured);
    for value in 1..=9 {
        now(&mut drive, Ask::Write(filled(value)), 0, BLOCK).result.expect("written");
    }
    let cut = drive.cut_power(false).expect("memory");
    assert_eq!((cut.lost_bytes, cut.recovery.taken_back), (0, 0));
    drive.restore_power();
    assert_eq!(block(&mut drive, 0), 9);
}

#[test]
fn a_drive_that_lies_about_flushes_loses_what_it_said_was_durable() {
    let mut drive = drive("sn850", Flushes::Ignored);
    now(&mut drive, Ask::Write(filled(1)), 0, BLOCK).result.expect("written");
    now(&mut drive, Ask::Flush, 0, 0).result.expect("it says so");
    drive.cut_power(false).expect("memory");
    drive.restore_power();
    assert_eq!(block(&mut drive, 0), 0);
}

#[test]
fn without_power_everything_is_gone_until_it_is_back() {
    let mut drive = drive("p4510", Flushes::Honoured);
    let at = drive.now();
    drive.submit(arrival(Ask::Read, 0, BLOCK, 5), at);
    drive.cut_power(false).expect("memory");
    let end = ends(&mut drive, 1).remove(0);
    assert_eq!((end.ticket, end.result), (5, Err(Fault::Gone)));
    assert_eq!(now(&mut drive, Ask::Read, 0, BLOCK).result, Err(Fault::Gone));
    drive.restore_power();
    assert!(now(&mut drive, Ask::Read, 0, BLOCK).result.is_ok());
    assert_eq!(drive.cuts(), 1);
}

#[derive(Clone, Debug)]
enum Step {
    Write(u64, u64, bool),
    Trim(u64),
    Flush,
    Wait(u64),
    Cut,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (0..BLOCKS, 1..5_u64, prop::bool::weighted(0.2))
            .prop_map(|(at, blocks, durable)| Step::Write(at, blocks, durable)),
        1 => (0..BLOCKS).prop_map(Step::Trim),
        2 => Just(Step::Flush),
        4 => (0..3000_u64).prop_map(Step::Wait),
        1 => Just(Step::Cut),
    ];
    prop::collection::vec(step, 1..80)
}

/// Every value that a block may hold after a cut: the durable one, or any written since.
#[derive(Default)]
struct Promise {
    may: BTreeMap<u64, Vec<u8>>,
}

impl Promise {
    fn wrote(&mut self, block: u64, value: u8) {
        self.may.entry(block).or_insert_with(|| vec![0]).push(value);
    }

    /// The write that gave a block this value is durable: nothing before it may come back.
    fn durable(&mut self, block: u64, value: u8) {
        let may = self.may.entry(block).or_insert_with(|| vec![0]);
        if let Some(at) = may.iter().rposition(|of| *of == value) {
            may.drain(..at);
        }
    }

    fn last(&self) -> Vec<(u64, u8)> {
        let last = self.may.iter();
        last.filter_map(|(block, may)| may.last().map(|value| (*block, *value))).collect()
    }
}

fn play(name: &str, protected: bool, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut drive = drive(name, Flushes::Honoured);
    let (mut promise, mut value) = (Promise::default(), 0_u8);
    for step in steps {
        match *step {
            Step::Write(at, blocks, durable) => {
                value = value.wrapping_add(1).max(1);
                let end = (at + blocks).min(BLOCKS);
                let data = vec![value; ((end - at) * BLOCK) as usize];
                (at..end).for_each(|block| promise.wrote(block, value));
                let mut write = arrival(Ask::Write(data), at * BLOCK, (end - at) * BLOCK, 1);
                write.durable = durable;
                let now = drive.now();
                drive.submit(write, now);
                prop_assert!(ends(&mut drive, 1)[0].result.is_ok());
                if durable || protected {
                    (at..end).for_each(|block| promise.durable(block, value));
                }
            }
            Step::Trim(at) => {
                promise.wrote(at, 0);
                prop_assert!(now(&mut drive, Ask::Trim, at * BLOCK, BLOCK).result.is_ok());
            }
            Step::Flush => {
                prop_assert!(now(&mut drive, Ask::Flush, 0, 0).result.is_ok());
                let last = promise.last();
                last.into_iter().for_each(|(block, value)| promise.durable(block, value));
            }
            Step::Wait(us) => {
                let until = drive.now() + Duration::from_us(us);
                drive.run(until);
            }
            Step::Cut => {
                let cut = drive.cut_power(false).expect("memory");
                prop_assert_eq!(cut.recovery.unknown, 0);
                drive.restore_power();
                for at in 0..BLOCKS {
                    let found = block(&mut drive, at);
                    let may = promise.may.get(&at).cloned().unwrap_or_else(|| vec![0]);
                    prop_assert!(may.contains(&found), "block {at}: {found}, not one of {may:?}");
                    promise.may.insert(at, vec![found]);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_on_a_volatile_buffer(steps in steps()) {
        play("sn850", false, &steps)?;
    }

    #[test]
    fn promises_hold_on_a_protected_buffer(steps in steps()) {
        play("p4510", true, &steps)?;
    }
}

proptest! {
    // An array of four drives takes four times as long to build.
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_on_mirrors_of_volatile_drives(steps in steps()) {
        play("raid10-4x-pm981a", false, &steps)?;
    }

    #[test]
    fn promises_hold_on_parity_over_protected_drives(steps in steps()) {
        play("mdraid-raid5-4x-p5520", true, &steps)?;
    }

    #[test]
    fn promises_hold_on_a_cache_before_a_disk(steps in steps()) {
        play("optane-16gb-dt01aca200", false, &steps)?;
    }
}
