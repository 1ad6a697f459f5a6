//! The client against a server of which every byte is written here.

use crate::common::{answer, chunk, simple};
use nbd::client::{Client, ClientError};
use nbd::{Extent, Op, Request};
use proptest::prelude::*;
use std::io::{self, Cursor, Read, Write};

const GREETING: &[u8] = b"NBDMAGICIHAVEOPT\x00\x03";

/// A server that says what it says, whatever it is told.
struct Script {
    says: Cursor<Vec<u8>>,
    heard: Vec<u8>,
}

impl Read for Script {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.says.read(bytes)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heard.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn script(says: &[u8]) -> Script {
    Script { says: Cursor::new(says.to_vec()), heard: Vec::new() }
}

/// The size of 1 MiB in answer to GO.
fn size() -> Vec<u8> {
    answer(7, 3, b"\0\0\0\0\0\0\0\x10\0\0\x05\x6d")
}

/// What a server says that has structured replies, until transmission begins.
fn modern() -> Vec<u8> {
    let acks = [answer(8, 1, b""), answer(10, 1, b""), size(), answer(7, 1, b"")];
    [GREETING.to_vec(), acks.concat()].concat()
}

/// What a server says that knows GO and nothing newer.
fn plain() -> Vec<u8> {
    let unsupported = answer(8, (1 << 31) + 1, b"");
    [GREETING.to_vec(), unsupported, size(), answer(7, 1, b"")].concat()
}

fn connected(opening: Vec<u8>, replies: &[u8]) -> Client<Script> {
    Client::connect(script(&[&opening, replies].concat()), "a").expect("connected")
}

/// A read of 8 bytes at 16, and what becomes of it.
fn read(opening: Vec<u8>, replies: &[u8]) -> Result<Vec<u8>, String> {
    connected(opening, replies).read(16, 8).map_err(|error| error.to_string())
}

/// The cookie of the client's first own request.
const FIRST: u64 = 1 << 63;

/// A chunk after which more follow.
fn more(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = chunk(FIRST, kind, payload);
    bytes[5] = 0;
    bytes
}

fn data(offset: u64, data: &[u8]) -> Vec<u8> {
    [&offset.to_be_bytes()[..], data].concat()
}

#[test]
fn a_server_without_structured_replies_will_do() {
    let client = connected(plain(), b"");
    let blocks = (client.minimum_block(), client.preferred_block(), client.maximum_block());
    assert_eq!((client.bytes(), blocks), (1 << 20, (1, 4096, 32 << 20)));
    let reply = [simple(FIRST, 0), b"abcdefgh".to_vec()].concat();
    assert_eq!(read(plain(), &reply), Ok(b"abcdefgh".to_vec()));
    assert_eq!(read(plain(), &simple(FIRST, 5)), Err("the request failed with error 5".into()));
}

#[test]
fn a_read_is_put_together_from_chunks_in_any_order() {
    let hole = [&18_u64.to_be_bytes()[..], &4_u32.to_be_bytes()].concat();
    let replies = [
        more(1, &data(22, b"gh")),
        more(2, &hole),
        more(1, &data(16, b"ab")),
        chunk(FIRST, 0, b""),
    ];
    assert_eq!(read(modern(), &replies.concat()), Ok(b"ab\0\0\0\0gh".to_vec()));
}

#[test]
fn one_error_among_the_chunks_is_an_error() {
    let error = [&5_u32.to_be_bytes()[..], b"\0\x02no", &16_u64.to_be_bytes()].concat();
    let replies = [more(1, &data(16, b"abcdefgh")), more(0x8002, &error), chunk(FIRST, 0, b"")];
    assert_eq!(read(modern(), &replies.concat()), Err("the request failed with error 5".into()));
}

#[test]
fn answers_that_break_the_rules_end_the_connection() {
    for (replies, why) in [
        (chunk(FIRST, 0, b""), "an answer ends too early"),
        (chunk(FIRST, 1, &data(16, b"abcdefg")), "an answer ends too early"),
        (chunk(FIRST, 1, &data(16, b"abcdefghi")), "does not fit"),
        (chunk(FIRST, 1, &data(15, b"abcdefgh")), "does not fit"),
        (chunk(FIRST, 1, &data(u64::MAX, b"abcdefgh")), "does not fit"),
        (chunk(FIRST, 1, &data(16, b"")), "does not fit"),
        (chunk(FIRST, 2, &[0; 11]), "does not fit"),
        (chunk(FIRST, 3, b""), "does not fit"),
        (chunk(FIRST, 5, &[0; 12]), "does not fit"),
        (chunk(FIRST, 0x8001, b"\0\0\0\0\0\0"), "does not fit"),
        (chunk(FIRST, 0x8001, b"\0\0\0\x05\0\x01"), "does not fit"),
        (chunk(FIRST, 0x8001, &vec![1; (1 << 20) + 1]), "too long"),
        (chunk(1, 0, b""), "nobody asked"),
        ([simple(FIRST, 0), vec![0; 8]].concat(), "a read has a simple reply"),
        (vec![0; 16], "a reply begins with a wrong number"),
        (vec![], "the connection failed"),
    ] {
        let error = read(modern(), &replies).expect_err(why);
        assert!(error.contains(why), "{error}, not {why}");
    }
    let twice = [more(1, &data(16, b"abcdefgh")), chunk(FIRST, 1, &data(16, b"a"))].concat();
    assert!(read(modern(), &twice).expect_err("too much").contains("does not fit"));
}

#[test]
fn flags_of_extents_that_are_not_known_are_ignored() {
    let payload = b"\0\0\0\x07\0\0\0\x04\xff\0\0\x02\0\0\0\x04\0\0\0\x01";
    let extents = connected(modern(), &chunk(FIRST, 5, payload)).status(16, 8).expect("told");
    let first = Extent { len: 4, hole: false, zero: true };
    assert_eq!(extents, [first, Extent { len: 4, hole: true, zero: false }]);
}

#[test]
fn a_server_that_hangs_up_after_its_list_will_do() {
    let says = [GREETING, &answer(3, 2, b"\0\0\0\x01atext"), &answer(3, 1, b"")].concat();
    let list = Client::list(script(&says)).expect("listed");
    assert_eq!(list, [("a".to_owned(), "text".to_owned())]);
}

#[test]
fn a_handshake_that_breaks_the_rules_is_no_connection() {
    for (says, why) in [
        (b"NBDMAGIC\0\0\x42\x02\x81\x86\x12\x53\0\x03".to_vec(), "it does not greet"),
        (b"NBDMAGICIHAVEOPT\0\0".to_vec(), "fixed newstyle"),
        ([GREETING, &answer(9, 1, b"")].concat(), "it answers another option"),
        ([GREETING, &answer(8, 1, &vec![0; (64 << 10) + 1])].concat(), "too long"),
        ([GREETING, &[0; 20]].concat(), "it answers another option"),
        ([&modern()[..58], &answer(7, 1, b"")].concat(), "it does not tell the size"),
        ([&modern()[..58], &answer(7, 3, b"\0\0\0"), &answer(7, 1, b"")].concat(), "too short"),
    ] {
        let error = Client::connect(script(&says), "a").map(drop).expect_err(why).to_string();
        assert!(error.contains(why), "{error}, not {why}");
    }
}

#[test]
#[should_panic(expected = "the data of Write")]
fn a_write_brings_as_much_data_as_it_says() {
    let (op, data) = (Op::Write, vec![0; 511]);
    let request = Request { cookie: 1, op, start: 0, len: 512, fua: false, data };
    let _ = connected(modern(), b"").send(&request);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_server_makes_a_client_panic(
        before in 0..200_usize,
        garbage in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut says = modern();
        says.truncate(before);
        says.extend(garbage);
        let ended = Client::connect(script(&says), "a").and_then(|mut client| client.read(16, 8));
        prop_assert!(ended.is_ok() || !matches!(ended, Err(ClientError::CookieInUse(_))));
    }
}

/// A server that says the same again and again.
struct Endless {
    says: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // The greeting comes once.
        let start = if self.at < self.says.len() { 0 } else { GREETING.len() };
        let turn = (self.at - start) % (self.says.len() - start) + start;
        let some = bytes.len().min(self.says.len() - turn);
        bytes[..some].copy_from_slice(&self.says[turn..turn + some]);
        self.at += some;
        Ok(some)
    }
}

impl Write for Endless {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn answers_to_an_option_end() {
    let listed = answer(3, 2, b"\0\0\0\x01xmany");
    let says = [GREETING, &listed].concat();
    let error = Client::<Endless>::list(Endless { says, at: 0 }).expect_err("endless");
    assert!(error.to_string().contains("do not end"), "{error}");
}
