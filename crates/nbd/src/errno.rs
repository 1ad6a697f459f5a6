//! The errors that the protocol knows.

use std::fmt;

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// The medium failed.
    Io,
    /// A write found no space, or lies beyond the end.
    NoSpace,
    /// The request makes no sense.
    Invalid,
    /// The export is read-only.
    NotPermitted,
    /// The server cannot do this.
    NotSupported,
    /// The server is being shut down.
    Shutdown,
    /// The answer would be too long for one piece.
    Overflow,
}

impl Errno {
    /// The number on the wire. It is the same on every system.
    pub fn code(self) -> u32 {
        match self {
            Errno::NotPermitted => 1,
            Errno::Io => 5,
            Errno::Invalid => 22,
            Errno::NoSpace => 28,
            Errno::Overflow => 75,
            Errno::NotSupported => 95,
            Errno::Shutdown => 108,
        }
    }

    /// What a person is told.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Errno::Io => "the medium failed",
            Errno::NoSpace => "no space is left",
            Errno::Invalid => "the request is not valid",
            Errno::NotPermitted => "this is not permitted",
            Errno::NotSupported => "this is not supported",
            Errno::Shutdown => "the server is being shut down",
            Errno::Overflow => "the request is too long",
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
