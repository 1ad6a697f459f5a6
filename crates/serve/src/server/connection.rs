//! One peer: its socket, what it speaks, and what is still to be sent to it.

use super::listener::Socket;
use std::io::{self, Read as _, Write as _};

/// Bytes that wait to be sent, at which nothing more is taken from a peer.
const MOST_UNSENT: usize = 8 << 20;
/// Requests under way, at which nothing more is taken from a peer.
const MOST_REQUESTS: usize = 1024;
/// Bytes that have been sent and still take room, at which the others move to the front.
const MOST_SENT: usize = 1 << 20;

/// What a peer speaks.
pub(super) enum Talk {
    /// NBD.
    Nbd(Box<nbd::Session>),
    /// NVMe over TCP: the target knows its connections by the numbers of clients. Bytes that have
    /// not been looked at yet.
    Nvme(Vec<u8>),
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
    /// When it came, or said that it leaves.
    pub(super) since: std::time::Instant,
    /// The device, once a client has chosen one.
    pub(super) device: Option<usize>,
    /// A client of the control socket has said something.
    pub(super) greeted: bool,
    pub(super) under_way: usize,
    /// Bytes that the requests under way will be answered with, and how many that may be.
    pub(super) owed: usize,
    pub(super) most_owed: usize,
    /// What was held for it at the last look.
    pub(super) counted: usize,
    /// Its turn comes without a word of the socket.
    pub(super) has_turn: bool,
    /// No more is read; the connection ends when all is sent.
    pub(super) ending: bool,
    /// Why it ends, if the peer did not say so.
    pub(super) why: Option<String>,
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
    pub(super) fn new(socket: Socket, talk: Talk, most_owed: usize) -> Self {
        Connection {
            socket,
            talk,
            since: std::time::Instant::now(),
            device: None,
            greeted: false,
            under_way: 0,
            owed: 0,
            most_owed,
            counted: 0,
            has_turn: false,
            ending: false,
            why: None,
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
                Err(error) if is_for_now(&error) => {
                    self.give_room_back();
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.sent = 0;
        // One large answer must not be paid for in memory for ever.
        self.out.shrink_to(MOST_SENT);
        Ok(())
    }

    /// There may always be something to send to a peer that is slower than its answers come: what
    /// has been sent must not stay.
    fn give_room_back(&mut self) {
        if self.sent >= MOST_SENT && self.sent >= self.unsent() {
            self.out.drain(..self.sent);
            self.sent = 0;
            self.out.shrink_to(self.out.len().max(MOST_SENT));
        }
    }

    /// Bytes that are still to be sent.
    pub(super) fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Whether more may be taken: a peer that does not take its answers gets no more of them.
    pub(super) fn wants_more(&self) -> bool {
        let waits = matches!(&self.talk, Talk::Vhost { link, .. } if link.is_waiting());
        !self.ending
            && !waits
            && self.unsent() < MOST_UNSENT
            && self.owed < self.most_owed
            && self.under_way < MOST_REQUESTS
    }

    /// Whether something has been read that waits for its turn.
    pub(super) fn has_more(&self) -> bool {
        match &self.talk {
            Talk::Nbd(session) => session.has_events(),
            Talk::Nvme(input) => !input.is_empty(),
            Talk::Vhost { .. } | Talk::Control(_) => false,
        }
    }

    /// Whether its socket is read.
    pub(super) fn reads(&self) -> bool {
        self.wants_more() && !self.has_more()
    }

    /// Whether it has not said what it wants.
    pub(super) fn is_silent(&self) -> bool {
        self.device.is_none() && !self.greeted
    }

    /// Bytes that are held for it, or will be, beside those of an NVMe target.
    pub(super) fn held(&self) -> usize {
        let received = match &self.talk {
            Talk::Nbd(session) => session.buffered(),
            Talk::Nvme(bytes) | Talk::Control(bytes) => bytes.len(),
            // Its data are in the memory of the guest.
            Talk::Vhost { .. } => 0,
        };
        self.unsent() + self.owed + received
    }

    /// True if nothing is left to do for it.
    pub(super) fn is_over(&self) -> bool {
        self.ending && self.unsent() == 0 && self.under_way == 0
    }
}

fn is_for_now(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn what_has_been_sent_takes_no_room() {
        let (ours, mut theirs) = UnixStream::pair().expect("sockets");
        ours.set_nonblocking(true).expect("a socket");
        let mut connection = Connection::new(Socket::Unix(ours), Talk::Control(Vec::new()), 0);
        // Less than a socket holds, so that there is always so much to read.
        let mut some = vec![0; 32 << 10];
        connection.out.resize(2 << 20, 0);
        for _ in 0..2048 {
            connection.send().expect("sent");
            assert!(connection.unsent() > 0, "the peer is slower");
            theirs.read_exact(&mut some).expect("sent");
            connection.out.extend_from_slice(&some);
        }
        assert!(connection.out.capacity() <= 8 << 20, "{} bytes", connection.out.capacity());
    }
}
