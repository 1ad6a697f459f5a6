//! PDUs that make no sense end the connection, and the host is told why.

use crate::common::number;
use nvme::tcp::{Event, Fault, Session};

/// A request for a connection with these digests.
pub fn open(digests: u8) -> Vec<u8> {
    let mut pdu = vec![0; 128];
    (pdu[2], pdu[4], pdu[11]) = (128, 128, digests);
    pdu
}

/// A command of an opcode with data in its capsule.
pub fn command(opcode: u8, cid: u16, data: &[u8]) -> Vec<u8> {
    let mut pdu = [0; 72];
    (pdu[0], pdu[2], pdu[3]) = (4, 72, if data.is_empty() { 0 } else { 72 });
    let len = 72 + data.len() as u32;
    pdu[4..8].copy_from_slice(&len.to_le_bytes());
    (pdu[8], pdu[9]) = (opcode, 1 << 6);
    pdu[10..12].copy_from_slice(&cid.to_le_bytes());
    pdu[40..44].copy_from_slice(&(data.len() as u32).to_le_bytes());
    pdu[47] = u8::from(!data.is_empty());
    [&pdu[..], data].concat()
}

/// A write that asks to be asked for its data.
pub fn long_write(cid: u16, len: u32) -> Vec<u8> {
    let mut pdu = command(1, cid, &[]);
    pdu[40..44].copy_from_slice(&len.to_le_bytes());
    pdu[47] = 0x5a;
    pdu
}

/// Data of a command.
pub fn data(cid: u16, tag: u16, offset: u32, bytes: &[u8], last: bool) -> Vec<u8> {
    let mut pdu = [0; 24];
    (pdu[0], pdu[1], pdu[2], pdu[3]) = (6, u8::from(last) << 2, 24, 24);
    pdu[4..8].copy_from_slice(&(24 + bytes.len() as u32).to_le_bytes());
    pdu[8..10].copy_from_slice(&cid.to_le_bytes());
    pdu[10..12].copy_from_slice(&tag.to_le_bytes());
    pdu[12..16].copy_from_slice(&offset.to_le_bytes());
    pdu[16..20].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    [&pdu[..], bytes].concat()
}

/// Feeds bytes to a session.
fn receive(session: &mut Session, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    session.receive(&mut bytes, out)
}

/// Feeds bytes after a handshake; the fault, and the fatal error status that the host is told.
fn fault_of(bytes: &[u8]) -> (Fault, u16) {
    let (mut session, mut out) = (Session::new(), Vec::new());
    receive(&mut session, &open(0), &mut out).expect("a handshake");
    session.set_entries(8);
    out.clear();
    let fault = receive(&mut session, bytes, &mut out).expect_err("a fault");
    assert_eq!(receive(&mut session, &[0], &mut Vec::new()), Err(fault), "it stays");
    assert_eq!(session.buffered(), 0);
    assert!(!fault.to_string().is_empty());
    let start = out.len() - number(&out[last_pdu(&out)..], 4, 4) as usize;
    assert_eq!(out[start], 3, "the target terminates");
    (fault, number(&out[start..], 8, 2) as u16)
}

/// Where the last PDU begins.
fn last_pdu(out: &[u8]) -> usize {
    let (mut at, mut last) = (0, 0);
    while at < out.len() {
        last = at;
        at += number(&out[at..], 4, 4) as usize;
    }
    last
}

fn changed(mut pdu: Vec<u8>, at: usize, byte: u8) -> Vec<u8> {
    pdu[at] = byte;
    pdu
}

#[test]
fn headers_are_checked() {
    let flush = command(0, 1, &[]);
    let write = command(1, 1, &[0; 512]);
    let cases = [
        (changed(flush.clone(), 0, 8), 1),
        (changed(flush.clone(), 0, 5), 1),
        (changed(flush.clone(), 1, 1), 1),
        (changed(flush.clone(), 2, 64), 1),
        (changed(flush.clone(), 4, 71), 1),
        (changed(flush.clone(), 7, 1), 1),
        (changed(write.clone(), 1, 2), 1),
        (changed(write.clone(), 3, 68), 1),
        (changed(write.clone(), 3, 74), 1),
        (command(1, 1, &[0; 8200]), 5),
        (open(0), 2),
    ];
    for (bytes, due) in cases {
        let (fault, status) = fault_of(&bytes);
        assert_eq!(status, due, "{fault}");
    }
}

#[test]
fn handshakes_are_checked() {
    let cases = [
        (changed(open(0), 8, 1), Fault::Parameter(8)),
        (
            changed(open(0), 10, 32),
            Fault::Header { offset: 10, why: "the alignment is beyond 128 bytes" },
        ),
        (
            changed(open(0), 4, 132),
            Fault::Header { offset: 4, why: "the length of the PDU is not one of its kind" },
        ),
        (command(0, 1, &[]), Fault::Sequence("no handshake came first")),
        (data(1, 1, 0, &[0; 4], true), Fault::Sequence("no handshake came first")),
    ];
    for (bytes, due) in cases {
        let mut session = Session::new();
        assert_eq!(receive(&mut session, &bytes, &mut Vec::new()), Err(due));
    }
}

