//! Exports, messages as clients send them, and sessions that have been brought somewhere.

use nbd::{Event, Export, Fault, Session};
use std::sync::Arc;

pub(crate) const MIB: u32 = 1 << 20;

/// The flags FIXED_NEWSTYLE and NO_ZEROES of a client.
pub(crate) const CLIENT_FLAGS: [u8; 4] = [0, 0, 0, 3];

pub(crate) fn export(name: &str) -> Export {
    Export {
        name: name.to_owned(),
        description: format!("the {name} drive"),
        bytes: 64 << 20,
        minimum_block: 512,
        preferred_block: 4096,
        maximum_block: MIB,
        read_only: false,
        rotational: false,
        multi_conn: true,
    }
}

/// A drive that can be written, and one that cannot.
pub(crate) fn exports() -> Arc<[Export]> {
    let fixed = Export { read_only: true, rotational: true, multi_conn: false, ..export("fixed") };
    [export("fast"), fixed].into()
}

/// Everything that a session has to say about some bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Said {
    pub out: Vec<u8>,
    pub events: Vec<Event>,
    pub fault: Option<Fault>,
}

pub(crate) fn feed(session: &mut Session, bytes: &[u8]) -> Said {
    let mut out = Vec::new();
    let fault = session.receive(bytes, &mut out).err();
    let events = std::iter::from_fn(|| session.next_event()).collect();
    Said { out, events, fault }
}

/// A fresh session that has been fed these bytes.
pub(crate) fn said(bytes: &[u8]) -> Said {
    feed(&mut Session::new(exports()), bytes)
}

pub(crate) fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let len = u32::try_from(data.len()).expect("short");
    [b"IHAVEOPT", &number.to_be_bytes()[..], &len.to_be_bytes(), data].concat()
}

/// The data of INFO and GO.
pub(crate) fn query(name: &str, wanted: &[u16]) -> Vec<u8> {
    let mut data = string(name);
    data.extend(u16::try_from(wanted.len()).expect("few").to_be_bytes());
    data.extend(wanted.iter().flat_map(|kind| kind.to_be_bytes()));
    data
}

/// The data of options about metadata contexts.
pub(crate) fn contexts(name: &str, queries: &[&str]) -> Vec<u8> {
    let mut data = string(name);
    data.extend(u32::try_from(queries.len()).expect("few").to_be_bytes());
    data.extend(queries.iter().flat_map(|query| string(query)));
    data
}

fn string(text: &str) -> Vec<u8> {
    let len = u32::try_from(text.len()).expect("short");
    [&len.to_be_bytes(), text.as_bytes()].concat()
}

pub(crate) fn answer(number: u32, kind: u32, data: &[u8]) -> Vec<u8> {
    let len = u32::try_from(data.len()).expect("short");
    let magic = [0, 3, 0xe8, 0x89, 4, 0x55, 0x65, 0xa9];
    [&magic, &number.to_be_bytes()[..], &kind.to_be_bytes(), &len.to_be_bytes(), data].concat()
}

pub(crate) fn request(kind: u16, flags: u16, cookie: u64, start: u64, len: u32) -> Vec<u8> {
    let mut bytes = vec![0x25, 0x60, 0x95, 0x13];
    bytes.extend(flags.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(cookie.to_be_bytes());
    bytes.extend(start.to_be_bytes());
    bytes.extend(len.to_be_bytes());
    bytes
}

/// What a client sends until transmission begins.
pub(crate) fn opening(name: &str, structured: bool) -> Vec<u8> {
    let mut bytes = CLIENT_FLAGS.to_vec();
    if structured {
        bytes.extend(option(8, b""));
        bytes.extend(option(10, &contexts(name, &["base:allocation"])));
    }
    bytes.extend(option(7, &query(name, &[])));
    bytes
}

/// A session in its transmission phase.
pub(crate) fn attached(name: &str, structured: bool) -> Session {
    let mut session = Session::new(exports());
    let events = feed(&mut session, &opening(name, structured)).events;
    assert!(matches!(events[..], [Event::Attached { .. }]), "{events:?}");
    session
}

/// A simple reply without data.
pub(crate) fn simple(cookie: u64, error: u32) -> Vec<u8> {
    [&[0x67, 0x44, 0x66, 0x98], &error.to_be_bytes()[..], &cookie.to_be_bytes()].concat()
}

/// A chunk that ends its reply.
pub(crate) fn chunk(cookie: u64, kind: u16, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).expect("short");
    let head = [0x66, 0x8e, 0x33, 0xef, 0, 1];
    [&head, &kind.to_be_bytes()[..], &cookie.to_be_bytes(), &len.to_be_bytes(), payload].concat()
}
