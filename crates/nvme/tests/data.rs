//! Commands for data.

use crate::common::{self, BLOCK, status, world};
use nvme::{IoError, Sqe, Status};
use proptest::prelude::*;

#[test]
fn data_comes_with_the_command_up_to_8_kib_and_is_asked_for_beyond() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    for blocks in [15_u16, 16, 17, 256, 257, 2048] {
        let data: Vec<u8> = (0..usize::from(blocks) * 512).map(|at| (at % 251) as u8).collect();
        queue.write(1, (0, blocks), &data, true).expect("written");
        assert_eq!(queue.read(1, 0, blocks, BLOCK).expect("read"), data);
    }
}

#[test]
fn ranges_and_lengths_are_checked() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    assert_eq!(status(queue.read(1, 2048, 1, BLOCK)), Status::LBA_RANGE);
    assert_eq!(status(queue.read(1, 2047, 2, BLOCK)), Status::LBA_RANGE);
    assert_eq!(status(queue.write(1, (u64::MAX, 1), &[0; 512], false)), Status::LBA_RANGE);
    assert_eq!(status(queue.write_zeroes(1, 2048, 1, true)), Status::LBA_RANGE);
    assert_eq!(status(queue.deallocate(1, &[(0, 1), (2000, 49)])), Status::LBA_RANGE);
    assert_eq!(status(queue.read(1, 0, 2, 256)), Status::DATA_LENGTH);
    assert_eq!(status(queue.write(1, (0, 2), &[0; 512], false)), Status::DATA_LENGTH);
    for nsid in [0, 9, u32::MAX] {
        assert_eq!(status(queue.read(nsid, 0, 1, BLOCK)), Status::INVALID_NAMESPACE);
        assert_eq!(status(queue.flush(nsid)), Status::INVALID_NAMESPACE);
    }
    assert_eq!(status(queue.read(2, 0, 1, BLOCK)), Status::INVALID_FIELD, "not attached");
    assert_eq!(status(queue.call(Sqe::new(5, 1), &[0; 512], 0)), Status::INVALID_OPCODE);
    assert_eq!(status(queue.call(Sqe::new(4, 1), &[], 0)), Status::INVALID_OPCODE);
    let protected = Sqe::new(2, 1).with(12, 1 << 29);
    assert_eq!(status(queue.call(protected, &[], 512)), Status::INVALID_FIELD);
    assert!(Status::LBA_RANGE.do_not_retry() && !Status::READ_ERROR.do_not_retry());
}

#[test]
fn a_read_beyond_the_longest_transfer_is_refused() {
    let world = common::world_of(common::MemoryDrive::new(4 << 20));
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    assert_eq!(queue.read(1, 0, 2048, BLOCK).expect("1 MiB").len(), 1 << 20);
    assert_eq!(status(queue.read(1, 0, 2049, BLOCK)), Status::INVALID_FIELD);
    let long = vec![0; 2049 * 512];
    assert_eq!(status(queue.write(1, (0, 2049), &long, false)), Status::INVALID_FIELD);
}

#[test]
fn zeroes_and_ranges_that_are_given_up_read_as_zeroes() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    queue.write(1, (0, 16), &[7; 8192], false).expect("written");
    queue.write_zeroes(1, 1, 2, true).expect("zeroed");
    queue.deallocate(1, &[(5, 1), (7, 2)]).expect("given up");
    let read = queue.read(1, 0, 16, BLOCK).expect("read");
    let zero = |block: usize| read[block * 512..block * 512 + 512].iter().all(|byte| *byte == 0);
    let zeroes: Vec<usize> = (0..16).filter(|block| zero(*block)).collect();
    assert_eq!(zeroes, [1, 2, 5, 7, 8]);
    queue.flush(1).expect("flushed");
}

