//! One below, at and one above each limit, and how much memory a peer can take.

use crate::common::{
    CLIENT_FLAGS, MIB, attached, export, feed, opening, option, request, said, simple,
};
use nbd::{Event, Export, Fault, Session};

const OPTION: u32 = 64 << 10;
const PAYLOAD: u32 = 32 * MIB;
const READ: u16 = 0;
const WRITE: u16 = 1;

fn zeroes(len: u32) -> Vec<u8> {
    vec![0; usize::try_from(len).expect("it fits")]
}

#[test]
fn options_up_to_64_kib_are_taken() {
    for len in [OPTION - 1, OPTION] {
        let said = said(&[&CLIENT_FLAGS[..], &option(99, &zeroes(len))].concat());
        assert!(said.fault.is_none() && !said.out.is_empty());
    }
    let len = OPTION + 1;
    let head = &option(99, &zeroes(len))[..16];
    let fault = said(&[&CLIENT_FLAGS[..], head].concat()).fault;
    assert_eq!(fault, Some(Fault::OptionTooLong { option: 99, len, limit: OPTION }));
}

/// The number of events and the answer of a read or write of this length.
fn transfer(kind: u16, len: u32) -> (usize, Vec<u8>) {
    let mut session = attached("fast", false);
    let data = zeroes(if kind == WRITE { len } else { 0 });
    let said = feed(&mut session, &[request(kind, 0, 9, 0, len), data].concat());
    assert_eq!(said.fault, None);
    (said.events.len(), said.out)
}

#[test]
fn reads_and_writes_are_at_most_the_maximum_block() {
    for kind in [READ, WRITE] {
        assert_eq!(transfer(kind, MIB - 512), (1, vec![]));
        assert_eq!(transfer(kind, MIB), (1, vec![]));
        assert_eq!(transfer(kind, MIB + 512), (0, simple(9, 22)));
    }
}

#[test]
fn zeroes_may_be_longer() {
    assert_eq!(transfer(6, 32 * MIB).0, 1);
}

#[test]
fn no_write_brings_more_than_32_mib() {
    let limit = PAYLOAD;
    for (len, fault) in [
        (limit - 1, None),
        (limit, None),
        (limit + 1, Some(Fault::PayloadTooLong { len: limit + 1, limit })),
        (u32::MAX, Some(Fault::PayloadTooLong { len: u32::MAX, limit })),
    ] {
        let mut session = attached("fast", false);
        assert_eq!(feed(&mut session, &request(WRITE, 0, 9, 0, len)).fault, fault);
    }
}

#[test]
fn an_export_without_a_maximum_takes_32_mib() {
    let export = Export { maximum_block: u32::MAX, ..export("fast") };
    let mut session = Session::new([export].into());
    feed(&mut session, &opening("fast", false));
    let write = [request(WRITE, 0, 9, 0, PAYLOAD), zeroes(PAYLOAD)].concat();
    assert!(matches!(feed(&mut session, &write).events[..], [Event::Request(_)]));
    assert_eq!(feed(&mut session, &request(READ, 0, 8, 0, PAYLOAD)).events.len(), 1);
    let longer = request(READ, 0, 7, 0, PAYLOAD + 512);
    assert_eq!(feed(&mut session, &longer).out, simple(7, 22));
}

#[test]
fn an_announcement_costs_nothing() {
    let mut session = attached("fast", false);
    feed(&mut session, &request(WRITE, 0, 9, 0, MIB));
    assert_eq!(session.buffered(), 0);
    feed(&mut session, &[1; 1000]);
    assert_eq!(session.buffered(), 1000);
}

#[test]
fn what_waits_to_be_taken_is_counted() {
    let mut session = attached("fast", false);
    let write = [request(WRITE, 0, 9, 0, 512), zeroes(512)].concat();
    let three = [write.clone(), write, request(READ, 0, 8, 0, 512)].concat();
    assert_eq!(session.receive(&three, &mut Vec::new()), Ok(()));
    for left in [28 + 512 + 28, 28, 0] {
        assert!(session.next_event().is_some());
        assert_eq!(session.buffered(), left);
    }
    assert_eq!(session.next_event(), None);
}
