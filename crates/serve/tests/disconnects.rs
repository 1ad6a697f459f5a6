//! Clients that go in the middle of something.

use crate::common::wire::{self, queue, ranged, tcp};
use crate::sockets::Served;
use nbd::{Op, Request};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serve::control::Action;
use std::io::{Read, Write};
use std::net::Shutdown;

/// How a client goes.
#[derive(Clone, Copy, Debug)]
enum End {
    /// It closes at once, with answers that it has not read.
    Close,
    /// It says that it sends no more, and waits for the end.
    Wait,
}

/// Sends the beginning of a conversation, and goes.
fn cut<S: Read + Write>(mut stream: S, bytes: &[u8], end: End, shutdown: impl Fn(&S)) {
    // A server that has enough may hang up before all is sent.
    let _ = stream.write_all(bytes);
    if matches!(end, End::Wait) {
        shutdown(&stream);
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

fn cut_nbd(served: &Served, bytes: &[u8], end: End) {
    cut(served.stream(), bytes, end, |stream| stream.shutdown(Shutdown::Write).expect("open"));
}

fn cut_nvme(served: &Served, bytes: &[u8], end: End) {
    // A host that was dropped has no connection to shut down.
    cut(tcp(served.place), bytes, end, |stream| drop(stream.shutdown(Shutdown::Write)));
}

#[test]
fn a_client_may_go_at_any_byte() {
    let served = Served::new("p4510");
    let session = wire::nbd_session(&served, usize::MAX);
    // Every byte of the handshake, of the first request, and of some of its data.
    for at in (0..200).chain([4096, 8192, session.len() - 28, session.len() - 1, session.len()]) {
        cut_nbd(&served, &session[..at], End::Close);
        cut_nbd(&served, &session[..at], End::Wait);
    }
    served.settle();
}

#[test]
fn a_host_may_go_at_any_byte() {
    let served = Served::new("p4510");
    let admin = wire::nvme_admin(&served, usize::MAX);
    for at in (0..128).step_by(7).chain((128..admin.len()).step_by(61)).chain([admin.len()]) {
        cut_nvme(&served, &admin[..at], End::Close);
        cut_nvme(&served, &admin[..at], End::Wait);
    }
    served.settle();
}

#[test]
fn cuts_anywhere_in_any_conversation_leave_nothing() {
    let served = Served::new("p4510");
    let (_admin, controller) = queue(tcp(served.place), 0, None);
    let conversations = [
        wire::nbd_session(&served, usize::MAX),
        wire::nvme_admin(&served, usize::MAX),
        wire::nvme_data(&served, controller, usize::MAX),
    ];
    let end = prop_oneof![Just(End::Close), Just(End::Wait)];
    let cuts = (0..conversations.len(), any::<prop::sample::Index>(), end);
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config)
        .run(&cuts, |(which, at, end)| {
            let bytes = &conversations[which];
            let bytes = &bytes[..at.index(bytes.len() + 1)];
            if which == 0 {
                cut_nbd(&served, bytes, end);
            } else {
                cut_nvme(&served, bytes, end);
            }
            Ok(())
        })
        .expect("nothing to fail");
    // The queue is free again: each of those that had it is gone.
    wire::nvme_data(&served, controller, usize::MAX);
    drop(_admin);
    served.settle();
}

#[test]
fn clients_go_with_requests_under_way() {
    let served = Served::new("p4510");
    for op in [Op::Read, Op::Write, Op::Trim, Op::Flush] {
        let mut client = served.client();
        for cookie in 0..500_u64 {
            let (start, len) = if op == Op::Flush { (0, 0) } else { (cookie << 16, 65536) };
            let data = if op == Op::Write { vec![3; 65536] } else { Vec::new() };
            client.send(&Request { cookie, op, start, len, fua: true, data }).expect("sent");
        }
    }
    served.settle();
}

#[test]
fn hosts_go_with_commands_under_way() {
    let served = Served::new("p4510");
    for _ in 0..8 {
        let (mut admin, controller) = queue(tcp(served.place), 0, None);
        admin.request_event().expect("sent");
        let (mut data, _) = queue(tcp(served.place), 1, Some(controller));
        for at in 0..16 {
            data.send(ranged(2, at * 256, 256), &[], 128 << 10).expect("sent");
        }
        // Between the target's question for the data and the data.
        data.send(ranged(1, 0, 256), &[1; 128 << 10], 0).expect("sent");
        // The administrator first, whose controller goes with him, or last.
        if controller % 2 == 0 { drop((admin, data)) } else { drop((data, admin)) }
    }
    served.settle();
}

#[test]
fn hosts_go_with_their_power() {
    let served = Served::new("p4510");
    for _ in 0..4 {
        let (mut admin, controller) = queue(tcp(served.place), 0, None);
        admin.request_event().expect("sent");
        let (mut data, _) = queue(tcp(served.place), 1, Some(controller));
        for at in 0..31 {
            data.send(ranged(2, at * 256, 256), &[], 128 << 10).expect("sent");
        }
        assert_eq!(
            served.order(Action::CutPower { after_writes: 0, within_writes: 0 }).error,
            None
        );
        assert!(served.order(Action::Restore).state.powered);
        while data.receive().is_ok() {}
    }
    served.settle();
}
