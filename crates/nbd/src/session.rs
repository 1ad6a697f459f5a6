//! One connection of a server.

use crate::command::{self, Refusal, Verdict};
use crate::errno::Errno;
use crate::event::Event;
use crate::export::Export;
use crate::extent::Extent;
use crate::fault::Fault;
use crate::handshake::{Handshake, Outcome, Terms};
use crate::option::OptionHead;
use crate::piece::Piece;
use crate::reply;
use crate::request::{Op, Request};
use crate::wire::{self, Fields};
use std::collections::VecDeque;
use std::sync::Arc;

/// What the next piece of the peer is.
#[derive(Debug)]
enum Stage {
    ClientFlags,
    OptionHead,
    OptionData(u32),
    RequestHead(Terms),
    /// The data of a write.
    Payload(Terms, Request),
    /// The data of a write that is refused once it is over.
    Unwanted(Terms, Refusal),
    Ended,
    Broken(Fault),
}

/// One connection of a server: bytes in, answers and events out.
///
/// It holds at most one request's data besides what a call of [`Session::receive`] brings, if the
/// events are taken after each call.
#[derive(Debug)]
pub struct Session {
    exports: Arc<[Export]>,
    handshake: Handshake,
    terms: Option<Terms>,
    stage: Stage,
    piece: Piece,
    events: VecDeque<Event>,
    /// Bytes of the requests in `events`.
    queued: usize,
}

impl Session {
    /// A connection that has just been made. A client that names no export gets the first.
    ///
    /// # Panics
    /// If an export is one that the protocol forbids ([`Export::mistake`]).
    pub fn new(exports: Arc<[Export]>) -> Session {
        for export in exports.iter() {
            if let Some(mistake) = export.mistake() {
                panic!("export `{}`: {mistake}", export.name);
            }
        }
        Session {
            handshake: Handshake::new(Arc::clone(&exports)),
            exports,
            terms: None,
            stage: Stage::ClientFlags,
            piece: Piece::new(wire::CLIENT_FLAGS_LEN, true),
            events: VecDeque::new(),
            queued: 0,
        }
    }

    /// Adds the bytes to send first.
    pub fn greet(&mut self, out: &mut Vec<u8>) {
        Handshake::greet(out);
    }

    /// Takes bytes from the peer. Answers of the handshake and refusals are added to `out`; what
    /// else arrived is told by [`Session::next_event`]. After the end of a session bytes are
    /// ignored.
    ///
    /// # Errors
    /// If the peer must be dropped. Every later call fails in the same way.
    pub fn receive(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        loop {
            match &self.stage {
                Stage::Ended => return Ok(()),
                Stage::Broken(fault) => return Err(fault.clone()),
                _ => {}
            }
            if !self.piece.fill(&mut bytes) {
                return Ok(());
            }
            if let Err(fault) = self.advance(out) {
                self.stop(Stage::Broken(fault));
            }
        }
    }

