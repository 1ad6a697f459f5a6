//! The TCP transport: PDUs, their digests, and one connection of a target.

mod fault;
mod pdu;
mod session;
mod transfer;

pub use fault::Fault;
pub(crate) use pdu::{COMMON_LEN, Digests, Head, Kind, LAST, build};
pub use session::{Event, Session};

/// A read or a write is at most so long.
pub const LONGEST_TRANSFER: u32 = 1 << 20;
/// So much data may come with a command.
pub const IN_CAPSULE: u32 = 8192;
/// The host sends at most so much in one PDU of data.
pub const LONGEST_DATA_PDU: u32 = 128 << 10;
/// Entries of a queue, at most.
pub const MOST_ENTRIES: u16 = 128;
