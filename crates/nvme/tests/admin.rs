//! Identify, features and log pages.

use crate::common::{self, MemoryDrive, number, status, world};
use nvme::initiator::LogPart;
use nvme::{Sqe, Status};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

#[test]
fn a_controller_says_what_linux_demands() {
    let world = world();
    let (mut queue, controller) = common::admin(&world);
    let page = queue.identify(1, 0).expect("a page");
    assert_eq!(text(&page[4..24]), "S123");
    assert_eq!(text(&page[24..64]), "Modelled drive");
    assert_eq!(text(&page[64..72]), "1.0");
    assert_eq!(number(&page, 78, 2), controller.into());
    assert_ne!(number(&page, 320, 2), 0, "KAS");
    assert_ne!(number(&page, 536, 4) & 3, 0, "SGLS");
    assert_eq!(number(&page, 1792, 4), (64 + 8192) / 16, "IOCCSZ");
    assert_eq!(number(&page, 1800, 2), 0, "ICDOFF");
    assert_eq!(number(&page, 280, 16), 1 << 20, "TNVMCAP");
    assert_eq!(number(&page, 296, 16), 0, "UNVMCAP");
    assert_eq!(page[77], 8, "MDTS");
    assert_eq!(page[263], 2, "NPSS");
    assert_eq!(number(&page, 2048 + 64, 2), 5, "power of state 2");
    assert_eq!(page[2048 + 64 + 3], 2, "it is idle");
    assert_eq!(page[525] & 1, 1, "VWC");
    assert_eq!(&page[768..768 + common::NAME.len()], common::NAME.as_bytes());
}

#[test]
fn namespaces_and_lists() {
    let world = world();
    let (mut queue, controller) = common::admin(&world);
    let page = queue.identify(0, 1).expect("a page");
    assert_eq!((number(&page, 0, 8), number(&page, 8, 8)), (2048, 2048));
    assert_eq!((page[25], page[26] & 0xf), (1, 0));
    assert_eq!((page[130], page[134]), (9, 12), "sizes of blocks");
    assert_eq!(queue.identify(0, 2).expect("a page"), vec![0; 4096], "inactive");
    assert_eq!(queue.identify(0, u32::MAX).expect("a page")[25], 1);
    for nsid in [0, 9] {
        assert_eq!(status(queue.identify(0, nsid)), Status::INVALID_NAMESPACE);
    }
    assert_eq!(number(&queue.identify(2, 0).expect("a list"), 0, 8), 1);
    assert_eq!(number(&queue.identify(2, 1).expect("a list"), 0, 4), 0);
    assert_eq!(status(queue.identify(2, u32::MAX)), Status::INVALID_NAMESPACE);
    let descriptors = queue.identify(3, 1).expect("descriptors");
    assert_eq!(&descriptors[..4], &[2, 16, 0, 0]);
    assert_eq!(descriptors[4..20], page[104..120]);
    assert_eq!(status(queue.identify(3, 2)), Status::INVALID_FIELD);
    assert_eq!(queue.identify(6, 0).expect("zeroes"), vec![0; 4096]);
    assert_eq!(number(&queue.identify(0x10, 0).expect("a list"), 0, 4), 1);
    let controllers = queue.identify(0x13, 0).expect("a list");
    assert_eq!((number(&controllers, 0, 2), number(&controllers, 2, 2)), (1, controller.into()));
    assert_eq!(queue.identify(0x12, 1).expect("a list"), controllers);
    let above = queue.identify(0x13 | u32::from(controller + 1) << 16, 0).expect("a list");
    assert_eq!(number(&above, 0, 2), 0);
    assert_eq!(status(queue.identify(0x1f, 0)), Status::INVALID_FIELD);
}

