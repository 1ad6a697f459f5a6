//! The socket of a frontend: whole messages and parts of them.

use crate::common::disk;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use virtio::{Heard, Link};

fn link() -> (Link, UnixStream) {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    ours.set_nonblocking(true).expect("a socket");
    (Link::new(ours, disk(512)).expect("a link"), theirs)
}

/// A message: what is asked, and the bytes behind it.
fn message(code: u32, body: &[u8]) -> Vec<u8> {
    let len = u32::try_from(body.len()).expect("it is short");
    [&code.to_ne_bytes()[..], &1_u32.to_ne_bytes(), &len.to_ne_bytes(), body].concat()
}

const GET_FEATURES: u32 = 1;

#[test]
fn a_message_is_answered_when_it_is_whole() {
    let (mut link, mut frontend) = link();
    assert_eq!(link.hear().expect("nothing"), Heard::Nothing);
    let ask = message(GET_FEATURES, &[]);
    frontend.write_all(&ask[..7]).expect("sent");
    assert_eq!(link.hear().expect("a part"), Heard::Nothing);
    frontend.write_all(&ask[7..]).expect("sent");
    assert_eq!(link.hear().expect("whole"), Heard::Message);
    let mut answer = [0; 20];
    frontend.read_exact(&mut answer).expect("an answer");
    let features = u64::from_ne_bytes(answer[12..].try_into().expect("8 bytes"));
    for bit in [6, 9, 11, 12, 13, 14, 28, 29, 30, 32] {
        assert!(features & (1 << bit) != 0, "feature {bit}");
    }
    drop(frontend);
    assert_eq!(link.hear().expect("the end"), Heard::End);
}

#[test]
fn the_rest_of_a_message_is_not_waited_for_for_long() {
    let (mut link, mut frontend) = link();
    frontend.write_all(&message(GET_FEATURES, &[])[..11]).expect("sent");
    assert_eq!(link.hear().expect("a part"), Heard::Nothing);
    std::thread::sleep(std::time::Duration::from_millis(120));
    assert!(link.hear().expect_err("enough").to_string().contains("does not come"));
}

#[test]
fn what_is_no_message_is_refused() {
    for (code, body) in [(0, &[][..]), (99, &[]), (GET_FEATURES, &[0; 8]), (8, &[0; 7])] {
        let (mut link, mut frontend) = link();
        frontend.write_all(&message(code, body)).expect("sent");
        link.hear().expect_err("no message");
    }
    let (mut link, mut frontend) = link();
    let long = [1, 1, 5000_u32].map(u32::to_ne_bytes).concat();
    frontend.write_all(&long).expect("sent");
    assert!(link.hear().expect_err("too long").to_string().contains("too long"));
}

#[test]
fn a_frontend_that_takes_no_answers_is_not_waited_for() {
    let (mut link, mut frontend) = link();
    let ask = message(GET_FEATURES, &[]);
    let fault = (0..100_000).find_map(|_| {
        frontend.write_all(&ask).expect("sent");
        link.hear().err()
    });
    assert!(fault.expect("an end").to_string().contains("not taken"));
}
