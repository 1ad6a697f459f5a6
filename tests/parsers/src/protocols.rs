//! What must hold for the bytes of both ends of NBD and of NVMe over TCP, and of frontends of
//! vhost-user, whatever they are.

mod drive;
pub mod vhost;

use drive::Drive;
use nbd::Op;
use nvme::initiator::{Connection, Options, Queue};
use nvme::{Io, IoOp, Sqe, Target};
use std::io::{self, Read, Write};
use std::sync::OnceLock;

/// What a client of a served drive sends: it means the same however it is cut, what is handed out
/// lies inside the export, and no more is held than has arrived.
pub fn nbd_session(bytes: &[u8]) {
    let whole = nbd_events(bytes, bytes.len().max(1));
    assert_eq!(nbd_events(bytes, 1), whole, "the same bytes one by one");
    for event in &whole.1 {
        if let nbd::Event::Request(request) = event {
            let end = request.start.checked_add(request.len.into());
            assert!(end.is_some_and(|end| end <= NBD_BYTES), "{request:?}");
        }
    }
}

const NBD_BYTES: u64 = 1 << 20;

fn nbd_export() -> nbd::Export {
    nbd::Export {
        name: "fuzz".to_owned(),
        description: String::new(),
        bytes: NBD_BYTES,
        minimum_block: 512,
        preferred_block: 4096,
        maximum_block: 1 << 16,
        read_only: false,
        rotational: false,
        multi_conn: false,
    }
}

/// The answers, the events and the fault of a session that is fed pieces of one length.
fn nbd_events(bytes: &[u8], len: usize) -> (Vec<u8>, Vec<nbd::Event>, Option<nbd::Fault>) {
    let mut session = nbd::Session::new([nbd_export()].into());
    let (mut out, mut events, mut fault) = (Vec::new(), Vec::new(), None);
    for piece in bytes.chunks(len) {
        fault = session.receive(piece, &mut out).err();
        assert!(session.buffered() <= bytes.len());
        events.extend(std::iter::from_fn(|| session.next_event()));
    }
    (out, events, fault)
}

/// What a host sends to a served drive over NVMe: it means the same however it is cut, and no more
/// is held than has arrived.
pub fn nvme_session(bytes: &[u8]) {
    let whole = nvme_events(bytes, bytes.len().max(1));
    assert_eq!(nvme_events(bytes, 1), whole, "the same bytes one by one");
}

/// The answers, the commands and the fault of a session that is fed pieces of one length. Every
/// command is answered at once.
fn nvme_events(
    bytes: &[u8],
    len: usize,
) -> (Vec<u8>, Vec<nvme::tcp::Event>, Option<nvme::tcp::Fault>) {
    let mut session = nvme::tcp::Session::new();
    session.set_entries(8);
    let (mut out, mut events, mut fault) = (Vec::new(), Vec::new(), None);
    for mut piece in bytes.chunks(len) {
        while fault.is_none() && !piece.is_empty() {
            fault = session.receive(&mut piece, &mut out).err();
            assert!(session.buffered() <= bytes.len());
            let Some(event) = session.next_event() else { break };
            let nvme::tcp::Event::Command { sqe, data } = &event;
            let (status, data) = (nvme::Status::SUCCESS, data.clone());
            let completion = nvme::Completion { status, result: 0, data };
            assert!(session.complete(&mut out, sqe.cid(), &completion), "it is under way");
            events.push(event);
        }
    }
    (out, events, fault)
}

/// What hosts call the subsystem, and themselves.
const NAME: &str = "nqn.2026-01.org.example:drive";
const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001";

fn connection(qid: u16, controller: Option<u16>) -> Connection<'static> {
    Connection { qid, entries: 32, controller, subsystem: NAME, host: HOST, keep_alive_ms: 0 }
}

/// A peer that has said all that it will say, and takes everything.
struct Spoken<'a>(&'a [u8]);

impl Read for Spoken<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.0.read(to)
    }
}

impl Write for Spoken<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a server of NBD sends to a client of ours: what is taken is as long as what was asked for.
pub fn nbd_client(bytes: &[u8]) {
    let _ = talk_nbd(Spoken(bytes));
    if let Ok(exports) = nbd::client::Client::list(Spoken(bytes)) {
        assert!(exports.len() <= bytes.len());
    }
}

