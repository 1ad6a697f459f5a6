//! One peer: its socket, what it speaks, and what is still to be sent to it.

use super::listener::Socket;
use std::io::{self, Read as _, Write as _};

/// Bytes that wait to be sent, at which nothing more is read from a peer.
const MOST_UNSENT: usize = 8 << 20;
/// Requests under way, at which nothing more is read from a peer.
const MOST_REQUESTS: usize = 1024;

/// What a peer speaks.
pub(super) enum Talk {
    /// NBD.
    Nbd(Box<nbd::Session>),
    /// NVMe over TCP: the target knows its connections by the numbers of clients.
    Nvme,
    /// vhost-user: the socket carries no data, and the link reads it.
    Vhost {
        /// The device, from 0.
        device: usize,
        link: Box<virtio::Link>,
    },
    /// Lines of JSON; the bytes of a line that is not whole yet.
    Control(Vec<u8>),
}

/// A peer.
pub(super) struct Connection {
    pub(super) socket: Socket,
    pub(super) talk: Talk,
    pub(super) since: std::time::Instant,
    /// The device, once a client has chosen one.
    pub(super) device: Option<usize>,
    pub(super) under_way: usize,
    /// No more is read; the connection ends when all is sent.
    pub(super) ending: bool,
    pub(super) out: Vec<u8>,
    sent: usize,
    /// What epoll watches: reading, writing.
    pub(super) watched: (bool, bool),
}

/// What came of reading.
pub(super) enum Got {
    /// So many bytes.
    Bytes(usize),
    /// Nothing for now.
    Nothing,
    /// The peer has closed.
    End,
}

impl Connection {
    pub(super) fn new(socket: Socket, talk: Talk) -> Self {
        Connection {
            socket,
            talk,
            since: std::time::Instant::now(),
            device: None,
            under_way: 0,
            ending: false,
            out: Vec::new(),
            sent: 0,
            watched: (true, false),
        }
    }

    /// Whether its socket is the link's to read.
    pub(super) fn is_vhost(&self) -> bool {
        matches!(self.talk, Talk::Vhost { .. })
    }

    /// Reads what is there.
    pub(super) fn read(&mut self, to: &mut [u8]) -> io::Result<Got> {
        match self.socket.read(to) {
            Ok(0) => Ok(Got::End),
            Ok(bytes) => Ok(Got::Bytes(bytes)),
            Err(error) if is_for_now(&error) => Ok(Got::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Sends what can be sent.
    pub(super) fn send(&mut self) -> io::Result<()> {
        if let Talk::Vhost { link, .. } = &mut self.talk {
            return link.call().map_err(io::Error::other);
        }
        while self.sent < self.out.len() {
            match self.socket.write(&self.out[self.sent..]) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                Ok(bytes) => self.sent += bytes,
                Err(error) if is_for_now(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.sent = 0;
        // One large answer must not be paid for in memory for ever.
        self.out.shrink_to(1 << 20);
        Ok(())
    }

    /// Bytes that are still to be sent.
    pub(super) fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Whether more may be read: a peer that does not take its answers gets no more of them.
    pub(super) fn wants_more(&self) -> bool {
        let waits = matches!(&self.talk, Talk::Vhost { link, .. } if link.is_waiting());
        !self.ending && !waits && self.unsent() < MOST_UNSENT && self.under_way < MOST_REQUESTS
    }

    /// True if nothing is left to do for it.
    pub(super) fn is_over(&self) -> bool {
        self.ending && self.unsent() == 0 && self.under_way == 0
    }
}

fn is_for_now(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