    /// The next thing that arrived whole.
    pub fn next_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        self.queued -= held(&event);
        Some(event)
    }

    /// Whether something waits in [`Session::next_event`].
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The export that was chosen, once transmission has begun.
    pub fn export(&self) -> Option<&Export> {
        self.terms.map(|terms| &self.exports[terms.export])
    }

    /// Answers a request that succeeded. `data` is what a read read, else empty.
    ///
    /// # Panics
    /// If `data` is not as long as the answer to `request` must be.
    pub fn reply_ok(&mut self, out: &mut Vec<u8>, request: &Request, data: &[u8]) {
        let due = if request.op == Op::Read { request.len } else { 0 };
        assert_eq!(u32::try_from(data.len()), Ok(due), "the data of an answer to {:?}", request.op);
        match request.op {
            // Success without extents is not a form that exists; the range is plain data then.
            Op::BlockStatus { .. } => reply::status(out, request, &[]),
            _ => reply::ok(out, self.structured(), request, data),
        }
    }

    /// Answers a request that failed.
    pub fn reply_error(&mut self, out: &mut Vec<u8>, request: &Request, error: Errno) {
        reply::error(out, self.structured(), request.cookie, error, error.text());
    }

    /// Answers [`Op::BlockStatus`]: extents from the start of the request on, which cover at least
    /// part of it. What lies beyond its end is not told.
    pub fn reply_status(&mut self, out: &mut Vec<u8>, request: &Request, extents: &[Extent]) {
        reply::status(out, request, extents);
    }

    /// Bytes that were received and not handed out: pieces that are not whole, and requests that
    /// wait in [`Session::next_event`].
    pub fn buffered(&self) -> usize {
        self.piece.data().len() + self.queued
    }

    fn structured(&self) -> bool {
        self.terms.is_some_and(|terms| terms.structured)
    }

    fn push(&mut self, event: Event) {
        self.queued += held(&event);
        self.events.push_back(event);
    }

    fn expect(&mut self, stage: Stage, len: usize) {
        self.stage = stage;
        self.piece.restart(len);
    }

    fn stop(&mut self, stage: Stage) {
        self.stage = stage;
        self.piece = Piece::new(0, false);
    }

    /// A piece is whole.
    fn advance(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::ClientFlags => {
                let flags = Fields(self.piece.data()).u32().expect("the piece is whole");
                self.handshake.flags(flags)?;
                self.expect(Stage::OptionHead, wire::OPTION_HEAD_LEN);
            }
            Stage::OptionHead => {
                let OptionHead { option, len } = OptionHead::parse(self.piece.data())?;
                self.expect(Stage::OptionData(option), usize::try_from(len).expect("it is short"));
            }
            Stage::OptionData(option) => self.answer_option(option, out)?,
            Stage::RequestHead(terms) => self.judge(terms, out)?,
            Stage::Payload(terms, mut request) => {
                request.data = self.piece.take();
                self.push(Event::Request(request));
                self.expect(Stage::RequestHead(terms), wire::REQUEST_HEAD_LEN);
            }
            Stage::Unwanted(terms, refusal) => self.refuse(terms, refusal, out),
            end @ (Stage::Ended | Stage::Broken(_)) => self.stage = end,
        }
        Ok(())
    }

    fn answer_option(&mut self, option: u32, out: &mut Vec<u8>) -> Result<(), Fault> {
        match self.handshake.option(option, self.piece.data(), out)? {
            Outcome::Continues => self.expect(Stage::OptionHead, wire::OPTION_HEAD_LEN),
            Outcome::Attached(terms) => {
                self.terms = Some(terms);
                self.push(Event::Attached { export: terms.export });
                // Options may have been long; requests have short heads.
                self.piece = Piece::new(0, true);
                self.expect(Stage::RequestHead(terms), wire::REQUEST_HEAD_LEN);
            }
            Outcome::Aborted => self.end(),
        }
        Ok(())
    }

    fn judge(&mut self, terms: Terms, out: &mut Vec<u8>) -> Result<(), Fault> {
        let export = &self.exports[terms.export];
        match command::judge(self.piece.data(), export, terms)? {
            Verdict::Taken { request, payload: 0 } => {
                self.push(Event::Request(request));
                self.expect(Stage::RequestHead(terms), wire::REQUEST_HEAD_LEN);
            }
            Verdict::Taken { request, payload } => {
                self.stage = Stage::Payload(terms, request);
                self.piece = Piece::new(usize::try_from(payload).expect("it is short"), true);
            }
            Verdict::Refused { refusal, payload: 0 } => self.refuse(terms, refusal, out),
            Verdict::Refused { refusal, payload } => {
                self.stage = Stage::Unwanted(terms, refusal);
                self.piece = Piece::new(usize::try_from(payload).expect("it is short"), false);
            }
            Verdict::Disconnect => self.end(),
        }
        Ok(())
    }

    fn refuse(&mut self, terms: Terms, refusal: Refusal, out: &mut Vec<u8>) {
        let Refusal { cookie, errno, why } = refusal;
        reply::error(out, terms.structured, cookie, errno, why);
        self.expect(Stage::RequestHead(terms), wire::REQUEST_HEAD_LEN);
    }

    fn end(&mut self) {
        self.push(Event::Disconnected);
        self.stop(Stage::Ended);
    }
}

/// What an event holds of the bytes that were received.
fn held(event: &Event) -> usize {
    match event {
        Event::Request(request) => wire::REQUEST_HEAD_LEN + request.data.len(),
        Event::Attached { .. } | Event::Disconnected => 0,
    }
}