#[test]
fn what_the_drive_says_becomes_a_status() {
    let cases = [
        (IoError::Media, Status::READ_ERROR, Status::WRITE_FAULT),
        (IoError::WriteProtected, Status::WRITE_PROTECTED, Status::WRITE_PROTECTED),
        (IoError::Gone, Status::INTERNAL, Status::INTERNAL),
        (IoError::Full, Status::CAPACITY, Status::CAPACITY),
        (IoError::NotReady, Status::NOT_READY, Status::NOT_READY),
    ];
    let world = world();
    let (mut admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    for (error, read, write) in cases {
        world.borrow_mut().failure = Some(error);
        assert_eq!(status(queue.read(1, 0, 1, BLOCK)), read);
        assert_eq!(status(queue.write(1, (0, 1), &[0; 512], false)), write);
    }
    let log = admin.log_page(1, 1024).expect("the error log");
    assert_eq!(common::number(&log, 0, 8), 10, "errors");
    assert_eq!(common::number(&log, 8, 2), 1, "the queue");
    assert_eq!(common::number(&log, 64 + 12, 2) >> 1 & 0x7ff, 0x082);
    let health = admin.log_page(2, 512).expect("the health log");
    assert_eq!(common::number(&health, 176, 16), 10);
}

#[test]
fn commands_end_in_any_order() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    world.borrow_mut().paused = true;
    let cids: Vec<u16> =
        (0..4).map(|_| queue.send(Sqe::new(0, 1), &[], 0).expect("sent")).collect();
    let mut inner = world.borrow_mut();
    let mut tickets: Vec<u64> = inner.kept.drain(..).map(|io| io.ticket).collect();
    tickets.reverse();
    tickets.iter().for_each(|ticket| inner.target.complete(*ticket, Ok(Vec::new())));
    inner.target.complete(99, Ok(Vec::new()));
    drop(inner);
    let ended: Vec<u16> = (0..4).map(|_| queue.receive().expect("an answer").0).collect();
    assert_eq!(ended, cids.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn more_commands_than_entries_end_the_connection() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    world.borrow_mut().paused = true;
    for _ in 0..32 {
        queue.send(Sqe::new(0, 1), &[], 0).expect("sent");
    }
    assert!(!world.borrow().target.is_closing(1));
    queue.send(Sqe::new(0, 1), &[], 0).expect("sent");
    assert!(world.borrow().target.is_closing(1));
    let error = queue.receive().expect_err("terminated");
    assert!(matches!(error, nvme::initiator::InitiatorError::Terminated(2)), "{error}");
}

#[test]
fn an_idle_drive_wakes_for_data() {
    let world = world();
    let (mut admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    admin.set_feature(2, 0, 1).expect("set");
    admin.set_feature(2, 0, 2).expect("set");
    assert_eq!(world.borrow().target.subsystem().back().power_state, 2);
    queue.flush(1).expect("flushed");
    assert_eq!(world.borrow().target.subsystem().back().power_state, 1);
    assert_eq!(admin.feature(2, 0, 0, 0).expect("get"), 1);
}

#[test]
fn many_long_writes_wait_for_room() {
    let world = common::world_of(common::MemoryDrive::new(16 << 20));
    let (_admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    let data = vec![9; 1 << 20];
    for place in 0..12_u32 {
        let sqe = Sqe::new(1, 1).with(10, place * 2048).with(12, 2047);
        queue.send(sqe, &data, 0).expect("sent");
    }
    for _ in 0..12 {
        assert_eq!(queue.receive().expect("an answer").1.status, Status::SUCCESS);
    }
    assert_eq!(queue.read(1, 11 * 2048, 2048, BLOCK).expect("read"), data);
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_drive_keeps_what_was_written(
        writes in proptest::collection::vec((0..200_u64, 1..60_u16, any::<u8>()), 1..20),
    ) {
        let world = world();
        let (_admin, controller) = common::admin(&world);
        let mut queue = common::io(&world, controller);
        let mut model = vec![0; 1 << 20];
        for (lba, blocks, byte) in writes {
            let (start, len) = (lba as usize * 512, usize::from(blocks) * 512);
            model[start..start + len].fill(byte);
            queue.write(1, (lba, blocks), &vec![byte; len], false).expect("written");
        }
        let read = queue.read(1, 0, 2048, BLOCK).expect("read");
        prop_assert!(read == model);
    }
}
