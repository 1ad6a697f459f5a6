//! The subsystem for discovery.

use crate::common::{self, DISCOVERY, Stream, connection, number, status, world};
use nvme::initiator::{Connection, Options, Queue};
use nvme::{Sqe, Status};

fn discovery(world: &common::Shared) -> Queue<Stream> {
    let mut queue = Queue::open(Stream::new(world), Options::default()).expect("a handshake");
    let wanted = Connection { subsystem: DISCOVERY, ..connection(0, None) };
    queue.connect(&wanted).expect("a controller");
    queue.enable().expect("enabled");
    queue
}

#[test]
fn the_log_names_the_subsystem_and_its_place() {
    let world = world();
    let mut queue = discovery(&world);
    let page = queue.identify(1, 0).expect("a page");
    assert_eq!(page[111], 2, "a controller for discovery");
    assert_eq!(&page[768..768 + DISCOVERY.len()], DISCOVERY.as_bytes());
    let log = queue.log_page(0x70, 2048).expect("the log");
    assert_eq!((number(&log, 8, 8), number(&log, 16, 2)), (1, 0), "records, format");
    let record = &log[1024..];
    assert_eq!(&record[..3], &[3, 1, 2], "TCP, IPv4, a subsystem for data");
    assert_eq!(number(record, 6, 2), 0xffff, "any controller");
    assert_eq!(&record[32..37], b"4420 ");
    assert_eq!(&record[256..256 + common::NAME.len()], common::NAME.as_bytes());
    assert_eq!(&record[512..522], b"192.0.2.7 ");
}

/// A server that listens at every address of its machine is told of at the one that the host used.
#[test]
fn the_place_is_where_the_host_has_found_it() {
    let world = world();
    let mut queue = discovery(&world);
    let other = "198.51.100.4:4421".parse().expect("an address");
    let stream = Stream::at(&world, other);
    let mut there = Queue::open(stream, Options::default()).expect("a handshake");
    there.connect(&Connection { subsystem: DISCOVERY, ..connection(0, None) }).expect("found");
    there.enable().expect("enabled");
    let log = there.log_page(0x70, 2048).expect("the log");
    assert_eq!((&log[1056..1061], &log[1536..1549]), (&b"4421 "[..], &b"198.51.100.4 "[..]));
    let log = queue.log_page(0x70, 2048).expect("the log");
    assert_eq!(&log[1536..1546], b"192.0.2.7 ");
}

#[test]
fn nothing_else_exists_there() {
    let world = world();
    let mut queue = discovery(&world);
    assert_eq!(status(queue.identify(0, 1)), Status::INVALID_FIELD);
    assert_eq!(status(queue.log_page(2, 512)), Status::INVALID_LOG_PAGE);
    assert_eq!(status(queue.feature(2, 0, 0, 0)), Status::INVALID_FIELD);
    assert_eq!(status(queue.call(Sqe::new(0x80, 1), &[], 0)), Status::INVALID_OPCODE);
    assert_eq!(status(queue.call(Sqe::new(0x0c, 0), &[], 0)), Status::INVALID_OPCODE);
    queue.keep_alive().expect("alive");
    queue.set_feature(0x0f, 0, 3000).expect("set");
    assert_eq!(queue.feature(0x0f, 0, 0, 0).expect("got"), 3000);
    let (mut admin, _) = common::admin(&world);
    assert_eq!(number(&admin.identify(0x13, 0).expect("a list"), 0, 2), 1, "only drives count");
}
