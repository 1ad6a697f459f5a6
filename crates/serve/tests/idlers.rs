//! Clients that do not say what they want, say it byte by byte, or say what makes no sense.

use crate::common::wire::{self, queue, tcp};
use crate::sockets::{Served, until};
use nbd::{Op, Request};
use serve::control::Action;
use serve::server::{Limits, Notice};
use std::io::{Read as _, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

fn impatient() -> Served {
    let patience = Duration::from_millis(200);
    Served::with("p4510", Limits { patience, ..Limits::default() })
}

fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let len = u32::try_from(data.len()).expect("short");
    [b"IHAVEOPT", &number.to_be_bytes()[..], &len.to_be_bytes(), data].concat()
}

fn request(kind: u16, len: u32) -> Vec<u8> {
    let head = [0x25, 0x60, 0x95, 0x13, 0, 0];
    [&head, &kind.to_be_bytes()[..], &[0; 16], &len.to_be_bytes()].concat()
}

/// Flags, and the choice of the first export.
fn opening() -> Vec<u8> {
    [&[0, 0, 0, 3], &option(7, &[0; 6])[..]].concat()
}

#[test]
fn who_does_not_choose_a_device_is_dropped_and_who_has_may_idle() {
    let served = impatient();
    let mut client = served.client();
    let (mut admin, _) = queue(tcp(served.place), 0, None);
    let list = option(3, b"");
    let begun: [&[u8]; 5] =
        [b"", &[0, 0], &[0, 0, 0, 3], b"\0\0\0\x03IHAVE", &[&[0, 0, 0, 3], &list[..14]].concat()];
    let mut idlers: Vec<UnixStream> = begun.iter().map(|_| served.stream()).collect();
    for (idler, bytes) in idlers.iter_mut().zip(begun) {
        idler.write_all(bytes).expect("sent");
    }
    let mut hosts = [tcp(served.place), tcp(served.place)];
    hosts[1].write_all(&[0, 0, 128]).expect("sent");
    let mut half = UnixStream::connect(served.path("control")).expect("it listens");
    half.write_all(b"{\"action\"").expect("sent");
    let reasons = served.wait_for_reasons(8);
    let of = |why: &str| reasons.iter().filter(|reason| *reason == why).count();
    assert_eq!(of("it has not chosen a device for 0.2 s"), 7, "{reasons:?}");
    assert_eq!(of("it has ordered nothing for 0.2 s"), 1, "{reasons:?}");
    for idler in &mut idlers {
        assert!(idler.read_to_end(&mut Vec::new()).is_ok(), "it is hung up on");
    }
    client.read(0, 4096).expect("it has chosen");
    admin.keep_alive().expect("it has, too");
}

#[test]
fn last_answers_are_not_waited_for_without_end() {
    let served = impatient();
    let mut client = served.client();
    for cookie in 0..64 {
        let (op, start, len) = (Op::Read, cookie << 20, 1 << 20);
        let request = Request { cookie, op, start, len, fua: false, data: Vec::new() };
        client.send(&request).expect("sent");
    }
    let mut stays = served.stream();
    stays.write_all(&opening()).expect("sent");
    for _ in 0..8 {
        stays.write_all(&request(0, 4 << 20)).expect("sent");
    }
    stays.write_all(&request(2, 0)).expect("sent");
    let reasons = served.wait_for_reasons(1);
    assert_eq!(reasons, ["it has not taken its last answers for 0.2 s"]);
    for _ in 0..64 {
        assert!(client.receive().expect("slow, but here").1.is_ok());
    }
    drop((client, stays));
    served.settle();
}

#[test]
fn one_byte_at_a_time_is_served() {
    let served = Served::new("p4510");
    assert_eq!(wire::nbd_session(&served, 1), wire::nbd_session(&served, usize::MAX));
    let (_admin, controller) = queue(tcp(served.place), 0, None);
    wire::nvme_admin(&served, 1);
    wire::nvme_data(&served, controller, 1);
}

/// A header of NVMe over TCP with some bytes changed.
fn pdu(len: usize, changes: &[(usize, u8)]) -> Vec<u8> {
    let mut pdu = vec![0; len];
    changes.iter().for_each(|(at, byte)| pdu[*at] = *byte);
    pdu
}

#[test]
fn peers_that_make_no_sense_are_dropped_with_a_reason() {
    let served = Served::new("p4510");
    let nbd: [(Vec<u8>, &str); 6] = [
        (vec![0, 0, 1, 0], "unknown flags: 0x100"),
        (b"\0\0\0\x03GET / HTTP/1.1\r\n".to_vec(), "not its magic number"),
        ([b"\0\0\0\x03IHAVEOPT", &[0xff; 8][..]].concat(), "at most 65536 are taken"),
        ([&[0, 0, 0, 3], &option(1, b"no")[..]].concat(), "there is no export `no`"),
        ([&opening()[..], &[0; 28]].concat(), "a request begins with 0x00000000"),
        ([opening(), request(1, u32::MAX)].concat(), "at most 33554432 are taken"),
    ];
    for (place, (bytes, why)) in nbd.iter().enumerate() {
        let mut stream = served.stream();
        stream.write_all(bytes).expect("sent");
        let reasons = served.wait_for_reasons(place + 1);
        assert!(reasons[place].contains(why), "{reasons:?}");
        // What is not read resets the connection.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let open = pdu(128, &[(2, 128), (4, 128)]);
    let nvme: [(Vec<u8>, &str); 5] = [
        (pdu(8, &[(0, 77)]), "unknown kind 0x4d"),
        (pdu(128, &[(2, 128), (4, 128), (8, 9)]), "a parameter that is not supported"),
        (pdu(72, &[(0, 4), (2, 72), (4, 72)]), "no handshake came first"),
        ([open.clone(), open.clone()].concat(), "a second handshake"),
        (
            [open, pdu(24, &[(0, 2), (2, 24), (4, 24), (8, 4)])].concat(),
            "fatal error status 0x0004",
        ),
    ];
    for (place, (bytes, why)) in nvme.iter().enumerate() {
        let mut stream = tcp(served.place);
        stream.write_all(bytes).expect("sent");
        let reasons = served.wait_for_reasons(nbd.len() + place + 1);
        assert!(reasons[nbd.len() + place].contains(why), "{reasons:?}");
    }
    served.settle();
    let left = |notice: &&Notice| matches!(notice, Notice::Left(Some(_)));
    let notices = served.notices();
    assert_eq!(notices.iter().filter(left).count(), nbd.len() + nvme.len(), "{notices:?}");
}

#[test]
fn a_host_that_breaks_off_is_told_of_once() {
    let served = Served::new("p4510");
    let (mut admin, _) = queue(tcp(served.place), 0, None);
    admin.stream().write_all(&[77; 8]).expect("sent");
    until("it has left", || served.order(Action::Health).state.clients == 0);
    let all = served.notices();
    let left: Vec<&Notice> = all.iter().filter(|one| matches!(one, Notice::Left(_))).collect();
    assert!(matches!(left[..], [Notice::Left(Some(_))]), "{left:?}");
}
