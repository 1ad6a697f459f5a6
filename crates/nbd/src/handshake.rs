//! The handshake: flags, then options, until the client has chosen an export or gives up.

use crate::export::Export;
use crate::fault::Fault;
use crate::option::{ContextQuery, InfoQuery};
use crate::wire::{self, ALLOCATION, handshake, info, opt, put_u16, put_u32, put_u64, rep};
use std::sync::Arc;

/// What an option came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// More options follow.
    Continues,
    /// Transmission begins.
    Attached(Terms),
    /// The client gives up.
    Aborted,
}

/// What was agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Number of the export.
    pub export: usize,
    /// Replies have a structure.
    pub structured: bool,
    /// The client may ask which parts are allocated.
    pub status: bool,
}

/// What has been agreed on so far.
#[derive(Debug)]
pub(crate) struct Handshake {
    exports: Arc<[Export]>,
    no_zeroes: bool,
    structured: bool,
    /// The export for which the client selected `base:allocation`.
    status_of: Option<usize>,
}

/// Adds one answer to `option`.
fn answer(out: &mut Vec<u8>, option: u32, kind: u32, data: &[u8]) {
    put_u64(out, wire::OPTION_REPLY_MAGIC);
    put_u32(out, option);
    put_u32(out, kind);
    put_u32(out, wire::len32(data.len()));
    out.extend_from_slice(data);
}

impl Handshake {
    pub(crate) fn new(exports: Arc<[Export]>) -> Self {
        Handshake { exports, no_zeroes: false, structured: false, status_of: None }
    }

    /// What the server sends first.
    pub(crate) fn greet(out: &mut Vec<u8>) {
        put_u64(out, wire::GREETING_MAGIC);
        put_u64(out, wire::OPTION_MAGIC);
        put_u16(out, handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES);
    }

    /// Takes the flags of the client. Options are taken from clients without `FIXED_NEWSTYLE` too,
    /// as the specification allows.
    ///
    /// # Errors
    /// If a flag is unknown.
    pub(crate) fn flags(&mut self, flags: u32) -> Result<(), Fault> {
        let known = u32::from(handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES);
        if flags & !known != 0 {
            return Err(Fault::ClientFlags(flags));
        }
        self.no_zeroes = flags & u32::from(handshake::NO_ZEROES) != 0;
        Ok(())
    }

