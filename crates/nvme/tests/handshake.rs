//! From the first byte of a connection to a controller that is ready.

use crate::common::{self, DISCOVERY, Stream, connection, status, world};
use nvme::initiator::{Connection, Options, Queue};
use nvme::{Sqe, Status};

fn open(world: &common::Shared) -> Queue<Stream> {
    Queue::open(Stream::new(world), Options::default()).expect("a handshake")
}

#[test]
fn a_host_gets_a_controller_and_enables_it() {
    let world = world();
    let mut queue = open(&world);
    assert_eq!(status(queue.identify(1, 0)), Status::SEQUENCE);
    let controller = queue.connect(&connection(0, None)).expect("a controller");
    assert_eq!(controller, 1);
    let capabilities = queue.property(0, true).expect("CAP");
    assert_eq!((capabilities & 0xffff, capabilities >> 37 & 1), (127, 1));
    assert_eq!(queue.property(8, false).expect("VS"), 0x0001_0400);
    assert_eq!(queue.property(0x1c, false).expect("CSTS"), 0);
    assert_eq!(status(queue.identify(1, 0)), Status::SEQUENCE);
    queue.enable().expect("enabled");
    assert_eq!(queue.property(0x1c, false).expect("CSTS"), 1);
    let page = queue.identify(1, 0).expect("a page");
    assert_eq!(common::number(&page, 78, 2), 1, "the controller as Connect told it");
    queue.set_property(0x14, 1 << 14 | 1).expect("shutdown");
    assert_eq!(queue.property(0x1c, false).expect("CSTS"), 1 | 2 << 2);
    assert_eq!(status(queue.identify(1, 0)), Status::SEQUENCE);
}

#[test]
fn properties_have_their_sizes() {
    let world = world();
    let (mut queue, _) = common::admin(&world);
    assert_eq!(status(queue.property(0, false)), Status::INVALID_FIELD);
    assert_eq!(status(queue.property(8, true)), Status::INVALID_FIELD);
    assert_eq!(status(queue.property(0x24, false)), Status::INVALID_FIELD);
    assert_eq!(status(queue.set_property(0x1c, 0)), Status::INVALID_FIELD);
}

#[test]
fn connections_that_make_no_sense_are_refused() {
    let world = world();
    let (_admin, controller) = common::admin(&world);
    let plain = connection(0, None);
    let wrong = [
        Connection { subsystem: "nqn.2026-01.org.example:none", ..plain.clone() },
        Connection { host: "nobody", ..plain.clone() },
        Connection { entries: 1, ..plain.clone() },
        Connection { entries: 129, ..plain.clone() },
        Connection { controller: Some(controller), ..plain.clone() },
        Connection { qid: 1, controller: Some(99), ..plain.clone() },
        Connection { qid: 65, controller: Some(controller), ..plain.clone() },
        Connection { qid: 1, controller: Some(controller), subsystem: DISCOVERY, ..plain.clone() },
    ];
    for connection in wrong {
        let refused = status(open(&world).connect(&connection));
        assert_eq!(refused, Status::CONNECT_PARAMETERS, "{connection:?}");
    }
    open(&world).connect(&connection(1, Some(controller))).expect("a queue");
    let again = open(&world).connect(&connection(1, Some(controller)));
    assert_eq!(status(again), Status::CONNECT_PARAMETERS, "the queue exists");
    let sqe = Sqe::new(0x7f, 1).with(10, 1);
    let refused = status(open(&world).call(sqe, &[0; 1024], 0));
    assert_eq!(refused, Status::CONNECT_FORMAT);
    let refused = status(open(&world).call(Sqe::new(0x7f, 1).with(11, 31), &[0; 512], 0));
    assert_eq!(refused, Status::DATA_LENGTH);
}

#[test]
fn a_queue_for_data_needs_an_enabled_controller() {
    let world = world();
    let mut admin = open(&world);
    let controller = admin.connect(&connection(0, None)).expect("a controller");
    let early = open(&world).connect(&connection(1, Some(controller)));
    assert_eq!(status(early), Status::SEQUENCE);
    let mut second = admin.connect(&connection(0, None));
    assert_eq!(status(std::mem::replace(&mut second, Ok(0))), Status::SEQUENCE);
}

#[test]
fn digests_and_alignment_change_no_meaning() {
    for bits in 0..4 {
        let (header_digests, data_digests) = (bits & 1 != 0, bits & 2 != 0);
        for alignment in [0, 1, 31] {
            let options = Options { header_digests, data_digests, alignment };
            let world = world();
            let (mut admin, controller) = common::admin_with(&world, options);
            assert_eq!(admin.identify(0, 1).expect("a page").len(), 4096);
            let mut queue = common::io_with(&world, controller, options);
            for blocks in [1_u16, 16, 17, 600] {
                let data =
                    vec![u8::try_from(blocks & 0xff).unwrap_or(0); usize::from(blocks) * 512];
                queue.write(1, (3, blocks), &data, false).expect("written");
                assert_eq!(queue.read(1, 3, blocks, 512).expect("read"), data);
            }
        }
    }
}

#[test]
fn a_host_that_says_nothing_is_given_up() {
    let world = world();
    let mut queue = open(&world);
    let keep = Connection { keep_alive_ms: 5000, ..connection(0, None) };
    let controller = queue.connect(&keep).expect("a controller");
    queue.enable().expect("enabled");
    let mut data = common::io(&world, controller);
    world.borrow_mut().pass(4_000_000_000);
    data.flush(1).expect("any command will do");
    world.borrow_mut().pass(4_000_000_000);
    queue.keep_alive().expect("still there");
    assert_eq!(queue.feature(0x0f, 0, 0, 0).expect("KATO"), 5000);
    world.borrow_mut().pass(5_000_000_001);
    let world = world.borrow();
    assert!(world.target.is_closing(0) && world.target.is_closing(1));
}

#[test]
fn a_queue_ends_in_order_and_all_end_with_the_administrator() {
    let world = world();
    let (mut admin, controller) = common::admin(&world);
    assert_eq!(status(admin.disconnect()), Status::QUEUE_TYPE);
    let mut data = common::io(&world, controller);
    data.disconnect().expect("in order");
    assert!(world.borrow().target.is_closing(1));
    world.borrow_mut().target.close(1);
    let _data = common::io(&world, controller);
    world.borrow_mut().target.close(0);
    assert!(world.borrow().target.is_closing(2));
}
