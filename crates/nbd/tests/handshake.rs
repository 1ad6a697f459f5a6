//! The handshake, byte by byte as the specification writes it.

use crate::common::{
    CLIENT_FLAGS, MIB, Said, answer, contexts, exports, feed, option, query, said,
};
use nbd::{Event, Export, Fault, Session};

const ERR_UNSUP: u32 = (1 << 31) + 1;
const ERR_INVALID: u32 = (1 << 31) + 3;
const ERR_UNKNOWN: u32 = (1 << 31) + 6;

/// HAS_FLAGS, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES, CAN_MULTI_CONN, SEND_CACHE.
const FAST: u16 = 0b101_0110_1101;
/// HAS_FLAGS, READ_ONLY, SEND_FLUSH, SEND_FUA, ROTATIONAL, SEND_CACHE.
const FIXED: u16 = 0b100_0001_1111;
const SEND_DF: u16 = 1 << 7;

/// What a session says to options, after the flags.
fn after_flags(options: &[Vec<u8>]) -> Said {
    said(&[CLIENT_FLAGS.to_vec(), options.concat()].concat())
}

/// NBD_INFO_EXPORT.
fn info_export(option: u32, flags: u16) -> Vec<u8> {
    let data = [&[0, 0][..], &(64_u64 << 20).to_be_bytes(), &flags.to_be_bytes()].concat();
    answer(option, 3, &data)
}

/// An error is its number and a sentence.
fn refused(said: &Said, number: u32, kind: u32) {
    let head = answer(number, kind, b"");
    assert_eq!(said.out[..16], head[..16], "{said:?}");
    assert!(said.out.len() > 20, "it says why");
    assert_eq!((&said.events[..], &said.fault), (&[][..], &None));
}

#[test]
fn the_server_greets() {
    let mut out = Vec::new();
    Session::new(exports()).greet(&mut out);
    assert_eq!(out, b"NBDMAGICIHAVEOPT\x00\x03");
}

#[test]
fn go_byte_by_byte() {
    let bytes = b"\0\0\0\x03IHAVEOPT\0\0\0\x07\0\0\0\x0a\0\0\0\x04fast\0\0";
    let said = said(bytes);
    let export = b"\0\x03\xe8\x89\x04\x55\x65\xa9\0\0\0\x07\0\0\0\x03\0\0\0\x0c\
        \0\0\0\0\0\0\x04\0\0\0\x05\x6d";
    let ack = b"\0\x03\xe8\x89\x04\x55\x65\xa9\0\0\0\x07\0\0\0\x01\0\0\0\0";
    assert_eq!(said.out, [&export[..], ack].concat());
    assert_eq!(said.events, [Event::Attached { export: 0 }]);
}

#[test]
fn the_oldest_way_has_124_zeroes_unless_the_client_does_not_want_them() {
    let tail = [&(64_u64 << 20).to_be_bytes()[..], &FIXED.to_be_bytes()].concat();
    for (flags, zeroes) in [([0, 0, 0, 1], 124), ([0, 0, 0, 3], 0), ([0, 0, 0, 0], 124)] {
        let said = said(&[&flags[..], &option(1, b"fixed")].concat());
        assert_eq!(said.out, [tail.clone(), vec![0; zeroes]].concat());
        assert_eq!(said.events, [Event::Attached { export: 1 }]);
    }
}

#[test]
fn the_oldest_way_ends_with_an_unknown_name() {
    let fault = after_flags(&[option(1, b"slow")]).fault.expect("there is no answer");
    assert_eq!(fault.to_string(), "there is no export `slow`");
}

#[test]
fn the_empty_name_is_the_first_export() {
    assert_eq!(after_flags(&[option(1, b"")]).events, [Event::Attached { export: 0 }]);
    let go = option(7, &query("", &[]));
    assert_eq!(after_flags(std::slice::from_ref(&go)).events, [Event::Attached { export: 0 }]);
    let mut nothing = Session::new([].into());
    refused(&feed(&mut nothing, &[&CLIENT_FLAGS[..], &go].concat()), 7, ERR_UNKNOWN);
}