#[test]
fn features_are_set_and_got() {
    let world = world();
    let (mut queue, _) = common::admin(&world);
    for (feature, dword, default) in
        [(1, 0x0302_0107, 0), (2, 1, 0), (6, 0, 1), (0x0a, 1, 0), (0x0b, 0x103, 0)]
            .into_iter()
            .chain([(0x0f, 9000, 0), (0x80, 3, 0)])
    {
        queue.set_feature(feature, 0, dword).expect("set");
        assert_eq!(queue.feature(feature, 0, 0, 0).expect("got"), dword, "{feature:#x}");
        for select in [1, 2] {
            assert_eq!(queue.feature(feature, select, 0, 0).expect("got"), default);
        }
        assert_eq!(queue.feature(feature, 3, 0, 0).expect("got"), 4, "changeable, not saveable");
        assert_eq!(status(queue.set_feature(feature, 1, dword)), Status::NOT_OF_NAMESPACE);
        let save = Sqe::new(9, 0).with(10, 1 << 31 | u32::from(feature));
        assert_eq!(status(queue.call(save, &[], 0)), Status::NOT_SAVEABLE);
    }
    assert!(!world.borrow().target.subsystem().back().write_cache);
    assert_eq!(queue.set_feature(7, 0, 7 << 16 | 7).expect("queues"), 7 << 16 | 7);
    assert_eq!(queue.set_feature(7, 0, 999 << 16 | 999).expect("queues"), 63 << 16 | 63);
    assert_eq!(status(queue.set_feature(7, 0, 0xffff)), Status::INVALID_FIELD);
    queue.set_feature(5, 1, 70).expect("error recovery");
    assert_eq!(queue.feature(5, 0, 1, 0).expect("got"), 70);
    assert_eq!(queue.feature(5, 3, 1, 0).expect("got"), 6, "of a namespace");
    assert_eq!(status(queue.set_feature(5, 1, 1 << 16)), Status::INVALID_FIELD);
    assert_eq!(status(queue.set_feature(2, 0, 3)), Status::INVALID_FIELD);
    assert_eq!(status(queue.set_feature(0x0b, 0, 1 << 9)), Status::INVALID_FIELD);
    assert_eq!(status(queue.feature(2, 4, 0, 0)), Status::INVALID_FIELD);
    for feature in [0, 3, 8, 9, 0x0c, 0x11, 0xd0] {
        assert_eq!(status(queue.feature(feature, 0, 0, 0)), Status::INVALID_FIELD);
        assert_eq!(status(queue.set_feature(feature, 0, 0)), Status::INVALID_FIELD);
    }
}

#[test]
fn temperatures_have_thresholds() {
    let world = world();
    let (mut queue, _) = common::admin(&world);
    assert_eq!(queue.feature(4, 0, 0, 0).expect("got"), 343, "the warning temperature");
    queue.set_feature(4, 0, 305).expect("set");
    assert_eq!(queue.log_page(2, 512).expect("health")[0], 2);
    queue.set_feature(4, 0, 0xf << 16 | 400).expect("all");
    assert_eq!(queue.feature(4, 0, 0, 8 << 16).expect("got"), 400);
    assert_eq!(queue.log_page(2, 512).expect("health")[0], 0);
    queue.set_feature(4, 0, 1 << 20 | 311).expect("under");
    assert_eq!(queue.log_page(2, 512).expect("health")[0], 2);
    assert_eq!(status(queue.set_feature(4, 0, 9 << 16)), Status::INVALID_FIELD);
    assert_eq!(status(queue.feature(4, 0, 0, 2 << 20)), Status::INVALID_FIELD);
    assert_eq!(queue.feature(4, 1, 0, 0).expect("default"), 343);
}

