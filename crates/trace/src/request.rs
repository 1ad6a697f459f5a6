//! The canonical form of a recorded request.

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A deallocated range (discard, TRIM, UNMAP).
    Trim,
    /// A flush of the drive's cache.
    Flush,
}

impl Op {
    /// All of them.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

    /// Its name, in the singular.
    pub fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "flush",
        }
    }

    /// Its position in [`Op::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// One recorded request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival, ns since the first request of the trace.
    pub at_ns: u64,
    /// The recorded device: a number of [`crate::Devices`].
    pub device: u32,
    /// What was asked.
    pub op: Op,
    /// First byte on the device.
    pub offset: u64,
    /// Bytes; 0 only for flushes. `offset + len` never overflows.
    pub len: u64,
    /// How long the recorded drive took, ns, where the format records it.
    pub response_ns: Option<u64>,
}

impl Request {
    /// The byte behind the last one.
    pub fn end(&self) -> u64 {
        self.offset + self.len
    }
}