#[test]
fn data_is_checked() {
    let ask = long_write(7, 16384);
    let cases = [
        (data(7, 1, 0, &[0; 512], true), 1),
        (data(8, 1, 0, &[0; 512], false), 1),
        (data(7, 2, 0, &[0; 512], false), 1),
        (data(7, 1, 512, &[0; 512], false), 4),
        (data(7, 1, 0, &[0; 16388], true), 4),
        (data(7, 1, 0, &[0; 16384], false), 1),
        (data(7, 1, 0, &[], false), 1),
        (changed(data(7, 1, 0, &[0; 512], false), 16, 1), 1),
        (data(7, 1, 0, &vec![0; (128 << 10) + 4], false), 5),
    ];
    for (bytes, due) in cases {
        let (fault, status) = fault_of(&[&ask[..], &bytes].concat());
        assert_eq!(status, due, "{fault}");
    }
}

#[test]
fn a_host_that_terminates_is_told_nothing() {
    let mut pdu = vec![0; 24];
    (pdu[0], pdu[2], pdu[4], pdu[8]) = (2, 24, 24, 4);
    let (mut session, mut out) = (Session::new(), Vec::new());
    assert_eq!(receive(&mut session, &pdu, &mut out), Err(Fault::Terminated(4)));
    assert!(out.is_empty());
}

#[test]
fn a_wrong_header_digest_is_a_fault_and_wrong_data_ends_its_command() {
    let with_digests = |mut pdu: Vec<u8>, wrong_header: bool, wrong_data: bool| {
        let payload = pdu.split_off(72);
        (pdu[1], pdu[3]) = (3, 76);
        pdu[4..8].copy_from_slice(&(80 + payload.len() as u32).to_le_bytes());
        let header = crc32c::crc32c(&pdu) ^ u32::from(wrong_header);
        let data = crc32c::crc32c(&payload) ^ u32::from(wrong_data);
        [&pdu[..], &header.to_le_bytes(), &payload, &data.to_le_bytes()].concat()
    };
    let try_with = |wrong_header, wrong_data| {
        let (mut session, mut out) = (Session::new(), Vec::new());
        receive(&mut session, &open(3), &mut out).expect("a handshake");
        out.clear();
        let pdu = with_digests(command(1, 5, &[9; 512]), wrong_header, wrong_data);
        let result = receive(&mut session, &pdu, &mut out);
        (result, session.next_event(), out)
    };
    let (result, event, out) = try_with(false, false);
    assert_eq!((result, out.len()), (Ok(()), 0));
    let Some(Event::Command { data, .. }) = event else { panic!("a command") };
    assert_eq!(data, [9; 512]);
    let (result, event, _) = try_with(true, false);
    assert!(matches!(result, Err(Fault::HeaderDigest { .. })) && event.is_none());
    let (result, event, out) = try_with(false, true);
    assert!(result.is_ok() && event.is_none());
    assert_eq!(number(&out, 8 + 14, 2) >> 1, 0x22, "Transient Transport Error");
}

#[test]
fn the_same_name_twice_is_a_conflict() {
    let (mut session, mut out) = (Session::new(), Vec::new());
    receive(&mut session, &open(0), &mut out).expect("a handshake");
    session.set_entries(8);
    out.clear();
    let twice = [command(0, 5, &[]), command(0, 5, &[])].concat();
    let mut rest = &twice[..];
    session.receive(&mut rest, &mut out).expect("the first");
    assert_eq!(rest.len(), 72, "the first command comes first");
    assert!(session.next_event().is_some());
    session.receive(&mut rest, &mut out).expect("no fault");
    assert_eq!(number(&out, 8 + 14, 2) >> 1 & 0x7ff, 3);
    assert!(session.next_event().is_none());
}

#[test]
fn descriptors_are_checked() {
    let write = command(1, 1, &[0; 512]);
    let cases = [
        (changed(write.clone(), 47, 0x40), 0x011),
        (changed(write.clone(), 32, 4), 0x016),
        (changed(write.clone(), 40, 1), 0x00f),
        (changed(write.clone(), 9, 0), 0x002),
        (changed(write.clone(), 9, 1 << 6 | 1), 0x002),
        (changed(write.clone(), 47, 0x5a), 0x00f),
        (changed(write, 8, 2), 0x011),
        (long_write(1, (1 << 20) + 1), 0x002),
    ];
    for (bytes, due) in cases {
        let (mut session, mut out) = (Session::new(), Vec::new());
        receive(&mut session, &open(0), &mut out).expect("a handshake");
        out.clear();
        receive(&mut session, &bytes, &mut out).expect("no fault");
        assert!(session.next_event().is_none());
        assert_eq!(number(&out, 8 + 14, 2) >> 1 & 0x7ff, due);
    }
}
