//! Why a peer must be dropped.

/// A breach that ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A PDU of a kind that no host sends.
    #[error("a PDU of the unknown kind {0:#04x}")]
    Kind(u8),
    /// A field of the header of a PDU makes no sense.
    #[error("the byte {offset} of a PDU: {why}")]
    Header {
        /// First byte of the field.
        offset: u32,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A PDU that does not belong here.
    #[error("a PDU out of sequence: {0}")]
    Sequence(&'static str),
    /// The digest of a header is wrong.
    #[error("the header digest is {found:#010x}, not {due:#010x}")]
    HeaderDigest {
        /// What the host sent.
        found: u32,
        /// What the bytes give.
        due: u32,
    },
    /// Data outside the range that was asked for.
    #[error("data from {offset} on does not continue at {due}, or ends beyond what was asked for")]
    DataRange {
        /// Where the host's data begins.
        offset: u32,
        /// Where it had to begin.
        due: u32,
    },
    /// More data in one PDU than the host was told.
    #[error("a PDU of {0} bytes of data")]
    DataLimit(u32),
    /// A parameter of the connection that is not supported.
    #[error("the byte {0} asks for a parameter that is not supported")]
    Parameter(u32),
    /// The host ended the connection because of a fault of its own finding.
    #[error("the host ended the connection with the fatal error status {0:#06x}")]
    Terminated(u16),
}

impl Fault {
    /// Status and information of the PDU that tells the host; `None` if it is not to be told.
    pub(crate) fn status(self) -> Option<(u16, u32)> {
        match self {
            Fault::Kind(_) => Some((1, 0)),
            Fault::Header { offset, .. } => Some((1, offset)),
            Fault::Sequence(_) => Some((2, 0)),
            Fault::HeaderDigest { found, .. } => Some((3, found)),
            Fault::DataRange { .. } => Some((4, 12)),
            Fault::DataLimit(_) => Some((5, 16)),
            Fault::Parameter(offset) => Some((6, offset)),
            Fault::Terminated(_) => None,
        }
    }
}
