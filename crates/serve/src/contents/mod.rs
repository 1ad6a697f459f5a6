//! The bytes that a served device holds, with the version of each block and what the latest blocks
//! held before, so that a power cut can take back what the model has lost.

mod file;
mod journal;
mod memory;
mod nothing;
mod versions;

pub use file::{FileMedium, StoreError};
pub use journal::Past;
pub use memory::MemoryMedium;
pub use nothing::NoMedium;

use crate::spaces::KeptSpaces;
use journal::Journal;
use std::io;
use versions::Versions;

/// Bytes kept of blocks as they were, at most. Beyond it the oldest are given up.
pub const JOURNAL_BYTES: u64 = 1 << 30;

/// Where bytes are kept. What was never written reads as zeros.
pub trait Medium {
    /// Reads a range.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, start: u64, to: &mut [u8]) -> io::Result<()>;

    /// Writes a range.
    ///
    /// # Errors
    /// What the system says.
    fn write(&mut self, start: u64, from: &[u8]) -> io::Result<()>;

    /// Makes a range of whole blocks zero, and gives its room back.
    ///
    /// # Errors
    /// What the system says.
    fn clear(&mut self, start: u64, len: u64) -> io::Result<()>;

    /// The namespaces that hosts have made of it, if it outlives the server and they have.
    fn spaces(&self) -> Option<&KeptSpaces> {
        None
    }

    /// Hosts have made these namespaces of it.
    ///
    /// # Errors
    /// What the system says.
    fn keep_spaces(&mut self, _spaces: KeptSpaces) -> io::Result<()> {
        Ok(())
    }
}

/// What a served device holds.
pub struct Contents {
    medium: Box<dyn Medium>,
    bytes: u64,
    /// Bytes of a block: the model keeps one version for each.
    block: u64,
    versions: Versions,
    journal: Journal,
}

/// A stretch of blocks that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Bytes.
    pub len: u64,
    /// Whether the host has written there and not given it up.
    pub held: bool,
}

/// What became of the blocks that a power cut was able to change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Blocks that hold what they held last.
    pub kept: u64,
    /// Blocks that are what they were before.
    pub taken_back: u64,
    /// Blocks of which the model has a version that is no longer known here: they are left as they
    /// are.
    pub unknown: u64,
}

impl Contents {
    /// A device of so many bytes in blocks of `block`. `held` are the ranges that hold data
    /// already.
    pub fn new(medium: Box<dyn Medium>, bytes: u64, block: u64, held: &[(u64, u64)]) -> Self {
        let mut versions = Versions::new(bytes.div_ceil(block));
        for (start, len) in held.iter().filter(|(_, len)| *len > 0) {
            versions.hold(start / block, (start + len).div_ceil(block));
        }
        Contents { medium, bytes, block, versions, journal: Journal::new(JOURNAL_BYTES) }
    }

    /// The namespaces that hosts had made of it before.
    pub fn spaces(&self) -> Option<&KeptSpaces> {
        self.medium.spaces()
    }

