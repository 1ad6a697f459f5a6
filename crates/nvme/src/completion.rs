//! How a command ended, with its result and its data.

use crate::status::Status;
use crate::wire::{put, u16_at, u64_at};

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Success, or why not.
    pub status: Status,
    /// Dwords 0 and 1.
    pub result: u64,
    /// What the host reads.
    pub data: Vec<u8>,
}

/// Bytes of a completion queue entry.
pub(crate) const CQE_LEN: usize = 16;

impl Completion {
    /// Success with a result.
    pub(crate) fn ok(result: u64) -> Completion {
        Completion { status: Status::SUCCESS, result, data: Vec::new() }
    }

    /// Success with data.
    pub(crate) fn data(data: Vec<u8>) -> Completion {
        Completion { status: Status::SUCCESS, result: 0, data }
    }

    /// The entry of the completion queue.
    pub(crate) fn entry(&self, head: u16, cid: u16) -> [u8; CQE_LEN] {
        let mut entry = [0; CQE_LEN];
        put(&mut entry, 0, &self.result.to_le_bytes());
        put(&mut entry, 8, &head.to_le_bytes());
        put(&mut entry, 12, &cid.to_le_bytes());
        put(&mut entry, 14, &self.status.field().to_le_bytes());
        entry
    }

    /// What an entry says: the command, and how it ended.
    pub(crate) fn parse(entry: &[u8]) -> (u16, Completion) {
        let status = Status::of_field(u16_at(entry, 14));
        (u16_at(entry, 12), Completion { status, result: u64_at(entry, 0), data: Vec::new() })
    }
}

impl From<Status> for Completion {
    fn from(status: Status) -> Self {
        Completion { status, result: 0, data: Vec::new() }
    }
}
