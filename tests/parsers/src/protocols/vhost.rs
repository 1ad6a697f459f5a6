//! What a frontend of vhost-user sends, and what its guest has in memory.
//!
//! The bytes are a script, since descriptors of files go with some messages.

use rustix::fs::MemfdFlags;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::fs::File;
use std::io::{IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use virtio::driver::{Descriptor, IN, NEXT, OUT, WRITE};
use virtio::{Disk, ENTRIES, Fault, Heard, Link, Op, QUEUES};

const BYTES: u64 = 1 << 20;
/// The memory of the guest, and where the frontend has it.
const MEMORY: u64 = 64 << 10;
const FRONTEND: u64 = 1 << 32;
/// Requests that are carried out without a look at what else the frontend says.
const MOST: usize = 4096;

/// One step of a script: a byte that says which, a byte for its length, and so many bytes. Bits 6
/// and 7 of the first one send the guest's memory, or an event, with what is sent.
enum Step<'a> {
    /// A message of this number, 1 to 60, with its body.
    Message(u8, &'a [u8]),
    /// 61: bytes as they are.
    Raw(&'a [u8]),
    /// 62: bytes in the memory of the guest; the first two are where.
    Poke(u64, &'a [u8]),
    /// 63 and 0: kicks are taken, and what the guest asks for is done.
    Work,
}

/// The steps of a script, and what goes with them.
fn steps(mut bytes: &[u8]) -> impl Iterator<Item = (Step<'_>, u8)> {
    std::iter::from_fn(move || {
        let (&[kind, len], rest) = bytes.split_first_chunk()?;
        let (body, rest) = rest.split_at(usize::from(len).min(rest.len()));
        bytes = rest;
        let step = match (kind & 63, body) {
            (61, _) => Step::Raw(body),
            (62, [low, high, data @ ..]) => {
                Step::Poke(u16::from_le_bytes([*low, *high]).into(), data)
            }
            (code @ 1..=60, _) => Step::Message(code, body),
            _ => Step::Work,
        };
        Some((step, kind >> 6))
    })
}

/// A frontend and its guest do what they like: everything that the drive is asked for lies inside
/// of it, and no more is under way than there are entries.
pub fn frontend(bytes: &[u8]) {
    if let Err(fault) = play(bytes) {
        assert!(!fault.to_string().is_empty(), "a fault without a reason");
    }
}

/// Plays a script to its end or to a fault; the number of requests that were carried out.
fn play(bytes: &[u8]) -> Result<usize, Fault> {
    let mut world = World::new();
    let mut done = 0;
    for (step, files) in steps(bytes) {
        match step {
            Step::Message(code, body) => world.send(&message(code, body), files)?,
            Step::Raw(raw) => world.send(raw, files)?,
            Step::Poke(at, data) => {
                world.memory.write_all_at(data, at).expect("memory of ours");
            }
            Step::Work => done += world.work()?,
        }
    }
    Ok(done)
}

/// A message with its header.
fn message(code: u8, body: &[u8]) -> Vec<u8> {
    let header = [u32::from(code), 1, u32::try_from(body.len()).expect("a byte's length")];
    [&header.map(u32::to_ne_bytes).concat(), body].concat()
}

struct World {
    link: Link,
    frontend: UnixStream,
    memory: File,
    event: File,
    /// The other end of the event: nothing comes from there, and it does not close.
    _quiet: UnixStream,
}

fn memory_file() -> File {
    let file = rustix::fs::memfd_create("guest", MemfdFlags::CLOEXEC).expect("memory");
    let file = File::from(file);
    file.set_len(MEMORY).expect("room");
    file
}

impl World {
    fn new() -> Self {
        let (ours, frontend) = UnixStream::pair().expect("sockets");
        for socket in [&ours, &frontend] {
            socket.set_nonblocking(true).expect("a socket");
        }
        let disk = Disk { bytes: BYTES, sector: 512, block: 4096, serial: "SERIAL-1".to_owned() };
        let link = Link::new(ours, disk).expect("a link");
        let (event, _quiet) = UnixStream::pair().expect("sockets");
        let event = File::from(std::os::fd::OwnedFd::from(event));
        World { link, frontend, memory: memory_file(), event, _quiet }
    }

    /// Sends bytes, with files if the bits say so, and lets the device obey.
    fn send(&mut self, bytes: &[u8], files: u8) -> Result<(), Fault> {
        let chosen = [(1, &self.memory), (2, &self.event)];
        let files: Vec<_> = chosen
            .iter()
            .filter(|(bit, _)| files & bit != 0)
            .map(|(_, file)| file.as_fd())
            .collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() {
            assert!(with.push(SendAncillaryMessage::ScmRights(&files)), "there is room for two");
        }
        let parts = [IoSlice::new(bytes)];
        if rustix::net::sendmsg(&self.frontend, &parts, &mut with, SendFlags::NOSIGNAL).is_err() {
            // The device takes no more.
            return Ok(());
        }
        loop {
            match self.link.hear()? {
                Heard::Message => {
                    let _ = self.frontend.read(&mut [0; 4096]);
                    self.link.changes();
                }
                Heard::Nothing | Heard::End => return Ok(()),
                Heard::Waits => {
                    assert!(self.link.is_waiting() || self.link.hear()? != Heard::Waits);
                    return Ok(());
                }
            }
        }
    }

    /// Does what the guest asks for; the number of requests.
    fn work(&mut self) -> Result<usize, Fault> {
        (0..usize::from(QUEUES)).try_for_each(|queue| self.link.take_kick(queue))?;
        let mut done = 0;
        loop {
            let requests = self.link.take()?;
            assert!(requests.len() <= usize::from(QUEUES) * usize::from(ENTRIES));
            if requests.is_empty() || done > MOST {
                return self.link.call().map(|()| done);
            }
            for request in requests {
                for piece in request.pieces {
                    let end = piece.start.checked_add(piece.len);
                    assert!(end.is_some_and(|end| end <= BYTES), "{piece:?}");
                    let read = match &piece.op {
                        Op::Read => vec![7; usize::try_from(piece.len).expect("a disk's length")],
                        Op::Write(data) => {
                            assert_eq!(data.len() as u64, piece.len);
                            Vec::new()
                        }
                        _ => Vec::new(),
                    };
                    self.link.complete(request.tag, Ok(read))?;
                }
                done += 1;
            }
        }
    }
}

/// A script of a frontend that sets up a queue and of a guest that writes, reads and flushes.
pub fn script() -> Vec<u8> {
    let mut script = Vec::new();
    let mut step = |kind: u8, body: &[u8]| {
        script.extend([kind, u8::try_from(body.len()).expect("a short body")]);
        script.extend(body);
    };
    let longs = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_ne_bytes()).collect::<Vec<u8>>();
    let words = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_ne_bytes()).collect::<Vec<u8>>();
    let (ring, available, used) = (0_u64, 128_u64, 192_u64);
    let at = |address: u64| FRONTEND + address;
    step(1, &[]); // what the device can do
    step(3, &[]); // the frontend is its owner
    step(2, &longs(&[1 << 32 | 1 << 9])); // a modern device with flushes
    step(5 | 64, &[words(&[1, 0]), longs(&[0, MEMORY, FRONTEND, 0])].concat()); // its memory
    step(8, &words(&[0, 8])); // entries of the first queue
    step(10, &words(&[0, 0])); // where it begins
    let place = [words(&[0, 0]), longs(&[at(ring), at(used), at(available), 0])].concat();
    step(9, &place); // its rings
    step(13 | 128, &longs(&[0])); // an event to call the guest by
    step(12 | 128, &longs(&[0])); // and one by which it kicks
    let poke = |at: u64, bytes: &[u8]| {
        [&u16::try_from(at).expect("a low address").to_le_bytes(), bytes].concat()
    };
    for (number, kind) in [OUT, IN, 4].into_iter().enumerate() {
        let flags = if kind == IN { NEXT | WRITE } else { NEXT };
        let header = [&kind.to_le_bytes()[..], &[0; 4], &3_u64.to_le_bytes()].concat();
        step(62, &poke(1024, &header));
        let chain = [
            Descriptor { addr: 1024, len: 16, flags: NEXT, next: if kind == 4 { 2 } else { 1 } },
            Descriptor { addr: 2048, len: 512, flags, next: 2 },
            Descriptor { addr: 1536, len: 1, flags: WRITE, next: 0 },
        ];
        step(62, &poke(ring, &chain.iter().flat_map(Descriptor::bytes).collect::<Vec<u8>>()));
        let index = u16::try_from(number + 1).expect("three");
        step(62, &poke(available + 2, &index.to_le_bytes()));
        step(63, &[]);
    }
    step(11, &words(&[0, 0])); // the queue ends
    assert_eq!(play(&script).expect("a frontend that keeps to the rules"), 3);
    script
}