#[test]
fn the_session_knows_its_export_once_it_is_chosen() {
    let mut session = Session::new(exports());
    assert_eq!(session.export(), None);
    feed(&mut session, &[&CLIENT_FLAGS[..], &option(7, &query("fixed", &[]))].concat());
    assert_eq!(session.export().map(|export| export.name.as_str()), Some("fixed"));
}

#[test]
fn info_tells_what_is_asked_for_and_the_handshake_goes_on() {
    // Name, block sizes, the name again, something unknown.
    let info = option(6, &query("fixed", &[1, 3, 1, 77]));
    let said = after_flags(&[info, option(7, &query("fixed", &[2]))]);
    let name = answer(6, 3, b"\0\x01fixed");
    let blocks = answer(6, 3, b"\0\x03\0\0\x02\0\0\0\x10\0\0\x10\0\0");
    let description = answer(7, 3, b"\0\x02the fixed drive");
    let expected = [
        info_export(6, FIXED),
        name,
        blocks,
        answer(6, 1, b""),
        info_export(7, FIXED),
        description,
        answer(7, 1, b""),
    ];
    assert_eq!(said.out, expected.concat());
    assert_eq!(said.events, [Event::Attached { export: 1 }]);
}

#[test]
fn no_more_than_a_session_takes_is_promised() {
    let most = 32 * MIB;
    for (maximum_block, told) in [(MIB, MIB), (most, most), (most + 512, most), (u32::MAX, most)] {
        let export = Export { maximum_block, ..exports()[0].clone() };
        let mut session = Session::new([export].into());
        let go = option(7, &query("", &[3]));
        let out = feed(&mut session, &[&CLIENT_FLAGS[..], &go].concat()).out;
        let at = out.len() - 20 - 4;
        assert_eq!(out[at..at + 4], told.to_be_bytes());
    }
}

#[test]
fn an_unknown_name_is_an_error_and_the_client_may_try_again() {
    for number in [6, 7] {
        refused(&after_flags(&[option(number, &query("slow", &[]))]), number, ERR_UNKNOWN);
    }
    let again = after_flags(&[option(7, &query("slow", &[])), option(7, &query("fast", &[]))]);
    assert_eq!(again.events, [Event::Attached { export: 0 }]);
}

#[test]
fn the_list_has_all_exports() {
    let expected = [
        answer(3, 2, b"\0\0\0\x04fastthe fast drive"),
        answer(3, 2, b"\0\0\0\x05fixedthe fixed drive"),
        answer(3, 1, b""),
    ];
    assert_eq!(after_flags(&[option(3, b"")]).out, expected.concat());
}

#[test]
fn abort_is_acknowledged_whatever_comes_with_it() {
    let said = after_flags(&[option(2, b"bye"), option(3, b"")]);
    assert_eq!(said.out, answer(2, 1, b""), "what follows is ignored");
    assert_eq!(said.events, [Event::Disconnected]);
}

#[test]
fn options_that_are_not_known_are_skipped_with_their_data() {
    // PEEK_EXPORT, STARTTLS, EXTENDED_HEADERS, and one that does not exist.
    for number in [4, 5, 11, 4711] {
        refused(&after_flags(&[option(number, b"")]), number, ERR_UNSUP);
        let then = [option(number, &[b'x'; 300]), option(7, &query("fast", &[]))];
        assert_eq!(after_flags(&then).events, [Event::Attached { export: 0 }]);
    }
}

#[test]
fn data_that_does_not_fit_its_option_is_invalid() {
    for (number, data) in [(3, &b"x"[..]), (6, b""), (7, b"\0\0\0\x09fast\0\0"), (8, b"x")] {
        refused(&after_flags(&[option(number, data)]), number, ERR_INVALID);
    }
    for number in [9, 10] {
        let said = after_flags(&[option(8, b""), option(number, b"\0\0\0\0\0\0\0\x01")]);
        let head = answer(number, ERR_INVALID, b"");
        assert_eq!(said.out[20..36], head[..16]);
    }
}

#[test]
fn reads_in_one_piece_come_with_structured_replies() {
    let said = after_flags(&[option(8, b""), option(7, &query("fast", &[]))]);
    let expected = [answer(8, 1, b""), info_export(7, FAST | SEND_DF), answer(7, 1, b"")];
    assert_eq!(said.out, expected.concat());
}