    /// Hosts have made these namespaces of it: they are there again however the server ends.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep_spaces(&mut self, spaces: KeptSpaces) -> io::Result<()> {
        self.medium.keep_spaces(spaces)
    }

    /// Bytes of the device.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of a block.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Reads a range.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        self.medium.read(start, to)
    }

    /// Writes a range as version `version` of its blocks. `order` counts the writes.
    ///
    /// # Errors
    /// What the system says; nothing may be taken as written.
    pub fn write(&mut self, start: u64, from: &[u8], version: u32, order: u64) -> io::Result<()> {
        self.note(start, from.len() as u64, version, order)?;
        self.medium.write(start, from)
    }

    /// Writes zeros.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_zeros(
        &mut self,
        start: u64,
        len: u64,
        version: u32,
        order: u64,
    ) -> io::Result<()> {
        self.note(start, len, version, order)?;
        let (first, end) = self.whole_blocks(start, len);
        if first >= end {
            return self.fill(start, start + len);
        }
        self.fill(start, first)?;
        self.medium.clear(first, end - first)?;
        self.fill(end, start + len)
    }

    fn fill(&mut self, start: u64, end: u64) -> io::Result<()> {
        let zeros = vec![0; usize::try_from(end - start).unwrap_or(0)];
        if zeros.is_empty() { Ok(()) } else { self.medium.write(start, &zeros) }
    }

    /// Gives up the whole blocks of a range: they read as zeros, and the model has no version.
    ///
    /// # Errors
    /// What the system says.
    pub fn trim(&mut self, start: u64, len: u64, order: u64) -> io::Result<()> {
        let (first, end) = self.whole_blocks(start, len);
        if first >= end {
            return Ok(());
        }
        // What holds nothing needs no note, and most of a large range holds nothing.
        let (mut at, last) = (first / self.block, end / self.block);
        while at < last {
            let (held, until) = self.versions.run(at, last);
            if held {
                self.note(at * self.block, (until - at) * self.block, 0, order)?;
                self.medium.clear(at * self.block, (until - at) * self.block)?;
            }
            self.versions.give_up(at, until);
            at = until;
        }
        Ok(())
    }

    fn whole_blocks(&self, start: u64, len: u64) -> (u64, u64) {
        let end = start + len;
        // The last block of a device may be short.
        let whole = if end == self.bytes { end } else { end / self.block * self.block };
        (start.next_multiple_of(self.block), whole)
    }

    /// Keeps what the blocks of a range hold, before they become version `version`.
    fn note(&mut self, start: u64, len: u64, version: u32, order: u64) -> io::Result<()> {
        for block in start / self.block..(start + len).div_ceil(self.block) {
            let held = self.versions.is_held(block);
            let bytes = if held { Some(self.block_bytes(block)?) } else { None };
            let before = self.versions.get(block);
            self.journal.push(Past { block, order, before, version, bytes });
            self.versions.set(block, version);
        }
        Ok(())
    }

    fn block_bytes(&self, block: u64) -> io::Result<Box<[u8]>> {
        let start = block * self.block;
        let len = self.block.min(self.bytes - start);
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.medium.read(start, &mut bytes)?;
        Ok(bytes.into_boxed_slice())
    }

    /// Everything before the write number `order` is durable.
    pub fn settle(&mut self, order: u64) {
        self.journal.settle(order);
    }

    /// The write number `order` was refused: its blocks are what they were, unless written since.
    ///
    /// # Errors
    /// What the system says.
    pub fn take_back(&mut self, order: u64) -> io::Result<()> {
        for past in self.journal.remove(order) {
            if self.versions.get(past.block) == past.version {
                self.restore(&past)?;
            }
        }
        Ok(())
    }

    /// The blocks of which the model may have lost the last version.
    pub fn at_risk(&self) -> Vec<u64> {
        self.journal.blocks()
    }

    /// Makes each block that was at risk what the model says that it is: `version_of` is asked for
    /// its version. Nothing is at risk any more.
    ///
    /// # Errors
    /// What the system says.
    pub fn recover(&mut self, version_of: impl Fn(u64) -> u32) -> io::Result<Recovery> {
        let mut done = Recovery::default();
        for (block, pasts) in self.journal.drain_by_block() {
            let durable = version_of(block);
            if self.versions.get(block) == durable {
                done.kept += 1;
            } else if let Some(past) = pasts.iter().rev().find(|past| past.before == durable) {
                self.restore(past)?;
                done.taken_back += 1;
            } else {
                done.unknown += 1;
            }
        }
        Ok(done)
    }

    fn restore(&mut self, past: &Past) -> io::Result<()> {
        let start = past.block * self.block;
        self.versions.set(past.block, past.before);
        match &past.bytes {
            Some(bytes) => self.medium.write(start, bytes),
            None => {
                self.versions.give_up(past.block, past.block + 1);
                self.medium.clear(start, self.block.min(self.bytes - start))
            }
        }
    }

    /// How a range is held, from its first byte on: stretches that cover it.
    pub fn stretches(&self, start: u64, len: u64) -> Vec<Stretch> {
        let (mut stretches, end) = (Vec::new(), start + len);
        let mut at = start;
        while at < end {
            let (held, until) = self.versions.run(at / self.block, end.div_ceil(self.block));
            let next = (until * self.block).min(end);
            stretches.push(Stretch { len: next - at, held });
            at = next;
        }
        stretches
    }
}