/// A session with every kind of request.
///
/// # Errors
/// If the server breaks the protocol, refuses or is gone.
pub fn talk_nbd(stream: impl Read + Write) -> Result<(), nbd::client::ClientError> {
    let mut client = nbd::client::Client::connect(stream, "fuzz")?;
    client.write(4096, &[7; 512], true)?;
    assert_eq!(client.read(4096, 1024)?.len(), 1024);
    drop(client.status(0, 1 << 16)?);
    let ask = |cookie, op| {
        let (start, len) = if op == Op::Flush { (0, 0) } else { (cookie << 12, 2048) };
        nbd::Request { cookie, op, start, len, fua: false, data: Vec::new() }
    };
    for (cookie, op) in (0..).zip([Op::Read, Op::Flush, Op::Read, Op::Trim]) {
        client.send(&ask(cookie, op))?;
    }
    for _ in 0..4 {
        let (cookie, reply) = client.receive()?;
        assert!(cookie < 4);
        if let Ok(data) = reply {
            assert!(data.is_empty() || data.len() == 2048);
        }
    }
    client.disconnect()
}

/// What an NVMe target sends to an initiator of ours: no more is taken than there is room for.
pub fn nvme_initiator(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    if first & 1 == 0 {
        let _ = talk_admin(Spoken(bytes));
    } else {
        let _ = talk_data(Spoken(bytes));
    }
}

/// What an administrator does.
///
/// # Errors
/// If the target breaks the protocol, refuses or is gone.
pub fn talk_admin(stream: impl Read + Write) -> nvme::initiator::Result<()> {
    let mut admin = Queue::open(stream, Options::default())?;
    admin.connect(&connection(0, None))?;
    admin.enable()?;
    assert!(admin.identify(1, 0)?.len() <= 4096);
    admin.request_event()?;
    assert!(admin.log_page(2, 512)?.len() <= 512);
    admin.keep_alive()?;
    admin.self_test(1, 1)?;
    admin.call(Sqe::new(0x80, 1), &[], 0)?;
    admin.call(Sqe::new(0x84, u32::MAX).with(10, 2), &[], 0)?;
    admin.log_page(0x81, 512)?;
    Ok(())
}

/// What a queue for data does.
///
/// # Errors
/// As [`talk_admin`].
pub fn talk_data(stream: impl Read + Write) -> nvme::initiator::Result<()> {
    let mut data = Queue::open(stream, Options::default())?;
    data.connect(&connection(1, Some(1)))?;
    data.write(1, (8, 1), &[7; 512], true)?;
    assert!(data.read(1, 8, 4, 512)?.len() <= 2048);
    data.write(1, (8, 20), &[7; 10_240], false)?;
    data.write_zeroes(1, 0, 8, true)?;
    data.deallocate(1, &[(0, 8), (64, 8)])?;
    data.flush(1)?;
    data.disconnect()
}

/// What hosts send to a whole target: commands for data lie inside their namespace, and the same
/// bytes mean the same however they are cut. The first byte says whether the host has a controller
/// already, whose queue for data it is.
pub fn nvme_target(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let ready = first & 1 == 1;
    let whole = target_says(ready, bytes, bytes.len().max(1));
    assert_eq!(target_says(ready, bytes, 7), whole, "the same bytes in pieces");
}

/// Answers, commands for data and the fault, of bytes in pieces of one length.
fn target_says(
    ready: bool,
    bytes: &[u8],
    len: usize,
) -> (Vec<u8>, Vec<Io>, Option<nvme::tcp::Fault>) {
    let mut end = TargetEnd::new(ready);
    let mut fault = None;
    for piece in bytes.chunks(len) {
        fault = fault.or(end.take(piece));
        assert!(end.target.buffered(DATA) <= bytes.len() + 64);
    }
    end.target.advance(u64::MAX / 2);
    end.collect();
    end.target.close(DATA);
    end.target.close(ADMIN);
    assert!(end.target.output(DATA).is_none() && end.target.next_io().is_none());
    (end.out, end.ios, fault)
}

const ADMIN: u64 = 0;
const DATA: u64 = 1;

/// A target, and the connection of a host to it.
struct TargetEnd {
    target: Target<Drive>,
    out: Vec<u8>,
    ios: Vec<Io>,
}

impl TargetEnd {
    fn new(ready: bool) -> Self {
        let place = std::net::SocketAddr::from(([192, 0, 2, 7], 4420));
        let target = Target::new(Drive::new(), NAME, place);
        let mut end = TargetEnd { target, out: Vec::new(), ios: Vec::new() };
        end.target.open(ADMIN, None);
        if ready {
            // Made once, from what an administrator of ours says until the controller is ready.
            static SAID: OnceLock<Vec<u8>> = OnceLock::new();
            let said = SAID.get_or_init(|| {
                let mut tape = Tape::new(TargetEnd::new(false), None);
                let queue = Queue::open(&mut tape, Options::default());
                let ready = queue.and_then(|mut queue| {
                    queue.connect(&connection(0, None))?;
                    queue.enable()
                });
                assert!(ready.is_ok(), "{ready:?}");
                tape.sent
            });
            let _ = end.target.receive(ADMIN, &mut &said[..], 0);
        }
        end.target.open(DATA, None);
        end
    }

