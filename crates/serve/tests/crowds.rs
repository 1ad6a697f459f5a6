//! Many clients at once.

use crate::sockets::{Served, until};
use serve::control::Action;
use serve::server::{Limits, Notice, raise_descriptors};
use std::io::Read as _;

const CLIENTS: usize = 1000;

#[test]
fn a_thousand_clients_are_served_and_one_more_is_refused() {
    // Both ends of every connection are in this process.
    let limits = Limits { clients: CLIENTS, ..Limits::default() };
    let (have, _) = raise_descriptors(&Limits { clients: 2 * CLIENTS, ..limits });
    assert!(have >= 2 * CLIENTS as u64 + 64, "{have} descriptors are too few for this test");
    let served = Served::with("p4510", limits);
    let mut clients: Vec<_> = (0..CLIENTS).map(|_| served.client()).collect();
    let block = |number: usize, round: usize| vec![(number * 7 + round) as u8 | 1; 4096];
    for round in 0..2 {
        for (number, client) in clients.iter_mut().enumerate() {
            client.write(number as u64 * 4096, &block(number, round), false).expect("written");
        }
        for (number, client) in clients.iter_mut().enumerate() {
            let read = client.read(number as u64 * 4096, 4096).expect("read");
            assert!(read == block(number, round), "what client {number} wrote");
        }
    }
    assert_eq!(served.order(Action::Health).state.clients, CLIENTS);
    let mut refused = served.stream();
    assert_eq!(refused.read(&mut [0; 1]).ok(), Some(0), "it is hung up on");
    let notice = Notice::Refused("1000 clients are there, and no more are taken".to_owned());
    until("it is said", || served.notices().contains(&notice));
    clients.truncate(CLIENTS - 1);
    until("one is gone", || served.order(Action::Health).state.clients == CLIENTS - 1);
    clients.push(served.client());
    drop(clients);
    served.settle();
    assert!(served.reasons().is_empty(), "{:?}", served.reasons());
}

#[test]
fn the_owner_is_let_in_when_clients_are_not() {
    let served = Served::with("p4510", Limits { clients: 1, ..Limits::default() });
    let client = served.client();
    for _ in 0..20 {
        assert_eq!(served.stream().read(&mut [0; 1]).ok(), Some(0));
    }
    assert_eq!(served.order(Action::Health).state.clients, 1);
    let refused = served.notices().into_iter().filter(|one| matches!(one, Notice::Refused(_)));
    assert_eq!(refused.count(), 1, "not each of many is told");
    drop(client);
    served.settle();
}
