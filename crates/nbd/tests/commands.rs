//! Every command, its answer, and every refusal.

use crate::common::{attached, chunk, export, exports, feed, request, simple};
use nbd::{Errno, Event, Extent, Fault, Op, Request, Session};

const FUA: u16 = 1;
const NO_HOLE: u16 = 2;
const DF: u16 = 4;
const REQ_ONE: u16 = 8;
const FAST_ZERO: u16 = 16;

const READ: u16 = 0;
const WRITE: u16 = 1;
const DISC: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const CACHE: u16 = 5;
const WRITE_ZEROES: u16 = 6;
const BLOCK_STATUS: u16 = 7;

const EPERM: u32 = 1;
const EINVAL: u32 = 22;
const ENOSPC: u32 = 28;
const EOVERFLOW: u32 = 75;
const ENOTSUP: u32 = 95;

const END: u64 = 64 << 20;

/// The only request that these bytes are.
fn parsed(session: &mut Session, bytes: &[u8]) -> Request {
    let said = feed(session, bytes);
    assert_eq!((&said.out[..], &said.fault), (&[][..], &None));
    match <[Event; 1]>::try_from(said.events) {
        Ok([Event::Request(request)]) => request,
        other => panic!("{other:?}"),
    }
}

/// The error with which a request is answered, which must be all that happens.
fn refused(name: &str, bytes: &[u8]) -> u32 {
    let said = feed(&mut attached(name, false), bytes);
    assert_eq!((&said.events[..], &said.fault), (&[][..], &None), "{said:?}");
    let error = u32::from_be_bytes(said.out[4..8].try_into().expect("four bytes"));
    assert_eq!(said.out, simple(9, error));
    let structured = feed(&mut attached(name, true), bytes).out;
    let why = &structured[26..];
    let len = u16::try_from(why.len()).expect("short");
    let payload = [&error.to_be_bytes()[..], &len.to_be_bytes(), why].concat();
    assert_eq!(structured, chunk(9, 0x8001, &payload), "the same error with a message");
    assert!(!why.is_empty());
    error
}

#[test]
fn every_command_arrives_as_it_was_sent() {
    let write = |len: u32| vec![7; usize::try_from(len).expect("short")];
    for (kind, flags, op) in [
        (READ, 0, Op::Read),
        (READ, DF, Op::Read),
        (WRITE, 0, Op::Write),
        (WRITE, FUA, Op::Write),
        (TRIM, 0, Op::Trim),
        (CACHE, 0, Op::Cache),
        (WRITE_ZEROES, 0, Op::WriteZeroes { may_hole: true }),
        (WRITE_ZEROES, NO_HOLE | FUA, Op::WriteZeroes { may_hole: false }),
        (BLOCK_STATUS, 0, Op::BlockStatus { one: false }),
        (BLOCK_STATUS, REQ_ONE, Op::BlockStatus { one: true }),
        (READ, FUA, Op::Read),
    ] {
        let data = if kind == WRITE { write(1024) } else { Vec::new() };
        let bytes = [request(kind, flags, 9, 4096, 1024), data.clone()].concat();
        let (cookie, start, len, fua) = (9, 4096, 1024, flags & FUA != 0);
        let expected = Request { cookie, op, start, len, fua, data };
        assert_eq!(parsed(&mut attached("fast", true), &bytes), expected);
    }
    let flush = parsed(&mut attached("fast", false), &request(FLUSH, 0, 9, 0, 0));
    assert_eq!((flush.op, flush.start, flush.len), (Op::Flush, 0, 0));
}

#[test]
fn a_client_that_is_done_says_so() {
    let mut session = attached("fast", false);
    let said = feed(&mut session, &request(DISC, 0, 0, 0, 0));
    assert_eq!((said.out, said.events), (vec![], vec![Event::Disconnected]));
    let after = feed(&mut session, &request(READ, 0, 1, 0, 512));
    assert_eq!((after.events, after.fault), (vec![], None), "what follows is ignored");
}

#[test]
fn simple_replies() {
    let mut session = attached("fast", false);
    let read = parsed(&mut session, &request(READ, 0, 9, 512, 512));
    let mut out = Vec::new();
    session.reply_ok(&mut out, &read, &[5; 512]);
    assert_eq!(out, [simple(9, 0), vec![5; 512]].concat());
    out.clear();
    session.reply_error(&mut out, &read, Errno::Io);
    assert_eq!(out, simple(9, 5));
    out.clear();
    let flush = parsed(&mut session, &request(FLUSH, 0, 8, 0, 0));
    session.reply_ok(&mut out, &flush, &[]);
    assert_eq!(out, b"\x67\x44\x66\x98\0\0\0\0\0\0\0\0\0\0\0\x08");
}