#[test]
fn the_health_logs_have_their_fields() {
    let mut drive = MemoryDrive::new(1 << 20);
    drive.health.units_written = 1 << 70;
    drive.health.media_errors = 3;
    drive.health.used = 12;
    drive.health.throttles = [1, 2];
    drive.health.ocp.bad_user_blocks = (5, 99);
    drive.health.ocp.free_blocks = 40;
    let world = common::world_of(drive);
    let (mut queue, _) = common::admin(&world);
    let page = queue.log_page(2, 512).expect("health");
    assert_eq!((number(&page, 1, 2), page[3], page[4], page[5]), (310, 100, 10, 12));
    assert_eq!((number(&page, 48, 16), number(&page, 160, 16)), (1 << 70, 3));
    assert_eq!((number(&page, 216, 4), number(&page, 220, 4)), (1, 2));
    let page = queue.log_page(0xc0, 512).expect("OCP");
    assert_eq!((number(&page, 32, 6), number(&page, 38, 2), page[120]), (5, 99, 40));
    assert_eq!(&page[496..500], &[0xc5, 0xaf, 0x10, 0x28]);
    assert_eq!(&page[508..], &[0xc9, 0x14, 0xd5, 0xaf]);
    let part = LogPart { offset: 0, len: 512, retain: false };
    assert_eq!(status(queue.log(2, 1, part)), Status::INVALID_FIELD);
}

#[test]
fn log_pages_are_read_in_parts() {
    let world = world();
    let (mut queue, _) = common::admin(&world);
    let whole = queue.log_page(5, 4096).expect("effects");
    let mut parts = Vec::new();
    for place in 0..4 {
        let part = LogPart { offset: place * 1024, len: 1024, retain: false };
        parts.extend(queue.log(5, 0, part).expect("a part"));
    }
    assert_eq!(parts, whole);
    assert_eq!(number(&whole, 1024 + 4, 4), 3, "Write changes data");
    let beyond = |offset, len| LogPart { offset, len, retain: false };
    let tail = queue.log(3, 0, beyond(508, 8)).expect("zeroes follow the end");
    assert_eq!(tail, [0; 8]);
    assert_eq!(status(queue.log(3, 0, beyond(516, 4))), Status::INVALID_FIELD);
    assert_eq!(status(queue.log(3, 0, beyond(2, 4))), Status::INVALID_FIELD);
    assert_eq!(status(queue.log(3, 0, beyond(0, (1 << 20) + 4))), Status::INVALID_FIELD);
    assert_eq!(text(&queue.log_page(3, 16).expect("firmware")[8..]), "1.0");
    for log in [0x00, 0x07, 0x0d, 0x70, 0x80, 0xc1] {
        assert_eq!(status(queue.log_page(log, 512)), Status::INVALID_LOG_PAGE);
    }
    let no_room = Sqe::new(2, 0).with(10, 127 << 16 | 2);
    assert_eq!(status(queue.call(no_room, &[], 256)), Status::DATA_LENGTH);
}

#[test]
fn what_does_not_exist_is_refused() {
    let world = common::world_of({
        let mut drive = MemoryDrive::new(1 << 20);
        drive.facts.volatile_cache = false;
        drive.facts.ocp = false;
        drive.facts.self_test_minutes = None;
        drive.facts.sanitize = nvme::backend::SanitizeKinds::default();
        drive
    });
    let (mut queue, _) = common::admin(&world);
    assert_eq!(status(queue.feature(6, 0, 0, 0)), Status::INVALID_FIELD);
    for log in [0x06, 0x81, 0xc0] {
        assert_eq!(status(queue.log_page(log, 512)), Status::INVALID_LOG_PAGE);
    }
    assert_eq!(status(queue.self_test(1, 1)), Status::INVALID_OPCODE);
    for action in [2, 3, 4] {
        assert_eq!(status(queue.sanitize(action, 0)), Status::INVALID_FIELD);
    }
    for opcode in [0x00, 0x01, 0x04, 0x05, 0x10, 0x11, 0x19, 0x81, 0x82, 0xc1] {
        assert_eq!(status(queue.call(Sqe::new(opcode, 0), &[], 0)), Status::INVALID_OPCODE);
    }
    let page = queue.identify(0, 1).expect("a page");
    assert_eq!(page.len(), 4096);
    assert_eq!(status(queue.call(Sqe::new(6, 1), &[], 512)), Status::DATA_LENGTH);
}
