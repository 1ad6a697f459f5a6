//! Numbers of the protocol, and the fields of its messages. All of them are big-endian.

pub(crate) const GREETING_MAGIC: u64 = u64::from_be_bytes(*b"NBDMAGIC");
pub(crate) const OPTION_MAGIC: u64 = u64::from_be_bytes(*b"IHAVEOPT");
pub(crate) const OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
pub(crate) const REQUEST_MAGIC: u32 = 0x2560_9513;
pub(crate) const SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
pub(crate) const STRUCTURED_REPLY_MAGIC: u32 = 0x668e_33ef;

/// Bytes of the server's greeting: two magic numbers and its flags.
pub(crate) const GREETING_LEN: usize = 18;
/// Bytes of the flags with which the client answers.
pub(crate) const CLIENT_FLAGS_LEN: usize = 4;
/// Bytes before the data of an option.
pub(crate) const OPTION_HEAD_LEN: usize = 16;
/// Bytes before the data of an answer to an option.
pub(crate) const OPTION_REPLY_HEAD_LEN: usize = 20;
/// Bytes before the data of a request.
pub(crate) const REQUEST_HEAD_LEN: usize = 28;

/// Names and descriptions are at most this long.
pub(crate) const STRING_LIMIT: usize = 4096;
/// An option needs two names and a few numbers; more is an attack.
pub(crate) const OPTION_LIMIT: u32 = 64 << 10;
/// The specification wants 32 MiB to be taken, and lets a server drop a client that sends more.
pub(crate) const PAYLOAD_LIMIT: u32 = 32 << 20;

/// The only metadata context.
pub(crate) const ALLOCATION: &[u8] = b"base:allocation";
/// Its number in a session. The specification leaves the choice to the server.
pub(crate) const ALLOCATION_ID: u32 = 1;

/// Flags of the greeting (16 bits) and of the client's answer (32 bits).
pub(crate) mod handshake {
    pub(crate) const FIXED_NEWSTYLE: u16 = 1;
    pub(crate) const NO_ZEROES: u16 = 2;
}

/// What an export can do.
pub(crate) mod transmission {
    pub(crate) const HAS_FLAGS: u16 = 1;
    pub(crate) const READ_ONLY: u16 = 1 << 1;
    pub(crate) const SEND_FLUSH: u16 = 1 << 2;
    pub(crate) const SEND_FUA: u16 = 1 << 3;
    pub(crate) const ROTATIONAL: u16 = 1 << 4;
    pub(crate) const SEND_TRIM: u16 = 1 << 5;
    pub(crate) const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub(crate) const SEND_DF: u16 = 1 << 7;
    pub(crate) const CAN_MULTI_CONN: u16 = 1 << 8;
    pub(crate) const SEND_CACHE: u16 = 1 << 10;
}

/// Options of the handshake. STARTTLS (5) and EXTENDED_HEADERS (11) are unknown here.
pub(crate) mod opt {
    pub(crate) const EXPORT_NAME: u32 = 1;
    pub(crate) const ABORT: u32 = 2;
    pub(crate) const LIST: u32 = 3;
    pub(crate) const INFO: u32 = 6;
    pub(crate) const GO: u32 = 7;
    pub(crate) const STRUCTURED_REPLY: u32 = 8;
    pub(crate) const LIST_META_CONTEXT: u32 = 9;
    pub(crate) const SET_META_CONTEXT: u32 = 10;
}

/// Answers to options.
pub(crate) mod rep {
    pub(crate) const ACK: u32 = 1;
    pub(crate) const SERVER: u32 = 2;
    pub(crate) const INFO: u32 = 3;
    pub(crate) const META_CONTEXT: u32 = 4;
    /// This bit makes an answer an error.
    pub(crate) const ERR: u32 = 1 << 31;
    pub(crate) const ERR_UNSUP: u32 = ERR + 1;
    pub(crate) const ERR_INVALID: u32 = ERR + 3;
    pub(crate) const ERR_UNKNOWN: u32 = ERR + 6;
}

/// What a client can ask about an export.
pub(crate) mod info {
    pub(crate) const EXPORT: u16 = 0;
    pub(crate) const NAME: u16 = 1;
    pub(crate) const DESCRIPTION: u16 = 2;
    pub(crate) const BLOCK_SIZE: u16 = 3;
}

/// Commands of the transmission phase.
pub(crate) mod cmd {
    pub(crate) const READ: u16 = 0;
    pub(crate) const WRITE: u16 = 1;
    pub(crate) const DISC: u16 = 2;
    pub(crate) const FLUSH: u16 = 3;
    pub(crate) const TRIM: u16 = 4;
    pub(crate) const CACHE: u16 = 5;
    pub(crate) const WRITE_ZEROES: u16 = 6;
    pub(crate) const BLOCK_STATUS: u16 = 7;

    pub(crate) const FLAG_FUA: u16 = 1;
    pub(crate) const FLAG_NO_HOLE: u16 = 1 << 1;
    pub(crate) const FLAG_DF: u16 = 1 << 2;
    pub(crate) const FLAG_REQ_ONE: u16 = 1 << 3;
    pub(crate) const FLAG_FAST_ZERO: u16 = 1 << 4;
}

/// Chunks of structured replies.
pub(crate) mod chunk {
    pub(crate) const FLAG_DONE: u16 = 1;
    pub(crate) const NONE: u16 = 0;
    pub(crate) const OFFSET_DATA: u16 = 1;
    pub(crate) const OFFSET_HOLE: u16 = 2;
    pub(crate) const BLOCK_STATUS: u16 = 5;
    /// This bit makes a chunk an error.
    pub(crate) const ERR: u16 = 1 << 15;
    pub(crate) const ERROR: u16 = ERR + 1;
}

/// Adds a field of 16 bits.
pub(crate) fn put_u16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Adds a field of 32 bits.
pub(crate) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Adds a field of 64 bits.
pub(crate) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// The length of something that a message announces in 32 bits.
///
/// # Panics
/// If it is 4 GiB or more. What is announced has a limit far below.
pub(crate) fn len32(len: usize) -> u32 {
    u32::try_from(len).expect("what a message announces is shorter than 4 GiB")
}

/// The fields of a message, taken one by one. `None` is a message that ends too early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    /// The next `len` bytes.
    pub(crate) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    /// A field of 16 bits.
    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// A field of 32 bits.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// A field of 64 bits.
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// A string whose length is a field of 32 bits before it.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()?;
        self.bytes(usize::try_from(len).ok()?)
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}