#[test]
fn structured_replies() {
    let mut session = attached("fast", true);
    let read = parsed(&mut session, &request(READ, DF, 9, 512, 512));
    let mut out = Vec::new();
    session.reply_ok(&mut out, &read, &[5; 512]);
    let payload = [&512_u64.to_be_bytes()[..], &[5; 512]].concat();
    assert_eq!(out, chunk(9, 1, &payload));
    out.clear();
    session.reply_error(&mut out, &read, Errno::Io);
    assert_eq!(out, chunk(9, 0x8001, b"\0\0\0\x05\0\x11the medium failed"));
    out.clear();
    let flush = parsed(&mut session, &request(FLUSH, 0, 8, 0, 0));
    session.reply_ok(&mut out, &flush, &[]);
    assert_eq!(out, simple(8, 0), "without data a simple reply will do");
}

#[test]
fn status_replies() {
    let mut session = attached("fast", true);
    let asked = parsed(&mut session, &request(BLOCK_STATUS, 0, 9, 0, 2048));
    let extents = [
        Extent { len: 512, hole: false, zero: true },
        Extent { len: 1024, hole: true, zero: true },
        Extent { len: 4096, hole: true, zero: false },
    ];
    let mut out = Vec::new();
    session.reply_status(&mut out, &asked, &extents);
    let payload = b"\0\0\0\x01\0\0\x02\0\0\0\0\x02\0\0\x04\0\0\0\0\x03\0\0\x02\0\0\0\0\x01";
    assert_eq!(out, chunk(9, 5, payload));
    out.clear();
    session.reply_ok(&mut out, &asked, &[]);
    assert_eq!(out, chunk(9, 5, b"\0\0\0\x01\0\0\x08\0\0\0\0\0"), "plain data");
    let one = parsed(&mut session, &request(BLOCK_STATUS, REQ_ONE, 8, 0, 2048));
    out.clear();
    session.reply_status(&mut out, &one, &extents);
    assert_eq!(out, chunk(8, 5, b"\0\0\0\x01\0\0\x02\0\0\0\0\x02"));
}

#[test]
#[should_panic(expected = "the data of an answer to Read")]
fn a_read_is_answered_with_all_its_data() {
    let mut session = attached("fast", true);
    let read = parsed(&mut session, &request(READ, 0, 9, 0, 512));
    session.reply_ok(&mut Vec::new(), &read, &[5; 511]);
}

#[test]
fn the_errors_have_the_numbers_of_the_specification() {
    let all = [
        (Errno::NotPermitted, 1),
        (Errno::Io, 5),
        (Errno::Invalid, 22),
        (Errno::NoSpace, 28),
        (Errno::Overflow, 75),
        (Errno::NotSupported, 95),
        (Errno::Shutdown, 108),
    ];
    for (errno, code) in all {
        assert_eq!(errno.code(), code);
        assert!(!errno.to_string().is_empty());
    }
}

#[test]
fn unknown_commands_are_invalid() {
    for kind in [8, 9, 0xffff] {
        assert_eq!(refused("fast", &request(kind, 0, 9, 0, 512)), EINVAL);
    }
}

#[test]
fn flags_must_fit_the_command() {
    for (kind, wrong) in [
        (READ, [NO_HOLE, REQ_ONE, FAST_ZERO]),
        (FLUSH, [NO_HOLE, DF, REQ_ONE]),
        (TRIM, [NO_HOLE, DF, FAST_ZERO]),
        (CACHE, [NO_HOLE, DF, REQ_ONE]),
        (WRITE_ZEROES, [DF, REQ_ONE, 1 << 5]),
        (BLOCK_STATUS, [NO_HOLE, DF, 1 << 15]),
    ] {
        let len = if kind == FLUSH { 0 } else { 512 };
        for flag in wrong {
            assert_eq!(refused("fast", &request(kind, flag, 9, 0, len)), EINVAL, "{kind} {flag}");
        }
    }
    let write = [request(WRITE, NO_HOLE, 9, 0, 512), vec![0; 512]].concat();
    assert_eq!(refused("fast", &write), EINVAL);
}

#[test]
fn reads_in_one_piece_need_structured_replies() {
    let out = feed(&mut attached("fast", false), &request(READ, DF, 9, 0, 512)).out;
    assert_eq!(out, simple(9, EINVAL));
}

#[test]
fn fast_zeroes_are_not_supported() {
    assert_eq!(refused("fast", &request(WRITE_ZEROES, FAST_ZERO, 9, 0, 512)), ENOTSUP);
    assert_eq!(refused("fast", &request(WRITE_ZEROES, FAST_ZERO | FUA, 9, 0, 512)), ENOTSUP);
}

