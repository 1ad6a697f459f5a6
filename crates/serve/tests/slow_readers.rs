//! Clients that ask and do not take the answers.

use crate::common::wire::{queue, ranged, tcp};
use crate::sockets::Served;
use nvme::Sqe;
use serve::server::Limits;
use std::io::{ErrorKind, Write};
use std::time::Duration;

/// More than what sockets and one client may hold, less than what is asked for.
const ROOM: usize = 256 << 20;

fn roomy() -> Served {
    Served::with("p4510", Limits { held: ROOM, ..Limits::default() })
}

/// A read by NBD.
fn read(cookie: u64, start: u64, len: u32) -> Vec<u8> {
    let head = [0x25, 0x60, 0x95, 0x13, 0, 0, 0, 0];
    let (start, len) = (start.to_be_bytes(), len.to_be_bytes());
    [&head, &cookie.to_be_bytes()[..], &start, &len].concat()
}

/// Sends the same again and again until the other side has taken nothing for a while. True if there
/// was less to send than that.
fn pour(stream: &mut impl Write, bytes: &[u8], most: usize) -> bool {
    let (mut sent, mut idle) = (0, 0);
    while sent < most && idle < 20 {
        match stream.write(&bytes[sent % bytes.len()..]) {
            Ok(more) => (sent, idle) = (sent + more, 0),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                idle += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
    }
    sent >= most
}

/// Somebody else is served in good time.
fn others_are_served(served: &Served) {
    let mut client = served.client();
    let began = std::time::Instant::now();
    for at in 0..100 {
        client.read(at << 20, 4096).expect("read");
    }
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn a_client_that_does_not_read_is_not_heard() {
    let served = roomy();
    for round in 0..4_u32 {
        // Few large answers, or many small ones.
        let len = [32 << 20, 1 << 20, 64 << 10, 4096][round as usize];
        let mut stream = served.stream();
        stream.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x06\0\0\0\0\0\0").expect("sent");
        stream.set_nonblocking(true).expect("a socket");
        let requests: Vec<u8> = (0..1000).flat_map(|at| read(at, at << 20, len)).collect();
        assert!(!pour(&mut stream, &requests, 64 << 20), "{len}: all of it was taken");
        others_are_served(&served);
    }
    served.settle();
    assert!(served.reasons().iter().all(|why| !why.contains("wait")), "{:?}", served.reasons());
}

#[test]
fn a_client_that_asks_only_what_is_answered_at_once_is_not_heard_either() {
    let served = roomy();
    for option in [3_u32, 99] {
        let mut stream = served.stream();
        stream.write_all(&[0, 0, 0, 3]).expect("sent");
        stream.set_nonblocking(true).expect("a socket");
        let options = [&b"IHAVEOPT"[..], &option.to_be_bytes(), &[0; 4]].concat().repeat(1000);
        assert!(!pour(&mut stream, &options, 64 << 20), "all of it was taken");
        others_are_served(&served);
    }
}

#[test]
fn a_host_that_does_not_read_is_not_heard() {
    let served = roomy();
    let (mut admin, controller) = queue(tcp(served.place), 0, None);
    let (mut data, _) = queue(tcp(served.place), 1, Some(controller));
    data.stream().set_nonblocking(true).expect("a socket");
    for at in 0..31 {
        data.send(ranged(2, at * 2048, 2048), &[], 1 << 20).expect("sent");
    }
    // A page of 1 MiB, of which most is zeroes.
    let log = Sqe::new(2, u32::MAX).with(10, 2 | 0xffff << 16).with(11, 3);
    admin.stream().set_nonblocking(true).expect("a socket");
    let asked = (0..100_000).take_while(|_| admin.send(log, &[], 1 << 20).is_ok()).count();
    assert!(asked < 100_000, "all of it was taken");
    others_are_served(&served);
    drop((data, admin));
    served.settle();
    assert!(served.reasons().iter().all(|why| !why.contains("wait")), "{:?}", served.reasons());
}

#[test]
fn who_holds_most_leaves_when_all_is_held() {
    let held = 48 << 20;
    let served = Served::with("p4510", Limits { held, ..Limits::default() });
    let mut modest = served.client();
    let mut greedy = Vec::new();
    for _ in 0..3 {
        let mut stream = served.stream();
        stream.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x06\0\0\0\0\0\0").expect("sent");
        stream.write_all(&read(1, 0, 32 << 20)).expect("sent");
        greedy.push(stream);
    }
    let reasons = served.wait_for_reasons(2);
    assert!(reasons[0].contains("bytes wait for it, the most of"), "{reasons:?}");
    modest.write(0, &[1; 4096], false).expect("written");
    assert_eq!(modest.read(0, 4096).expect("read"), [1; 4096]);
    drop((greedy, modest));
    served.settle();
}

#[test]
fn a_client_that_hangs_up_before_its_answers_come_is_gone() {
    let served = Served::new("p4510");
    for _ in 0..3 {
        let mut stream = served.stream();
        stream.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x06\0\0\0\0\0\0").expect("sent");
        let requests: Vec<u8> = (0..5000).flat_map(|at| read(at, at << 12, 4096)).collect();
        stream.write_all(&requests).expect("sent");
    }
    served.settle();
}