#[test]
fn contexts_need_structured_replies() {
    for number in [9, 10] {
        refused(&after_flags(&[option(number, &contexts("fast", &[]))]), number, ERR_INVALID);
    }
}

/// The answers to an option about contexts, after structured replies were agreed on.
fn context_answers(number: u32, name: &str, queries: &[&str]) -> Vec<u8> {
    after_flags(&[option(8, b""), option(number, &contexts(name, queries))]).out[20..].to_vec()
}

#[test]
fn the_only_context_is_listed() {
    let ack = answer(9, 1, b"");
    let found = [answer(9, 4, b"\0\0\0\0base:allocation"), ack.clone()].concat();
    for queries in [&[][..], &["base:"], &["base:allocation"], &["x-y:z", "base:", "base:"]] {
        assert_eq!(context_answers(9, "fast", queries), found, "{queries:?}");
    }
    assert_eq!(context_answers(9, "fast", &["qemu:dirty-bitmap:b", "base:other"]), ack);
    assert_eq!(context_answers(9, "slow", &[])[..16], answer(9, ERR_UNKNOWN, b"")[..16]);
}

#[test]
fn a_context_is_selected_by_its_whole_name() {
    let ack = answer(10, 1, b"");
    let found = [answer(10, 4, b"\0\0\0\x01base:allocation"), ack.clone()].concat();
    assert_eq!(context_answers(10, "fast", &["x-y:z", "base:allocation"]), found);
    for queries in [&[][..], &["base:"], &["base:other"]] {
        assert_eq!(context_answers(10, "fast", queries), ack, "{queries:?}");
    }
    assert_eq!(context_answers(10, "slow", &[])[..16], answer(10, ERR_UNKNOWN, b"")[..16]);
}

#[test]
fn flags_that_do_not_exist_end_the_session() {
    assert_eq!(said(&[0, 0, 0, 4]).fault, Some(Fault::ClientFlags(4)));
    assert_eq!(said(&[0x80, 0, 0, 3]).fault, Some(Fault::ClientFlags(0x8000_0003)));
}

#[test]
fn an_option_with_another_magic_number_ends_the_session() {
    let mut session = Session::new(exports());
    let first = feed(&mut session, b"\0\0\0\x03IHAVEOPS\0\0\0\x07\0\0\0\0").fault;
    assert_eq!(first, Some(Fault::OptionMagic(u64::from_be_bytes(*b"IHAVEOPS"))));
    assert_eq!(feed(&mut session, &option(3, b"")).fault, first, "and it stays so");
    assert_eq!(session.buffered(), 0);
}

#[test]
#[should_panic(expected = "export `odd`: the minimum block is not a power of two")]
fn an_export_that_the_protocol_forbids_is_a_mistake_of_the_server() {
    let odd = Export { name: "odd".into(), minimum_block: 500, ..exports()[0].clone() };
    Session::new([odd].into());
}

#[test]
fn mistakes_of_exports() {
    let good = exports()[0].clone();
    assert_eq!(good.mistake(), None);
    for bad in [
        Export { name: "x".repeat(4097), ..good.clone() },
        Export { description: "x".repeat(4097), ..good.clone() },
        Export { minimum_block: 0, ..good.clone() },
        Export { minimum_block: 1 << 17, preferred_block: 1 << 17, ..good.clone() },
        Export { preferred_block: 256, minimum_block: 1, ..good.clone() },
        Export { preferred_block: 512, minimum_block: 4096, ..good.clone() },
        Export { maximum_block: 511, ..good.clone() },
        Export { maximum_block: 1000, ..good.clone() },
    ] {
        assert!(bad.mistake().is_some(), "{bad:?}");
    }
    for fine in [
        Export { name: "x".repeat(4096), ..good.clone() },
        Export { maximum_block: u32::MAX, ..good.clone() },
        Export { minimum_block: 1 << 16, preferred_block: 1 << 16, ..good.clone() },
    ] {
        assert_eq!(fine.mistake(), None);
    }
}
