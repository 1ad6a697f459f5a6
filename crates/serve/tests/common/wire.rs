//! Bytes as clients send them, and streams that keep, hold back or cut them.

use nbd::client::Client;
use nvme::Sqe;
use nvme::initiator::{Connection, Options, Queue};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::sockets::{SUBSYSTEM, Served};

pub const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001";

/// A stream that keeps what is sent on it, and sends so much at once at most.
pub struct Tape<S> {
    pub inner: S,
    pub sent: Vec<u8>,
    pub at_once: usize,
}

impl<S> Tape<S> {
    pub fn new(inner: S, at_once: usize) -> Self {
        Tape { inner, sent: Vec::new(), at_once }
    }
}

impl<S: Read> Read for Tape<S> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.inner.read(to)
    }
}

impl<S: Write> Write for Tape<S> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let sent = self.inner.write(&from[..from.len().min(self.at_once)])?;
        self.sent.extend_from_slice(&from[..sent]);
        Ok(sent)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A connection on TCP on which nothing has been said.
pub fn tcp(place: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(place).expect("it listens");
    stream.set_nodelay(true).expect("a socket");
    stream
}

/// A queue of an NVMe controller, and the controller.
pub fn queue<S: Read + Write>(stream: S, qid: u16, controller: Option<u16>) -> (Queue<S>, u16) {
    let mut queue = Queue::open(stream, Options::default()).expect("a handshake");
    let (subsystem, host) = (SUBSYSTEM, HOST);
    let connection = Connection { qid, entries: 32, controller, subsystem, host, keep_alive_ms: 0 };
    let controller = queue.connect(&connection).expect("a queue");
    if qid == 0 {
        queue.enable().expect("it is enabled");
    }
    (queue, controller)
}

/// All that a client of NBD sends in a session with every kind of request.
pub fn nbd_session(served: &Served, at_once: usize) -> Vec<u8> {
    let mut tape = Tape::new(served.stream(), at_once);
    let mut client = Client::connect(&mut tape, "disk").expect("a session");
    client.write(1 << 20, &[5; 8192], false).expect("written");
    client.flush().expect("flushed");
    assert_eq!(client.read(1 << 20, 8192).expect("read"), [5; 8192]);
    client.write_zeroes(1 << 20, 4096).expect("zeroed");
    client.trim(1 << 20, 8192).expect("trimmed");
    client.status(0, 1 << 30).expect("told");
    client.write(2 << 20, &[6; 512], true).expect("written");
    client.disconnect().expect("said");
    tape.sent
}

/// All that an administrator of NVMe sends, with an event request that stays.
pub fn nvme_admin(served: &Served, at_once: usize) -> Vec<u8> {
    let mut tape = Tape::new(tcp(served.place), at_once);
    let (mut admin, _) = queue(&mut tape, 0, None);
    admin.identify(1, 0).expect("Identify Controller");
    admin.request_event().expect("sent");
    admin.log_page(2, 512).expect("the health log");
    admin.keep_alive().expect("heard");
    tape.sent
}

/// All that a queue for data of a controller sends, with data in the command and after it.
pub fn nvme_data(served: &Served, controller: u16, at_once: usize) -> Vec<u8> {
    let mut tape = Tape::new(tcp(served.place), at_once);
    let (mut data, _) = queue(&mut tape, 1, Some(controller));
    data.write(1, (4096, 1), &[7; 512], false).expect("in the capsule");
    assert_eq!(data.read(1, 4096, 1, 512).expect("read"), [7; 512]);
    data.deallocate(1, &[(4096, 8)]).expect("given up");
    data.flush(1).expect("flushed");
    let block = vec![0xA5; 256 << 10];
    data.write(1, (8192, 512), &block, true).expect("asked for");
    tape.sent
}

/// A command for data with nothing but a range.
pub fn ranged(opcode: u8, lba: u32, blocks: u32) -> Sqe {
    Sqe::new(opcode, 1).with(10, lba).with(12, blocks - 1)
}
