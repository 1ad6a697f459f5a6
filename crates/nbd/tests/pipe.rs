//! The client against the session, over a pair of sockets.

use crate::common::{MIB, exports};
use nbd::client::{Client, ClientError};
use nbd::{Errno, Event, Extent, Fault, Op, Request, Session};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

const BLOCK: usize = 512;

/// A drive in memory, of which only what was written is there.
struct Disk {
    data: Vec<u8>,
    written: Vec<bool>,
}

impl Disk {
    fn new(bytes: u64) -> Disk {
        let bytes = usize::try_from(bytes).expect("it fits");
        Disk { data: vec![0; bytes], written: vec![false; bytes / BLOCK] }
    }

    fn answer(&mut self, session: &mut Session, request: &Request, out: &mut Vec<u8>) {
        let start = usize::try_from(request.start).expect("it fits");
        let end = start + usize::try_from(request.len).expect("it fits");
        let blocks = start / BLOCK..end / BLOCK;
        match request.op {
            // The second MiB cannot be read.
            Op::Read if request.start == u64::from(MIB) => {
                return session.reply_error(out, request, Errno::Io);
            }
            Op::Read => return session.reply_ok(out, request, &self.data[start..end]),
            Op::BlockStatus { .. } => {
                let extents = self.written[blocks].iter().map(|written| Extent {
                    len: u32::try_from(BLOCK).expect("it fits"),
                    hole: !written,
                    zero: !written,
                });
                return session.reply_status(out, request, &extents.collect::<Vec<_>>());
            }
            Op::Write => {
                self.data[start..end].copy_from_slice(&request.data);
                self.written[blocks].fill(true);
            }
            Op::Trim | Op::WriteZeroes { .. } => {
                self.data[start..end].fill(0);
                self.written[blocks].fill(false);
            }
            Op::Flush | Op::Cache => {}
        }
        session.reply_ok(out, request, &[]);
    }
}

/// Serves until the client goes. True if it said so before.
fn serve(mut stream: UnixStream) -> Result<bool, Fault> {
    let mut session = Session::new(exports());
    let mut disk = Disk::new(exports()[0].bytes);
    let mut out = Vec::new();
    session.greet(&mut out);
    let mut bytes = vec![0; 4096];
    loop {
        stream.write_all(&out).expect("the client reads");
        out.clear();
        let got = stream.read(&mut bytes).expect("the client writes");
        if got == 0 {
            return Ok(false);
        }
        session.receive(&bytes[..got], &mut out)?;
        while let Some(event) = session.next_event() {
            match event {
                Event::Attached { .. } => {}
                Event::Request(request) => disk.answer(&mut session, &request, &mut out),
                Event::Disconnected => {
                    // A client that has said so need not read on.
                    let _ = stream.write_all(&out);
                    return Ok(true);
                }
            }
        }
    }
}

type Server = JoinHandle<Result<bool, Fault>>;

fn server() -> (UnixStream, Server) {
    let (near, far) = UnixStream::pair().expect("a pair of sockets");
    (near, std::thread::spawn(move || serve(far)))
}

fn client(name: &str) -> (Client<UnixStream>, Server) {
    let (stream, server) = server();
    (Client::connect(stream, name).expect("connected"), server)
}

fn end(client: Client<UnixStream>, server: Server) {
    client.disconnect().expect("sent");
    assert_eq!(server.join().expect("no panic"), Ok(true));
}

#[test]
fn the_client_learns_what_the_server_offers() {
    let (client, server) = client("fast");
    assert_eq!(client.bytes(), 64 << 20);
    let blocks = (client.minimum_block(), client.preferred_block(), client.maximum_block());
    assert_eq!(blocks, (512, 4096, MIB));
    assert!(!client.read_only());
    assert_eq!(client.flags(), 0b101_1110_1101);
    end(client, server);
}

#[test]
fn exports_are_listed() {
    let (stream, server) = server();
    let list = Client::list(stream).expect("listed");
    let expected = [("fast", "the fast drive"), ("fixed", "the fixed drive")];
    assert_eq!(list, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    assert_eq!(server.join().expect("no panic"), Ok(true));
}

#[test]
fn an_unknown_name_is_refused() {
    let (stream, server) = server();
    let error = Client::connect(stream, "slow").expect_err("it does not exist");
    assert!(matches!(error, ClientError::Option { option: 7, code: 6, .. }), "{error}");
    assert!(error.to_string().contains("there is no export of this name"), "{error}");
    assert_eq!(server.join().expect("no panic"), Ok(false));
}

#[test]
fn what_is_written_is_read() {
    let (mut client, server) = client("");
    let data: Vec<u8> = (0..=255).cycle().take(8192).collect();
    client.write(4096, &data, true).expect("written");
    client.flush().expect("flushed");
    let read = client.read(3584, 9216).expect("read");
    assert_eq!(read, [vec![0; 512], data, vec![0; 512]].concat());
    client.write_zeroes(4096, 4096).expect("zeroed");
    client.trim(8192, 4096).expect("trimmed");
    assert_eq!(client.read(4096, 8192).expect("read"), vec![0; 8192]);
    end(client, server);
}

#[test]
fn the_largest_block_goes_through() {
    let (mut client, server) = client("fast");
    let data = vec![3; 1 << 20];
    client.write(0, &data, false).expect("written");
    assert_eq!(client.read(0, MIB).expect("read"), data);
    end(client, server);
}

#[test]
fn status_tells_what_was_written() {
    let (mut client, server) = client("fast");
    client.write(1024, &[1; 1024], false).expect("written");
    let hole = |len| Extent { len, hole: true, zero: true };
    let data = Extent { len: 1024, hole: false, zero: false };
    assert_eq!(client.status(0, 4096).expect("told"), [hole(1024), data, hole(2048)]);
    end(client, server);
}

#[test]
fn errors_reach_the_client_and_the_session_goes_on() {
    let (mut client, server) = client("fast");
    let code = |error: ClientError| match error {
        ClientError::Request(code) => code,
        other => panic!("{other}"),
    };
    assert_eq!(client.read(u64::from(MIB), 512).map_err(code), Err(5));
    assert_eq!(client.read(1, 512).map_err(code), Err(22));
    assert_eq!(client.write(64 << 20, &[0; 512], false).map_err(code), Err(28));
    assert_eq!(client.read(0, 512).map_err(code), Ok(vec![0; 512]));
    end(client, server);
}

#[test]
fn a_read_only_export_refuses_writes() {
    let (mut client, server) = client("fixed");
    assert!(client.read_only());
    let error = client.write(0, &[0; 512], false).expect_err("it is read-only");
    assert!(matches!(error, ClientError::Request(1)), "{error}");
    end(client, server);
}

fn plain(cookie: u64, op: Op, start: u64, len: u32) -> Request {
    Request { cookie, op, start, len, fua: false, data: Vec::new() }
}

#[test]
fn several_requests_are_under_way() {
    let (mut client, server) = client("fast");
    for cookie in 0..10 {
        client.send(&plain(cookie, Op::Read, cookie * 512, 512)).expect("sent");
    }
    let again = client.send(&plain(3, Op::Flush, 0, 0));
    assert!(matches!(again, Err(ClientError::CookieInUse(3))));
    client.flush().expect("waits for its own answer");
    let mut cookies = Vec::new();
    for _ in 0..10 {
        let (cookie, reply) = client.receive().expect("an answer");
        assert_eq!(reply, Ok(vec![0; 512]));
        cookies.push(cookie);
    }
    assert_eq!(cookies, Vec::from_iter(0..10));
    end(client, server);
}
