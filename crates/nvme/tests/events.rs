//! Events, and aborting the requests for them.

use crate::common::{self, status, world};
use nvme::initiator::LogPart;
use nvme::{Sqe, Status};

const NAMESPACES: u64 = 2 | 0x04 << 16;
const TEMPERATURE: u64 = 1 | 1 << 8 | 0x02 << 16;
const SPARE: u64 = 1 | 2 << 8 | 0x02 << 16;

#[test]
fn a_controller_holds_four_requests() {
    let world = world();
    let (mut admin, _) = common::admin(&world);
    let held: Vec<u16> = (0..4).map(|_| admin.request_event().expect("sent")).collect();
    let fifth = admin.request_event().expect("sent");
    let (cid, completion) = admin.receive().expect("an answer");
    assert_eq!((cid, completion.status), (fifth, Status::EVENT_LIMIT));
    assert!(admin.abort(held[1]).expect("aborted"));
    let (cid, completion) = admin.receive().expect("an answer");
    assert_eq!((cid, completion.status), (held[1], Status::ABORTED));
    assert!(!admin.abort(held[1]).expect("nothing to abort"));
    let other = Sqe::new(8, 0).with(10, u32::from(held[0]) << 16 | 1);
    assert_eq!(admin.call(other, &[], 0).expect("no such queue here").result, 1);
}

#[test]
fn a_warning_is_told_once_until_its_log_is_read() {
    let world = world();
    let (mut admin, _) = common::admin(&world);
    admin.set_feature(0x0b, 0, 0x1f).expect("set");
    let first = admin.request_event().expect("sent");
    let second = admin.request_event().expect("sent");
    world.borrow_mut().target.back_mut().health.kelvin = 350;
    world.borrow_mut().pass(1);
    let (cid, completion) = admin.receive().expect("the event");
    assert_eq!((cid, completion.result), (first, TEMPERATURE));
    world.borrow_mut().target.back_mut().health.spare = 9;
    world.borrow_mut().pass(1);
    let part = LogPart { offset: 0, len: 512, retain: true };
    assert_eq!(admin.log(2, 0, part).expect("health")[0], 3);
    world.borrow_mut().pass(1);
    admin.keep_alive().expect("no event before the log is read");
    admin.log_page(2, 512).expect("read, and the spare with it");
    world.borrow_mut().target.back_mut().health.spare = 50;
    world.borrow_mut().pass(1);
    world.borrow_mut().target.back_mut().health.spare = 9;
    world.borrow_mut().pass(1);
    let (cid, completion) = admin.receive().expect("the event");
    assert_eq!((cid, completion.result), (second, SPARE));
}

#[test]
fn events_that_are_not_wanted_are_not_told() {
    let world = world();
    let (mut admin, _) = common::admin(&world);
    admin.set_feature(0x0b, 0, 1).expect("set");
    admin.request_event().expect("sent");
    world.borrow_mut().target.back_mut().health.kelvin = 350;
    world.borrow_mut().target.back_mut().health.read_only = true;
    world.borrow_mut().pass(1);
    admin.keep_alive().expect("nothing came before");
    assert!(world.borrow_mut().target.output(0).expect("open").is_empty());
    assert_eq!(admin.log_page(2, 512).expect("health")[0], 2 | 1 << 3);
}

#[test]
fn other_controllers_hear_of_namespaces() {
    let world = world();
    let (mut one, _) = common::admin(&world);
    let (mut two, id) = common::admin(&world);
    two.set_feature(0x0b, 0, 1 << 8).expect("set");
    let event = two.request_event().expect("sent");
    one.delete_namespace(1).expect("deleted");
    let nsid = one.create_namespace(8, 0).expect("created");
    assert_eq!(nsid, 1);
    one.attach_namespace(nsid, id, true).expect("attached");
    let (cid, completion) = two.receive().expect("the event");
    assert_eq!((cid, completion.result), (event, NAMESPACES));
    let log = two.log_page(4, 4096).expect("changed namespaces");
    assert_eq!(common::number(&log, 0, 8), 1);
    assert_eq!(two.log_page(4, 4096).expect("none now"), vec![0; 4096]);
    assert_eq!(one.log_page(4, 4096).expect("it knows"), vec![0; 4096]);
}

#[test]
fn a_reset_forgets_requests_and_settings() {
    let world = world();
    let (mut admin, _) = common::admin(&world);
    admin.set_feature(0x0b, 0, 0x1f).expect("set");
    admin.set_property(0x14, 0).expect("disabled");
    assert_eq!(status(admin.keep_alive()), Status::SEQUENCE);
    admin.enable().expect("enabled");
    assert_eq!(admin.feature(0x0b, 0, 0, 0).expect("got"), 0);
}