    /// Answers an option.
    ///
    /// # Errors
    /// If `EXPORT_NAME` names an export that does not exist: it has no answer for that.
    pub(crate) fn option(
        &mut self,
        option: u32,
        data: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Fault> {
        let simple = match option {
            opt::EXPORT_NAME => return self.export_name(data, out),
            opt::INFO | opt::GO => return Ok(self.info(option, data, out)),
            opt::ABORT => {
                answer(out, option, rep::ACK, b"");
                return Ok(Outcome::Aborted);
            }
            opt::LIST if data.is_empty() => self.list(out),
            opt::STRUCTURED_REPLY if data.is_empty() => {
                self.structured = true;
                Ok(())
            }
            opt::LIST | opt::STRUCTURED_REPLY => Err(INVALID),
            opt::LIST_META_CONTEXT => self.list_contexts(data, out),
            opt::SET_META_CONTEXT => self.set_contexts(data, out),
            _ => Err((rep::ERR_UNSUP, "this option is not supported")),
        };
        match simple {
            Ok(()) => answer(out, option, rep::ACK, b""),
            Err((kind, text)) => answer(out, option, kind, text.as_bytes()),
        }
        Ok(Outcome::Continues)
    }

    /// The number of the export of a name; no name means the first one.
    fn find(&self, name: &[u8]) -> Option<usize> {
        if name.is_empty() && !self.exports.is_empty() {
            return Some(0);
        }
        self.exports.iter().position(|export| export.name.as_bytes() == name)
    }

    fn attached(&self, export: usize) -> Outcome {
        let status = self.status_of == Some(export);
        Outcome::Attached(Terms { export, structured: self.structured, status })
    }

    fn export_name(&self, name: &[u8], out: &mut Vec<u8>) -> Result<Outcome, Fault> {
        let Some(number) = self.find(name) else {
            return Err(Fault::UnknownExport(String::from_utf8_lossy(name).into_owned()));
        };
        let export = &self.exports[number];
        put_u64(out, export.bytes);
        put_u16(out, export.flags(self.structured));
        if !self.no_zeroes {
            out.extend_from_slice(&[0; 124]);
        }
        Ok(self.attached(number))
    }

    fn list(&self, out: &mut Vec<u8>) -> Result<(), Refused> {
        for export in self.exports.iter() {
            let mut data = Vec::new();
            put_u32(&mut data, wire::len32(export.name.len()));
            data.extend_from_slice(export.name.as_bytes());
            data.extend_from_slice(export.description.as_bytes());
            answer(out, opt::LIST, rep::SERVER, &data);
        }
        Ok(())
    }

    /// INFO and GO have the same answers; after GO transmission begins.
    fn info(&self, option: u32, data: &[u8], out: &mut Vec<u8>) -> Outcome {
        let query = InfoQuery::parse(data).ok_or(INVALID);
        match query.and_then(|query| Ok((self.find(query.name).ok_or(UNKNOWN)?, query.wanted))) {
            Ok((number, wanted)) => {
                self.tell(option, &self.exports[number], &wanted, out);
                answer(out, option, rep::ACK, b"");
                if option == opt::GO { self.attached(number) } else { Outcome::Continues }
            }
            Err((kind, text)) => {
                answer(out, option, kind, text.as_bytes());
                Outcome::Continues
            }
        }
    }

    /// What the client wants to know of an export, each once, and always its size.
    fn tell(&self, option: u32, export: &Export, wanted: &[u16], out: &mut Vec<u8>) {
        for kind in [info::EXPORT, info::NAME, info::DESCRIPTION, info::BLOCK_SIZE] {
            if kind != info::EXPORT && !wanted.contains(&kind) {
                continue;
            }
            let mut data = Vec::new();
            put_u16(&mut data, kind);
            match kind {
                info::NAME => data.extend_from_slice(export.name.as_bytes()),
                info::DESCRIPTION => data.extend_from_slice(export.description.as_bytes()),
                info::BLOCK_SIZE => {
                    put_u32(&mut data, export.minimum_block);
                    put_u32(&mut data, export.preferred_block);
                    put_u32(&mut data, export.longest());
                }
                _ => {
                    put_u64(&mut data, export.bytes);
                    put_u16(&mut data, export.flags(self.structured));
                }
            }
            answer(out, option, rep::INFO, &data);
        }
    }

    /// The export and the queries of an option about contexts.
    fn contexts<'a>(&self, data: &'a [u8]) -> Result<(usize, Vec<&'a [u8]>), Refused> {
        if !self.structured {
            return Err((rep::ERR_INVALID, "structured replies come first"));
        }
        let query = ContextQuery::parse(data).ok_or(INVALID)?;
        Ok((self.find(query.name).ok_or(UNKNOWN)?, query.queries))
    }

    fn list_contexts(&self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
        let (_, queries) = self.contexts(data)?;
        let wildcard = |query: &&[u8]| *query == ALLOCATION || *query == b"base:";
        if queries.is_empty() || queries.iter().any(wildcard) {
            // The number is reserved here.
            answer_context(out, opt::LIST_META_CONTEXT, 0);
        }
        Ok(())
    }

    /// What was selected before goes, whether this succeeds or not.
    fn set_contexts(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), Refused> {
        self.status_of = None;
        let (export, queries) = self.contexts(data)?;
        if queries.contains(&ALLOCATION) {
            self.status_of = Some(export);
            answer_context(out, opt::SET_META_CONTEXT, wire::ALLOCATION_ID);
        }
        Ok(())
    }
}

fn answer_context(out: &mut Vec<u8>, option: u32, id: u32) {
    let mut data = Vec::new();
    put_u32(&mut data, id);
    data.extend_from_slice(ALLOCATION);
    answer(out, option, rep::META_CONTEXT, &data);
}

/// An error: its number, and what a person is told.
type Refused = (u32, &'static str);

const INVALID: Refused = (rep::ERR_INVALID, "the data of this option is not valid");
const UNKNOWN: Refused = (rep::ERR_UNKNOWN, "there is no export of this name");
