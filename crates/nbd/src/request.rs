//! Requests of the transmission phase.

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads a range.
    Read,
    /// Writes a range.
    Write,
    /// Makes all writes durable that were answered before.
    Flush,
    /// The data of a range is no longer needed.
    Trim,
    /// Zeroes a range without sending the zeroes.
    WriteZeroes {
        /// The range may become a hole.
        may_hole: bool,
    },
    /// The client will read the range soon.
    Cache,
    /// Which parts of a range are allocated.
    BlockStatus {
        /// The client wants one extent only.
        one: bool,
    },
}

impl Op {
    /// Whether it changes the export, so that a read-only export refuses it.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Op::Write | Op::Trim | Op::WriteZeroes { .. })
    }
}

/// One request of the transmission phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number by which the client recognises the answer.
    pub cookie: u64,
    /// What is asked for.
    pub op: Op,
    /// First byte of the range.
    pub start: u64,
    /// Bytes of the range.
    pub len: u32,
    /// The answer may only come when the data is durable.
    pub fua: bool,
    /// The data of a write, else empty.
    pub data: Vec<u8>,
}
