//! A subsystem with its connections.

use crate::backend::Backend;
use crate::command::{Sqe, fabrics};
use crate::completion::Completion;
use crate::connect::Connect;
use crate::io::{Io, IoError, IoOp};
use crate::status::Status;
use crate::subsystem::{Done, Outcome, Subsystem};
use crate::tcp::{Event, Fault, Session};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;

/// Bytes that wait to be sent to a host, at which nothing more is taken from it.
const MOST_OUT: usize = 1 << 20;

/// One connection.
#[derive(Debug, Default)]
struct Link {
    session: Session,
    out: Vec<u8>,
    /// The controller and the queue.
    queue: Option<(u16, u16)>,
    /// Where its host found the subsystem; `None` at the place of all.
    place: Option<SocketAddr>,
    /// The host, or the end of its controller, wants the connection closed.
    closing: bool,
    /// Its controller heard nothing for too long.
    expired: bool,
}

/// A command for data that is under way.
#[derive(Clone, Copy, Debug)]
struct Asked {
    link: u64,
    sqe: Sqe,
    /// Bytes that it reads; `None` if it is no read.
    reads: Option<u64>,
}

/// A subsystem with its connections: bytes in, commands for data and bytes out.
#[derive(Debug)]
pub struct Target<B> {
    subsystem: Subsystem<B>,
    place: SocketAddr,
    links: BTreeMap<u64, Link>,
    touched: BTreeSet<u64>,
    asked: BTreeMap<u64, Asked>,
    ios: VecDeque<Io>,
    next_ticket: u64,
}

impl<B: Backend> Target<B> {
    /// Serves a drive under a qualified name. `place` is where hosts find it, as discovery says,
    /// unless their connection says it better.
    pub fn new(back: B, name: &str, place: SocketAddr) -> Target<B> {
        Target {
            subsystem: Subsystem::new(back, name),
            place,
            links: BTreeMap::new(),
            touched: BTreeSet::new(),
            asked: BTreeMap::new(),
            ios: VecDeque::new(),
            next_ticket: 0,
        }
    }

    /// The subsystem.
    pub fn subsystem(&self) -> &Subsystem<B> {
        &self.subsystem
    }

    /// Data was written by others than its hosts.
    pub fn written(&mut self) {
        self.subsystem.written();
    }

    /// The drive, to change it. What hosts must hear of it they hear at the next
    /// [`Target::advance`].
    pub fn back_mut(&mut self) -> &mut B {
        self.subsystem.back_mut()
    }

    /// A connection is made. Its number is the caller's choice; `place` is the address to which
    /// the host has connected, if that is known.
    pub fn open(&mut self, link: u64, place: Option<SocketAddr>) {
        self.close(link);
        self.links.insert(link, Link { place, ..Link::default() });
    }

    /// A connection is gone. The drive may still complete its commands; nobody hears of it.
    pub fn close(&mut self, link: u64) {
        self.touched.remove(&link);
        if let Some(Link { queue: Some((cntlid, qid)), .. }) = self.links.remove(&link) {
            self.leave(cntlid, qid);
        }
    }

    /// The queue is gone, and with that of the administrator all others of its controller.
    fn leave(&mut self, cntlid: u16, qid: u16) {
        self.subsystem.disconnect(cntlid, qid);
        if qid > 0 {
            return;
        }
        for (number, link) in &mut self.links {
            if link.queue.is_some_and(|(of, _)| of == cntlid) {
                link.queue = None;
                link.closing = true;
                self.touched.insert(*number);
            }
        }
    }

    /// Whether the connection is a queue of a controller.
    pub fn is_connected(&self, link: u64) -> bool {
        self.links.get(&link).is_some_and(|link| link.queue.is_some())
    }

    /// Whether the connection is to be closed, once its output is sent.
    pub fn is_closing(&self, link: u64) -> bool {
        self.links.get(&link).is_none_or(|link| link.closing)
    }

    /// Whether it is to be closed because its host was silent for longer than it said.
    pub fn has_expired(&self, link: u64) -> bool {
        self.links.get(&link).is_some_and(|link| link.expired)
    }

    /// What is to be sent on a connection. The caller removes what it has sent.
    pub fn output(&mut self, link: u64) -> Option<&mut Vec<u8>> {
        self.links.get_mut(&link).map(|link| &mut link.out)
    }

