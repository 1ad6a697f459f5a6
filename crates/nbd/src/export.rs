//! What a server offers under a name.

use crate::wire::{self, transmission};

/// What a server offers under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name by which clients choose it.
    pub name: String,
    /// What people are told about it.
    pub description: String,
    /// Its size.
    pub bytes: u64,
    /// Every range begins and ends at a multiple of this.
    pub minimum_block: u32,
    /// Ranges of this alignment are fast.
    pub preferred_block: u32,
    /// A read or write is at most this long. Clients are told 32 MiB if it is more, since a session
    /// takes no more at once.
    pub maximum_block: u32,
    /// Writes are refused.
    pub read_only: bool,
    /// The medium rotates.
    pub rotational: bool,
    /// What one connection flushed is durable for all.
    pub multi_conn: bool,
}

impl Export {
    /// What the protocol forbids about this export, in plain words.
    pub fn mistake(&self) -> Option<&'static str> {
        let (least, best, most) = (self.minimum_block, self.preferred_block, self.maximum_block);
        if self.name.len().max(self.description.len()) > wire::STRING_LIMIT {
            Some("a name or a description is longer than 4096 bytes")
        } else if !least.is_power_of_two() || least > 1 << 16 {
            Some("the minimum block is not a power of two up to 65536")
        } else if !best.is_power_of_two() || best < least.max(512) {
            Some("the preferred block is not a power of two from 512 and from the minimum block on")
        } else if most < least || (most != u32::MAX && !most.is_multiple_of(least)) {
            Some("the maximum block is not a multiple of the minimum block")
        } else {
            None
        }
    }

    /// The longest read or write that is taken.
    pub(crate) fn longest(&self) -> u32 {
        self.maximum_block.min(wire::PAYLOAD_LIMIT)
    }

    /// What clients are told about it in 16 bits. A read may be asked for in one piece only if
    /// replies have a structure at all.
    pub(crate) fn flags(&self, structured: bool) -> u16 {
        let set = |on: bool, flag: u16| if on { flag } else { 0 };
        transmission::HAS_FLAGS
            | transmission::SEND_FLUSH
            | transmission::SEND_FUA
            | transmission::SEND_CACHE
            | set(self.read_only, transmission::READ_ONLY)
            | set(self.rotational, transmission::ROTATIONAL)
            | set(!self.read_only, transmission::SEND_TRIM | transmission::SEND_WRITE_ZEROES)
            | set(structured, transmission::SEND_DF)
            | set(self.multi_conn, transmission::CAN_MULTI_CONN)
    }
}
