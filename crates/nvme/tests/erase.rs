//! Format, sanitize, self-test.

use crate::common::drive::{FORMAT, SANITIZE, SELF_TEST};
use crate::common::{self, BLOCK, MemoryDrive, number, status, world};
use nvme::Status;
use nvme::backend::Sanitize;

#[test]
fn a_format_takes_its_time_and_changes_the_blocks() {
    let world = world();
    let (mut admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    queue.write(1, (0, 1), &[3; 512], false).expect("written");
    let cid = admin.send_format(1, 1 | 1 << 9).expect("sent");
    assert_eq!(world.borrow().target.next_time(), Some(FORMAT));
    assert_eq!(status(queue.read(1, 0, 1, 4096)), Status::FORMAT_IN_PROGRESS);
    assert_eq!(status(admin.delete_namespace(1)), Status::FORMAT_IN_PROGRESS);
    assert_eq!(status(admin.attach_namespace(1, controller, false)), Status::FORMAT_IN_PROGRESS);
    assert_eq!(status(admin.sanitize(2, 0)), Status::FORMAT_IN_PROGRESS);
    world.borrow_mut().pass(FORMAT);
    let (ended, completion) = admin.receive().expect("an answer");
    assert_eq!((ended, completion.status), (cid, Status::SUCCESS));
    assert_eq!(queue.read(1, 0, 1, 4096).expect("read"), vec![0; 4096]);
    let page = admin.identify(0, 1).expect("a page");
    assert_eq!((number(&page, 0, 8), page[26]), (256, 1));
}

#[test]
fn formats_that_make_no_sense_are_refused() {
    let world = common::world_of({
        let mut drive = MemoryDrive::new(1 << 20);
        drive.facts.crypto_erase = false;
        drive
    });
    let (mut admin, _) = common::admin(&world);
    let cases = [
        (1, 2, Status::INVALID_FORMAT),
        (1, 1 << 4, Status::INVALID_FORMAT),
        (1, 1 << 5, Status::INVALID_FORMAT),
        (1, 2 << 9, Status::INVALID_FIELD),
        (1, 3 << 9, Status::INVALID_FIELD),
        (0, 0, Status::INVALID_NAMESPACE),
        (2, 0, Status::INVALID_FIELD),
    ];
    for (nsid, dword, due) in cases {
        admin.send_format(nsid, dword).expect("sent");
        assert_eq!(admin.receive().expect("an answer").1.status, due, "{nsid} {dword:#x}");
    }
    admin.send_format(u32::MAX, 0).expect("all of them");
    admin.send_format(1, 0).expect("sent");
    assert_eq!(admin.receive().expect("an answer").1.status, Status::FORMAT_IN_PROGRESS);
}

#[test]
fn a_sanitize_shows_its_progress_and_keeps_commands_away() {
    let world = world();
    let (mut admin, controller) = common::admin(&world);
    let mut queue = common::io(&world, controller);
    assert_eq!(&admin.log_page(0x81, 8).expect("log")[..4], &[0xff, 0xff, 0, 0]);
    queue.write(1, (0, 1), &[3; 512], false).expect("written");
    let event = admin.request_event().expect("sent");
    let dword = 3 | 2 << 4 | 1 << 8;
    admin.sanitize(dword, 0xa5).expect("begun");
    let how = world.borrow().target.subsystem().back().last_sanitize;
    assert_eq!(how, Some(Sanitize::Overwrite { passes: 2, pattern: 0xa5, invert: true }));
    world.borrow_mut().pass(SANITIZE / 4);
    let log = admin.log_page(0x81, 512).expect("log");
    assert_eq!((number(&log, 0, 2), number(&log, 2, 2)), (1 << 14, 2));
    assert_eq!(number(&log, 4, 4), dword.into());
    for refused in [
        status(queue.read(1, 0, 1, BLOCK)),
        status(queue.flush(1)),
        status(admin.sanitize(2, 0)),
        status(admin.create_namespace(8, 0)),
        status(admin.self_test(1, 1)),
    ] {
        assert_eq!(refused, Status::SANITIZE_IN_PROGRESS);
    }
    admin.identify(1, 0).expect("this may be asked");
    admin.keep_alive().expect("this too");
    world.borrow_mut().pass(SANITIZE);
    let (ended, completion) = admin.receive().expect("the event");
    assert_eq!((ended, completion.result), (event, 6 | 1 << 8 | 0x81 << 16));
    let log = admin.log_page(0x81, 512).expect("log");
    let clean = 1 << 8;
    assert_eq!((number(&log, 0, 2), number(&log, 2, 2)), (0xffff, 1 | 2 << 3 | clean));
    assert_eq!(queue.read(1, 0, 1, BLOCK).expect("read"), vec![0; 512]);
    queue.write(1, (0, 1), &[3; 512], false).expect("written");
    let log = admin.log_page(0x81, 512).expect("log");
    assert_eq!(number(&log, 2, 2) & clean, 0, "something was written since");
}

#[test]
fn a_failed_sanitize_is_left_as_it_was_begun() {
    for unrestricted in [false, true] {
        let world = world();
        let (mut admin, controller) = common::admin(&world);
        let mut queue = common::io(&world, controller);
        admin.sanitize(1, 0).expect("nothing has failed");
        world.borrow_mut().target.back_mut().sanitize_works = false;
        admin.sanitize(2 | u32::from(unrestricted) << 3, 0).expect("begun");
        world.borrow_mut().pass(SANITIZE);
        assert_eq!(number(&admin.log_page(0x81, 512).expect("log"), 2, 2), 3);
        assert_eq!(status(queue.read(1, 0, 1, BLOCK)), Status::SANITIZE_FAILED);
        assert_eq!(status(admin.create_namespace(8, 0)), Status::SANITIZE_FAILED);
        if unrestricted {
            admin.sanitize(1, 0).expect("left");
        } else {
            assert_eq!(status(admin.sanitize(1, 0)), Status::SANITIZE_FAILED);
            assert_eq!(status(admin.sanitize(2 | 1 << 3, 0)), Status::SANITIZE_FAILED);
            world.borrow_mut().target.back_mut().sanitize_works = true;
            admin.sanitize(4, 0).expect("once more");
            world.borrow_mut().pass(SANITIZE);
        }
        queue.read(1, 0, 1, BLOCK).expect("read");
    }
    let world = world();
    let (mut admin, _) = common::admin(&world);
    for action in [0, 5, 6, 7] {
        assert_eq!(status(admin.sanitize(action, 0)), Status::INVALID_FIELD);
    }
}

#[test]
fn self_tests_have_progress_and_results() {
    let world = world();
    let (mut admin, _) = common::admin(&world);
    let log = admin.log_page(6, 564).expect("log");
    assert_eq!((log[0], log[4], log[4 + 19 * 28]), (0, 0xf, 0xf));
    admin.self_test(1, 1).expect("begun");
    world.borrow_mut().pass(SELF_TEST / 2);
    let log = admin.log_page(6, 564).expect("log");
    assert_eq!((log[0], log[1]), (1, 50));
    assert_eq!(status(admin.self_test(1, 2)), Status::SELF_TEST_IN_PROGRESS);
    world.borrow_mut().pass(SELF_TEST);
    assert_eq!(admin.log_page(6, 564).expect("log")[4], 1 << 4);
    admin.self_test(u32::MAX, 2).expect("begun");
    admin.self_test(0, 0xf).expect("aborted");
    assert_eq!(admin.log_page(6, 564).expect("log")[4], 2 << 4 | 1);
    world.borrow_mut().target.back_mut().self_test_works = false;
    admin.self_test(0, 1).expect("begun");
    world.borrow_mut().pass(SELF_TEST);
    assert_eq!(admin.log_page(6, 564).expect("log")[4], 1 << 4 | 7);
    admin.self_test(0, 1).expect("begun");
    admin.send_format(1, 0).expect("a format ends it");
    assert_eq!(admin.log_page(6, 564).expect("log")[4], 1 << 4 | 4);
    world.borrow_mut().pass(FORMAT);
    admin.receive().expect("formatted");
    admin.self_test(0, 1).expect("begun");
    admin.sanitize(2, 0).expect("so does a sanitize");
    let log = admin.log_page(6, 564).expect("log");
    assert_eq!((log[0], log[4], log[4 + 28]), (0, 1 << 4 | 9, 1 << 4 | 4));
    world.borrow_mut().pass(SANITIZE);
    for (nsid, code, due) in [
        (0, 3, Status::INVALID_FIELD),
        (9, 1, Status::INVALID_NAMESPACE),
        (2, 1, Status::INVALID_FIELD),
    ] {
        assert_eq!(status(admin.self_test(nsid, code)), due);
    }
}
