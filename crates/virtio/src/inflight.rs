//! What is under way, in memory that the frontend keeps: after a connection broke, the next one
//! takes it up again.
//!
//! Each queue has a region: 16 bytes about it, and 16 for each of its descriptors. The layout is
//! that of vhost-user for split rings.

use crate::config::{ENTRIES, QUEUES};
use crate::memory;
use rustix::fs::{MemfdFlags, SealFlags};
use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;
use vm_memory::{Bytes as _, GuestAddress, GuestMemoryError, GuestMemoryMmap};

/// Bytes about a queue, and about each of its descriptors.
const HEADER: u64 = 16;
const ENTRY: u64 = 16;
/// Places in the header: version, descriptors, the descriptor given back last, the used index.
const VERSION_AT: u64 = 8;
const ENTRIES_AT: u64 = 10;
const LAST_AT: u64 = 12;
const USED_AT: u64 = 14;
/// Places in an entry: the descriptor given back before it, and its turn.
const NEXT_AT: u64 = 6;
const TURN_AT: u64 = 8;

/// The memory of what is under way.
pub(crate) struct Inflight {
    mapped: GuestMemoryMmap,
    entries: u16,
    queues: u16,
}

/// How large it is: queues, and entries of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) queues: u16,
    pub(crate) entries: u16,
}

impl Shape {
    /// Bytes of the region of a queue.
    fn each(self) -> u64 {
        (HEADER + ENTRY * u64::from(self.entries)).next_multiple_of(64)
    }

    /// Bytes of all.
    pub(crate) fn bytes(self) -> u64 {
        self.each() * u64::from(self.queues)
    }

    pub(crate) fn is_possible(self) -> bool {
        (1..=QUEUES).contains(&self.queues) && (1..=ENTRIES).contains(&self.entries)
    }
}

/// Memory in which nothing is under way yet.
pub(crate) fn create(shape: Shape) -> io::Result<File> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = File::from(rustix::fs::memfd_create("under-way", flags)?);
    file.set_len(shape.bytes())?;
    rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

type Done<T> = Result<T, GuestMemoryError>;

impl Inflight {
    /// Maps the memory at an offset of a file.
    pub(crate) fn map(file: File, offset: u64, shape: Shape) -> Result<Self, String> {
        let mapped = memory::map(0, file, offset, shape.bytes())?;
        let mapped = GuestMemoryMmap::from_regions(vec![mapped]).map_err(|e| e.to_string())?;
        Ok(Inflight { mapped, entries: shape.entries, queues: shape.queues })
    }

    fn header(&self, queue: usize, at: u64) -> GuestAddress {
        let Inflight { queues, entries, .. } = *self;
        GuestAddress(Shape { queues, entries }.each() * queue as u64 + at)
    }

    fn entry(&self, queue: usize, head: u16, at: u64) -> GuestAddress {
        self.header(queue, HEADER + ENTRY * u64::from(head) + at)
    }

    fn has(&self, queue: usize, head: u16) -> bool {
        queue < usize::from(self.queues) && head < self.entries
    }

    /// A queue begins, with so many chains given back according to its ring. Returns what was
    /// under way, in its order, and the turn of the next chain.
    pub(crate) fn begin(&self, queue: usize, used: u16) -> Done<(Vec<u16>, u64)> {
        if !self.has(queue, 0) {
            return Ok((Vec::new(), 0));
        }
        self.mapped.store(1_u16, self.header(queue, VERSION_AT), Ordering::Relaxed)?;
        self.mapped.store(self.entries, self.header(queue, ENTRIES_AT), Ordering::Relaxed)?;
        let known: u16 = self.mapped.load(self.header(queue, USED_AT), Ordering::Acquire)?;
        if known != used {
            // The last chain was given back, and there was no time to note it.
            let last: u16 = self.mapped.load(self.header(queue, LAST_AT), Ordering::Acquire)?;
            if self.has(queue, last) {
                self.mapped.store(0_u8, self.entry(queue, last, 0), Ordering::Release)?;
            }
            self.mapped.store(used, self.header(queue, USED_AT), Ordering::Release)?;
        }
        let mut heads = Vec::new();
        for head in 0..self.entries {
            if self.mapped.load::<u8>(self.entry(queue, head, 0), Ordering::Acquire)? == 1 {
                let turn: u64 =
                    self.mapped.load(self.entry(queue, head, TURN_AT), Ordering::Acquire)?;
                heads.push((turn, head));
            }
        }
        heads.sort_unstable();
        let next = heads.last().map_or(0, |(turn, _)| turn.wrapping_add(1));
        Ok((heads.into_iter().map(|(_, head)| head).collect(), next))
    }

    /// A chain is taken.
    pub(crate) fn take(&self, queue: usize, head: u16, turn: u64) -> Done<()> {
        if !self.has(queue, head) {
            return Ok(());
        }
        self.mapped.store(turn, self.entry(queue, head, TURN_AT), Ordering::Relaxed)?;
        self.mapped.store(1_u8, self.entry(queue, head, 0), Ordering::Release)
    }

    /// A chain is about to be given back.
    pub(crate) fn give_back(&self, queue: usize, head: u16) -> Done<()> {
        if !self.has(queue, head) {
            return Ok(());
        }
        let last = self.header(queue, LAST_AT);
        let before: u16 = self.mapped.load(last, Ordering::Relaxed)?;
        self.mapped.store(before, self.entry(queue, head, NEXT_AT), Ordering::Relaxed)?;
        self.mapped.store(head, last, Ordering::Release)
    }

    /// It was given back: so many were by now.
    pub(crate) fn given_back(&self, queue: usize, head: u16, used: u16) -> Done<()> {
        if !self.has(queue, head) {
            return Ok(());
        }
        self.mapped.store(0_u8, self.entry(queue, head, 0), Ordering::Release)?;
        self.mapped.store(used, self.header(queue, USED_AT), Ordering::Release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { queues: 2, entries: 8 };

    #[test]
    fn what_is_under_way_is_found_in_its_order() {
        let file = create(SHAPE).expect("memory");
        let open = || file.try_clone().expect("a file");
        let first = Inflight::map(open(), 0, SHAPE).expect("mapped");
        assert_eq!(first.begin(1, 0).expect("memory"), (vec![], 0));
        for (turn, head) in (0..).zip([5, 2, 7]) {
            first.take(1, head, turn).expect("memory");
        }
        first.give_back(1, 2).expect("memory");
        first.given_back(1, 2, 1).expect("memory");
        let second = Inflight::map(open(), 0, SHAPE).expect("mapped");
        assert_eq!(second.begin(1, 1).expect("memory"), (vec![5, 7], 3));
        assert_eq!(second.begin(0, 0).expect("memory"), (vec![], 0), "another queue");
        // The connection broke between the ring and the note.
        second.give_back(1, 5).expect("memory");
        let third = Inflight::map(open(), 0, SHAPE).expect("mapped");
        assert_eq!(third.begin(1, 2).expect("memory"), (vec![7], 3));
    }

    #[test]
    fn memory_that_is_too_small_is_refused() {
        let file = create(Shape { queues: 1, entries: 8 }).expect("memory");
        assert!(Inflight::map(file, 0, SHAPE).is_err());
    }
}