#[test]
fn a_read_only_export_is_not_changed() {
    let write = [request(WRITE, 0, 9, 0, 512), vec![0; 512]].concat();
    assert_eq!(refused("fixed", &write), EPERM);
    assert_eq!(refused("fixed", &request(TRIM, 0, 9, 0, 512)), EPERM);
    assert_eq!(refused("fixed", &request(WRITE_ZEROES, 0, 9, 0, 512)), EPERM);
    for kind in [READ, CACHE, BLOCK_STATUS] {
        parsed(&mut attached("fixed", true), &request(kind, 0, 9, 0, 512));
    }
    parsed(&mut attached("fixed", true), &request(FLUSH, 0, 9, 0, 0));
}

#[test]
fn ranges_keep_to_the_minimum_block() {
    for kind in [READ, TRIM, CACHE, WRITE_ZEROES, BLOCK_STATUS] {
        for (start, len) in [(511, 512), (513, 512), (0, 511), (0, 513), (0, 1), (0, 0)] {
            let bytes = request(kind, 0, 9, start, len);
            assert_eq!(refused("fast", &bytes), EINVAL, "{kind}: {len} at {start}");
        }
    }
    for (start, len) in [(511, 512), (0, 511), (0, 513), (0, 0)] {
        let data = vec![0; usize::try_from(len).expect("short")];
        let bytes = [request(WRITE, 0, 9, start, len), data].concat();
        assert_eq!(refused("fast", &bytes), EINVAL);
    }
    assert_eq!(refused("fast", &request(FLUSH, 0, 9, 512, 0)), EINVAL);
    assert_eq!(refused("fast", &request(FLUSH, 0, 9, 0, 512)), EINVAL);
}

#[test]
fn ranges_end_at_the_end_of_the_export() {
    let block = 512;
    for kind in [READ, TRIM, CACHE, WRITE_ZEROES, BLOCK_STATUS] {
        let error = if kind == WRITE_ZEROES { ENOSPC } else { EINVAL };
        for last in [END - 2 * 512, END - 512] {
            parsed(&mut attached("fast", true), &request(kind, 0, 9, last, block));
        }
        for beyond in [END - 512, END, END + 512, u64::MAX - 511] {
            let len = if beyond < END { 2 * block } else { block };
            assert_eq!(refused("fast", &request(kind, 0, 9, beyond, len)), error, "{kind}");
        }
    }
    let write = |start| [request(WRITE, 0, 9, start, block), vec![0; 512]].concat();
    parsed(&mut attached("fast", true), &write(END - 512));
    assert_eq!(refused("fast", &write(END)), ENOSPC);
    assert_eq!(refused("fast", &write(u64::MAX - 511)), ENOSPC);
}

#[test]
fn a_refused_write_takes_its_data_with_it() {
    let mut session = attached("fast", false);
    let head = request(WRITE, 0, 9, END, 512);
    assert_eq!(feed(&mut session, &head).out, b"", "no answer before the data is over");
    assert_eq!(feed(&mut session, &[0x25; 511]).out, b"");
    assert_eq!(session.buffered(), 0, "and it is not kept");
    assert_eq!(feed(&mut session, &[0x25]).out, simple(9, ENOSPC));
    parsed(&mut session, &request(READ, 0, 10, 0, 512));
}

#[test]
fn status_needs_a_context_of_the_same_export() {
    use crate::common::{CLIENT_FLAGS, contexts, option, query};
    let status = request(BLOCK_STATUS, 0, 9, 0, 512);
    assert_eq!(feed(&mut attached("fast", false), &status).out, simple(9, EINVAL));
    let select = |name: &str, queries: &[&str]| option(10, &contexts(name, queries));
    let all = ["base:allocation"];
    let cases = [
        (vec![select("", &all)], true),
        (vec![select("fast", &all)], true),
        (vec![select("fixed", &all)], false),
        (vec![select("fast", &all), select("fixed", &all)], false),
        (vec![select("fast", &all), select("fast", &[])], false),
        (vec![select("fast", &all), select("slow", &all)], false),
        (vec![select("fixed", &all), select("fast", &all)], true),
    ];
    for (selected, taken) in cases {
        let go = option(7, &query("fast", &[]));
        let opening = [CLIENT_FLAGS.to_vec(), option(8, b""), selected.concat(), go].concat();
        let mut session = Session::new(exports());
        feed(&mut session, &opening);
        assert_eq!(feed(&mut session, &status).events.len(), usize::from(taken), "{selected:?}");
    }
}

#[test]
fn a_read_in_one_piece_that_is_too_long_overflows() {
    let export = export("fast");
    let len = export.maximum_block + 512;
    let out = feed(&mut attached("fast", true), &request(READ, DF, 9, 0, len)).out;
    assert_eq!(out[20..24], EOVERFLOW.to_be_bytes());
}

#[test]
fn a_request_with_another_magic_number_ends_the_session() {
    let said = feed(&mut attached("fast", false), &[0x25; 28]);
    assert_eq!(said.fault, Some(Fault::RequestMagic(0x2525_2525)));
}
