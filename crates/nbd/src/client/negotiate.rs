//! The handshake, from the client's side.

use crate::client::error::ClientError;
use crate::wire::{self, ALLOCATION, Fields, handshake, info, opt, put_u16, put_u32, put_u64, rep};
use std::io::{Read, Write};

/// What the server says of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub bytes: u64,
    pub flags: u16,
    pub minimum_block: u32,
    pub preferred_block: u32,
    pub maximum_block: u32,
    pub structured: bool,
}

/// An answer to an option that is no error.
struct Answer {
    kind: u32,
    data: Vec<u8>,
}

/// Bytes of all answers to an option: a few thousand exports.
const ANSWERS_LIMIT: usize = 1 << 20;

const CUT: ClientError = ClientError::Malformed("an answer to an option is too short");

/// Reads the greeting and answers it.
pub(crate) fn greet(stream: &mut (impl Read + Write)) -> Result<(), ClientError> {
    let mut bytes = [0; wire::GREETING_LEN];
    stream.read_exact(&mut bytes)?;
    let mut fields = Fields(&bytes);
    let magic = (fields.u64(), fields.u64());
    if magic != (Some(wire::GREETING_MAGIC), Some(wire::OPTION_MAGIC)) {
        return Err(ClientError::Malformed("it does not greet as such a server"));
    }
    let offered = fields.u16().ok_or(CUT)?;
    if offered & handshake::FIXED_NEWSTYLE == 0 {
        return Err(ClientError::Malformed("it does not know the fixed newstyle handshake"));
    }
    let flags = offered & (handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES);
    Ok(stream.write_all(&u32::from(flags).to_be_bytes())?)
}

/// Chooses an export, with structured replies and the allocation of blocks if the server has them.
pub(crate) fn go(stream: &mut (impl Read + Write), name: &str) -> Result<Offer, ClientError> {
    let structured = granted(ask(stream, opt::STRUCTURED_REPLY, b""))?;
    if structured {
        let mut query = named(name);
        put_u32(&mut query, 1);
        put_u32(&mut query, wire::len32(ALLOCATION.len()));
        query.extend_from_slice(ALLOCATION);
        granted(ask(stream, opt::SET_META_CONTEXT, &query))?;
    }
    let mut query = named(name);
    put_u16(&mut query, 1);
    put_u16(&mut query, info::BLOCK_SIZE);
    let (mut size, mut blocks) = (None, None);
    for answer in ask(stream, opt::GO, &query)? {
        let mut fields = Fields(&answer.data);
        match (answer.kind, fields.u16()) {
            (rep::INFO, Some(info::EXPORT)) => {
                size = Some((fields.u64().ok_or(CUT)?, fields.u16().ok_or(CUT)?));
            }
            (rep::INFO, Some(info::BLOCK_SIZE)) => {
                let mut next = || fields.u32().ok_or(CUT);
                blocks = Some((next()?, next()?, next()?));
            }
            _ => {}
        }
    }
    let (bytes, flags) = size.ok_or(ClientError::Malformed("it does not tell the size"))?;
    // What a server that says nothing is sure to take.
    let (minimum_block, preferred_block, maximum_block) =
        blocks.unwrap_or((1, 4096, wire::PAYLOAD_LIMIT));
    Ok(Offer { bytes, flags, minimum_block, preferred_block, maximum_block, structured })
}

/// Names and descriptions of all exports.
pub(crate) fn list(stream: &mut (impl Read + Write)) -> Result<Vec<(String, String)>, ClientError> {
    let mut exports = Vec::new();
    for answer in ask(stream, opt::LIST, b"")? {
        let mut fields = Fields(&answer.data);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if answer.kind == rep::SERVER {
            let name = text(fields.string().ok_or(CUT)?);
            exports.push((name, text(fields.0)));
        }
    }
    // Some servers hang up instead of an answer.
    match ask(stream, opt::ABORT, b"") {
        Ok(_) | Err(ClientError::Io(_)) => Ok(exports),
        Err(error) => Err(error),
    }
}

/// Whether the server has what was asked for. That it does not is no error.
fn granted(answer: Result<Vec<Answer>, ClientError>) -> Result<bool, ClientError> {
    match answer {
        Ok(_) => Ok(true),
        Err(ClientError::Option { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn named(name: &str) -> Vec<u8> {
    let mut data = Vec::new();
    put_u32(&mut data, wire::len32(name.len()));
    data.extend_from_slice(name.as_bytes());
    data
}

/// Sends an option and collects what comes before its acknowledgement.
fn ask(
    stream: &mut (impl Read + Write),
    option: u32,
    data: &[u8],
) -> Result<Vec<Answer>, ClientError> {
    let mut bytes = Vec::new();
    put_u64(&mut bytes, wire::OPTION_MAGIC);
    put_u32(&mut bytes, option);
    put_u32(&mut bytes, wire::len32(data.len()));
    bytes.extend_from_slice(data);
    stream.write_all(&bytes)?;
    let (mut answers, mut held) = (Vec::new(), 0);
    loop {
        let answer = read_answer(stream, option)?;
        held += wire::OPTION_REPLY_HEAD_LEN + answer.data.len();
        if held > ANSWERS_LIMIT {
            return Err(ClientError::Malformed("the answers to an option do not end"));
        }
        match answer.kind {
            rep::ACK => return Ok(answers),
            kind if kind & rep::ERR != 0 => {
                let message = String::from_utf8_lossy(&answer.data).into_owned();
                return Err(ClientError::Option { option, code: kind & !rep::ERR, message });
            }
            _ => answers.push(answer),
        }
    }
}

fn read_answer(stream: &mut impl Read, option: u32) -> Result<Answer, ClientError> {
    let mut head = [0; wire::OPTION_REPLY_HEAD_LEN];
    stream.read_exact(&mut head)?;
    let mut fields = Fields(&head);
    if fields.u64() != Some(wire::OPTION_REPLY_MAGIC) || fields.u32() != Some(option) {
        return Err(ClientError::Malformed("it answers another option"));
    }
    let kind = fields.u32().ok_or(CUT)?;
    let len = fields.u32().ok_or(CUT)?;
    if len > wire::OPTION_LIMIT {
        return Err(ClientError::Malformed("an answer to an option is too long"));
    }
    let mut data = vec![0; usize::try_from(len).expect("it is short")];
    stream.read_exact(&mut data)?;
    Ok(Answer { kind, data })
}
