//! Bytes mean the same however they are cut, and no bytes do harm.

use crate::common::{CLIENT_FLAGS, Said, contexts, exports, opening, option, query, request};
use nbd::Session;
use proptest::prelude::*;

/// Feeds pieces of these lengths, in turn.
fn in_pieces(bytes: &[u8], lens: &[usize]) -> Said {
    let mut session = Session::new(exports());
    let mut all = Said { out: Vec::new(), events: Vec::new(), fault: None };
    let (mut rest, mut lens) = (bytes, lens.iter().cycle());
    while !rest.is_empty() {
        let len = (*lens.next().expect("a cycle")).min(rest.len());
        let (piece, more) = rest.split_at(len);
        rest = more;
        all.fault = session.receive(piece, &mut all.out).err();
        all.events.extend(std::iter::from_fn(|| session.next_event()));
    }
    all
}

fn any_option() -> impl Strategy<Value = Vec<u8>> {
    let name = prop::sample::select(vec!["", "fast", "fixed", "slow"]);
    let wanted = proptest::collection::vec(0..5_u16, 0..5);
    let context = prop::sample::select(vec!["base:", "base:allocation", "x-y:z", "no"]);
    prop_oneof![
        (0..12_u32, proptest::collection::vec(any::<u8>(), 0..20)).prop_map(|(n, d)| option(n, &d)),
        (prop::sample::select(vec![3, 8]), Just(())).prop_map(|(n, ())| option(n, b"")),
        (6..8_u32, name.clone(), wanted).prop_map(|(n, name, w)| option(n, &query(name, &w))),
        (9..11_u32, name, proptest::collection::vec(context, 0..3))
            .prop_map(|(n, name, c)| option(n, &contexts(name, &c))),
    ]
}

fn any_request() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![20 => 0..2_u16, 20 => 3..9_u16, 1 => Just(2_u16)];
    let flags = prop_oneof![3 => Just(0), 1 => 0..32_u16];
    let blocks = prop_oneof![0..4_u64, 131_070..131_074_u64];
    (kind, flags, any::<u64>(), blocks, 0..4_u32, 0..8_u32).prop_map(
        |(kind, flags, cookie, block, blocks, odd)| {
            let len = blocks * 512 + odd / 7;
            let data = vec![0x25; if kind == 1 { usize::try_from(len).unwrap_or(0) } else { 0 }];
            [request(kind, flags, cookie, block * 512, len), data].concat()
        },
    )
}

/// What a client might send, from its flags on.
fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let options = proptest::collection::vec(any_option(), 0..5).prop_map(|o| o.concat());
    let open = prop_oneof![
        (options, any::<bool>()).prop_map(|(options, structured)| {
            [&CLIENT_FLAGS[..], &options, &opening("fast", structured)[4..]].concat()
        }),
        any::<bool>().prop_map(|structured| opening("fast", structured)),
    ];
    let requests = proptest::collection::vec(any_request(), 0..8).prop_map(|r| r.concat());
    (open, requests).prop_map(|(open, requests)| [open, requests].concat())
}

/// A conversation with some bytes changed.
fn broken_conversation() -> impl Strategy<Value = Vec<u8>> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (conversation(), changes).prop_map(|(mut bytes, changes)| {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() }
}

/// What a session may hold: one option or one request, besides what the last call brought.
const BOUND: usize = (1 << 20) + 28;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_byte_at_a_time_says_the_same(bytes in broken_conversation()) {
        prop_assert_eq!(in_pieces(&bytes, &[1]), in_pieces(&bytes, &[usize::MAX]));
    }

    #[test]
    fn any_cut_says_the_same(
        bytes in conversation(),
        lens in proptest::collection::vec(1..2000_usize, 1..8),
    ) {
        prop_assert_eq!(in_pieces(&bytes, &lens), in_pieces(&bytes, &[usize::MAX]));
    }

    #[test]
    fn no_bytes_do_harm(
        open in prop::option::of(any::<bool>()),
        pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..400), 0..20),
    ) {
        let mut session = Session::new(exports());
        let mut out = Vec::new();
        if let Some(structured) = open {
            prop_assert_eq!(session.receive(&opening("fast", structured), &mut out), Ok(()));
        }
        for piece in pieces {
            let fault = session.receive(&piece, &mut out).err();
            prop_assert!(session.buffered() <= BOUND + piece.len());
            prop_assert!(fault.is_none_or(|fault| !fault.to_string().is_empty()));
            while session.next_event().is_some() {}
            prop_assert!(session.buffered() <= BOUND);
        }
    }

    #[test]
    fn what_is_held_is_what_has_arrived_of_one_message(
        bytes in broken_conversation(),
        len in 1..3000_usize,
    ) {
        let mut session = Session::new(exports());
        let mut out = Vec::new();
        for piece in bytes.chunks(len) {
            let _ = session.receive(piece, &mut out);
            prop_assert!(session.buffered() <= BOUND + piece.len());
            while session.next_event().is_some() {}
            prop_assert!(session.buffered() <= bytes.len());
        }
    }
}