    fn take(&mut self, bytes: &[u8]) -> Option<nvme::tcp::Fault> {
        let (mut rest, mut fault) = (bytes, None);
        while !rest.is_empty() {
            fault = fault.or(self.target.receive(DATA, &mut rest, 7).err());
            self.collect();
        }
        fault
    }

    /// Carries out commands for data, and takes what is to be sent.
    fn collect(&mut self) {
        while let Some(io) = self.target.next_io() {
            let bytes = self.target.subsystem().back().bytes_of(io.nsid);
            let inside = |start: u64, len: u64| start.checked_add(len).is_some_and(|e| e <= bytes);
            assert!(inside(io.start, io.len), "{io:?}");
            let data = match &io.op {
                IoOp::Read => vec![0; usize::try_from(io.len).unwrap_or(0)],
                IoOp::Deallocate(ranges) => {
                    assert!(ranges.iter().all(|range| inside(range.start, range.len)), "{io:?}");
                    Vec::new()
                }
                _ => Vec::new(),
            };
            self.target.complete(io.ticket, Ok(data));
            self.ios.push(io);
        }
        if let Some(out) = self.target.output(DATA) {
            self.out.append(out);
        }
    }
}

/// One end of a conversation that is kept: what was sent there, and what it answered.
pub struct Tape<E> {
    end: E,
    unread: std::collections::VecDeque<u8>,
    /// What was sent to it.
    pub sent: Vec<u8>,
    /// What it answered.
    pub said: Vec<u8>,
}

/// Something that takes bytes and answers with bytes.
pub trait Answers {
    /// Takes bytes; what is answered.
    fn answer(&mut self, bytes: &[u8]) -> Vec<u8>;
}

impl<E: Answers> Tape<E> {
    fn new(end: E, greeting: Option<Vec<u8>>) -> Self {
        let said = greeting.unwrap_or_default();
        Tape { end, unread: said.iter().copied().collect(), sent: Vec::new(), said }
    }
}

impl<E> Read for Tape<E> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.unread.read(to)
    }
}

impl<E: Answers> Write for Tape<E> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let answer = self.end.answer(from);
        self.sent.extend_from_slice(from);
        self.said.extend_from_slice(&answer);
        self.unread.extend(answer);
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Answers for TargetEnd {
    fn answer(&mut self, bytes: &[u8]) -> Vec<u8> {
        assert_eq!(self.take(bytes), None, "a host of ours keeps to the rules");
        self.target.advance(1 << 40);
        self.collect();
        std::mem::take(&mut self.out)
    }
}

impl Answers for nbd::Session {
    fn answer(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        assert_eq!(self.receive(bytes, &mut out), Ok(()), "a client of ours keeps to the rules");
        while let Some(event) = self.next_event() {
            let nbd::Event::Request(request) = event else { continue };
            let read = request.op == Op::Read;
            let data = vec![0; if read { usize::try_from(request.len).unwrap_or(0) } else { 0 }];
            self.reply_ok(&mut out, &request, &data);
        }
        out
    }
}

/// Valid conversations of these ends: what seeds are made of. The folder of the seed, its name,
/// and its bytes.
pub fn recorded() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let (mut session, mut greeting) = (nbd::Session::new([nbd_export()].into()), Vec::new());
    session.greet(&mut greeting);
    let mut nbd = Tape::new(session, Some(greeting));
    let talked = talk_nbd(&mut nbd);
    assert!(talked.is_ok(), "{talked:?}");
    let mut admin = Tape::new(TargetEnd::new(false), None);
    let talked = talk_admin(&mut admin);
    assert!(talked.is_ok(), "{talked:?}");
    let mut data = Tape::new(TargetEnd::new(true), None);
    let talked = talk_data(&mut data);
    assert!(talked.is_ok(), "{talked:?}");
    let led = |first: u8, bytes: Vec<u8>| [&[first], &bytes[..]].concat();
    vec![
        ("nbd", "session.bin", nbd.sent),
        ("nbd_client", "session.bin", nbd.said),
        ("nvme", "admin.bin", admin.sent.clone()),
        ("nvme", "data.bin", data.sent.clone()),
        ("nvme_target", "admin.bin", led(0, admin.sent)),
        ("nvme_target", "data.bin", led(1, data.sent)),
        ("nvme_initiator", "admin.bin", led(0, admin.said)),
        ("nvme_initiator", "data.bin", led(1, data.said)),
        ("vhost", "session.bin", vhost::script()),
    ]
}