    /// The connections that have got something to send, or are to be closed, since this was asked
    /// last.
    pub fn take_touched(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.touched)
    }

    /// Takes bytes from a host at `now`: until there are no more, or a command for data waits in
    /// [`Target::next_io`], or much waits to be sent to the host. So the caller decides when there
    /// is room for more. What follows the end of a connection is ignored.
    ///
    /// # Errors
    /// If the host must be dropped, once the output of the connection is sent.
    pub fn receive(&mut self, link: u64, bytes: &mut &[u8], now: u64) -> Result<(), Fault> {
        let mut result = Ok(());
        self.touched.insert(link);
        while result.is_ok()
            && self.ios.is_empty()
            && let Some(known) = self.links.get_mut(&link)
            && !known.closing
            && known.out.len() < MOST_OUT
        {
            result = known.session.receive(bytes, &mut known.out);
            known.closing = result.is_err();
            let Some(Event::Command { sqe, data }) = known.session.next_event() else { break };
            self.command(link, sqe, data, now);
            self.deliver();
        }
        if self.is_closing(link) {
            *bytes = &[];
        }
        result
    }

    /// The drive has lost its power: nothing is under way any more, nobody is answered, and what
    /// hosts had set is what it was.
    pub fn power_cycle(&mut self) {
        self.ios.clear();
        self.asked.clear();
        self.subsystem.power_cycle();
    }

    /// The next command for data.
    pub fn next_io(&mut self) -> Option<Io> {
        self.ios.pop_front()
    }

    /// A command for data has ended; `Ok` has what a read read, and is empty for the others.
    pub fn complete(&mut self, ticket: u64, result: Result<Vec<u8>, IoError>) {
        let Some(Asked { link, sqe, reads }) = self.asked.remove(&ticket) else { return };
        let due = usize::try_from(reads.unwrap_or(0)).unwrap_or(usize::MAX);
        let completion = match result {
            Ok(data) if data.len() == due => Completion::data(data),
            Ok(_) => Status::INTERNAL.into(),
            Err(error) => error.status(reads.is_some()).into(),
        };
        let queue = self.links.get(&link).and_then(|link| link.queue);
        if let Some((cntlid, qid)) = queue {
            self.subsystem.note(cntlid, qid, &sqe, completion.status);
        }
        self.answer(link, sqe.cid(), &completion);
    }

    /// Time has come to `now`: what was under way ends, and silent hosts are given up.
    pub fn advance(&mut self, now: u64) {
        self.subsystem.advance(now);
        for cntlid in self.subsystem.expired(now) {
            let mut links = self.links.values_mut();
            if let Some(link) = links.find(|link| link.queue == Some((cntlid, 0))) {
                link.expired = true;
            }
            self.leave(cntlid, 0);
        }
        self.deliver();
    }

    /// When something ends next of what only time ends.
    pub fn next_time(&self) -> Option<u64> {
        self.subsystem.next_time()
    }

    /// Bytes of a connection that were received and are not handed out.
    pub fn buffered(&self, link: u64) -> usize {
        self.links.get(&link).map_or(0, |link| link.session.buffered())
    }

    fn answer(&mut self, link: u64, cid: u16, completion: &Completion) {
        if let Some(known) = self.links.get_mut(&link) {
            known.session.complete(&mut known.out, cid, completion);
            self.touched.insert(link);
        }
    }

    /// Answers commands that ended later than they came.
    fn deliver(&mut self) {
        while let Some(Done { cntlid, cid, completion }) = self.subsystem.take_done() {
            let mut links = self.links.iter();
            let admin = links.find(|(_, link)| link.queue == Some((cntlid, 0)));
            if let Some(link) = admin.map(|(number, _)| *number) {
                self.answer(link, cid, &completion);
            }
        }
    }

    fn command(&mut self, link: u64, sqe: Sqe, data: Vec<u8>, now: u64) {
        let queue = self.links.get(&link).and_then(|link| link.queue);
        if let Some((cntlid, _)) = queue {
            self.subsystem.heard(cntlid, now);
        }
        let fabrics = |kind: u8| sqe.opcode() == fabrics::OPCODE && sqe.fabrics_type() == kind;
        let answer = match queue {
            None if fabrics(fabrics::CONNECT) => self.connect(link, &sqe, &data, now),
            None => Status::SEQUENCE.into(),
            Some((cntlid, 0)) => match self.subsystem.execute(cntlid, &sqe, &data, now) {
                Outcome::Done(completion) => completion,
                Outcome::Later => return,
            },
            Some((cntlid, qid)) if fabrics(fabrics::DISCONNECT) => {
                self.subsystem.disconnect(cntlid, qid);
                if let Some(link) = self.links.get_mut(&link) {
                    link.queue = None;
                    link.closing = true;
                }
                Completion::ok(0)
            }
            Some((cntlid, qid)) => match self.io(link, (cntlid, qid), &sqe, data, now) {
                Ok(()) => return,
                Err(status) => {
                    self.subsystem.note(cntlid, qid, &sqe, status);
                    status.into()
                }
            },
        };
        self.reply(link, &sqe, answer);
    }

    /// Answers, unless the host has no room for the data.
    fn reply(&mut self, link: u64, sqe: &Sqe, mut answer: Completion) {
        let room = usize::try_from(sqe.sgl_len()).unwrap_or(usize::MAX);
        if answer.data.len() > room {
            answer = Status::DATA_LENGTH.into();
        }
        self.answer(link, sqe.cid(), &answer);
    }

    fn connect(&mut self, link: u64, sqe: &Sqe, data: &[u8], now: u64) -> Completion {
        let connect = match Connect::parse(sqe, data) {
            Ok(connect) => connect,
            Err(refusal) => return refusal,
        };
        let place = self.links.get(&link).and_then(|link| link.place).unwrap_or(self.place);
        let cntlid = match self.subsystem.connect(&connect, place, now) {
            Ok(cntlid) => cntlid,
            Err(refusal) => return refusal,
        };
        if let Some(link) = self.links.get_mut(&link) {
            link.queue = Some((cntlid, connect.qid));
            link.session.set_entries(connect.entries);
        }
        Completion::ok(cntlid.into())
    }

    fn io(
        &mut self,
        link: u64,
        (cntlid, qid): (u16, u16),
        sqe: &Sqe,
        data: Vec<u8>,
        now: u64,
    ) -> Result<(), Status> {
        self.subsystem.end_due(now);
        let io = self.subsystem.io(cntlid, sqe, data)?;
        let reads = (io.op == IoOp::Read).then_some(io.len);
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.asked.insert(ticket, Asked { link, sqe: *sqe, reads });
        self.ios.push_back(Io { ticket, qid, ..io });
        Ok(())
    }
}
