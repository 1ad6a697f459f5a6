//! A chain of descriptors: ranges of the guest's memory, those to be read before those to be
//! written.

use virtio_queue::desc::split::Descriptor;
use vm_memory::{Bytes as _, GuestAddress, GuestMemoryMmap};

/// Descriptors of a chain at most. Drivers are told to use far less.
const LONGEST: usize = 1024;
/// Bytes of a descriptor.
const DESCRIPTOR: u64 = 16;

/// A range of the guest's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    addr: u64,
    len: u32,
}

/// A chain that the guest has handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// Its first descriptor, by which the guest knows it.
    pub(crate) head: u16,
    pub(crate) readable: Spans,
    pub(crate) writable: Spans,
}

/// Ranges that are one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spans(Vec<Span>);

/// A part of a buffer is not in the memory of the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside;

/// A table of descriptors: that of a queue, or one that a descriptor leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) addr: u64,
    pub(crate) entries: u32,
}

impl Table {
    fn get(self, memory: &GuestMemoryMmap, index: u16) -> Option<Descriptor> {
        let offset = DESCRIPTOR * u64::from(index);
        let addr = self.addr.checked_add(offset).filter(|_| u32::from(index) < self.entries)?;
        memory.read_obj(GuestAddress(addr)).ok()
    }

    /// The table that a descriptor leads to.
    fn behind(descriptor: &Descriptor) -> Option<Self> {
        let len = u64::from(descriptor.len());
        let entries = u32::try_from(len / DESCRIPTOR).ok()?;
        len.is_multiple_of(DESCRIPTOR).then_some(Table { addr: descriptor.addr().0, entries })
    }
}

impl Chain {
    /// Reads the chain that begins at a descriptor of a queue. Says what is wrong with one that has
    /// no end, or no order.
    pub(crate) fn read(
        memory: &GuestMemoryMmap,
        table: Table,
        head: u16,
    ) -> Result<Self, &'static str> {
        const ASTRAY: &str = "leads out of its table";
        let (mut readable, mut writable) = (Spans::default(), Spans::default());
        let (mut table, mut index) = (table, head);
        let (mut is_inner, mut left) = (false, table.entries);
        loop {
            let descriptor = table.get(memory, index).ok_or(ASTRAY)?;
            if descriptor.refers_to_indirect_table() {
                if is_inner {
                    return Err("has a table in a table");
                }
                table = Table::behind(&descriptor).ok_or("has a table of no whole length")?;
                (index, is_inner, left) = (0, true, table.entries);
                continue;
            }
            left = left.checked_sub(1).ok_or("has no end")?;
            let span = Span { addr: descriptor.addr().0, len: descriptor.len() };
            if descriptor.is_write_only() {
                writable.0.push(span);
            } else if writable.0.is_empty() {
                readable.0.push(span);
            } else {
                return Err("has a part to be read behind one to be written");
            }
            if readable.0.len() + writable.0.len() > LONGEST {
                return Err("is too long");
            }
            if !descriptor.has_next() {
                return Ok(Chain { head, readable, writable });
            }
            index = descriptor.next();
        }
    }
}

impl Spans {
    /// Bytes of the buffer.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|span| u64::from(span.len)).sum()
    }

    /// The pieces of memory that hold `len` bytes of the buffer, from `skip` on.
    fn pieces(&self, skip: u64, len: u64) -> impl Iterator<Item = (u64, usize)> {
        let (mut before, end) = (0, skip + len);
        self.0.iter().filter_map(move |span| {
            let (start, stop) = (before, before + u64::from(span.len));
            before = stop;
            let (from, to) = (start.max(skip), stop.min(end));
            let len = usize::try_from(to.checked_sub(from)?).ok().filter(|len| *len > 0)?;
            Some((span.addr.saturating_add(from - start), len))
        })
    }

    /// Fills `to` from the buffer, from its byte `skip` on. The buffer must be as long.
    pub(crate) fn gather(
        &self,
        memory: &GuestMemoryMmap,
        skip: u64,
        to: &mut [u8],
    ) -> Result<(), Outside> {
        let mut done = 0;
        for (addr, len) in self.pieces(skip, to.len() as u64) {
            let piece = &mut to[done..done + len];
            memory.read_slice(piece, GuestAddress(addr)).map_err(|_| Outside)?;
            done += len;
        }
        if done == to.len() { Ok(()) } else { Err(Outside) }
    }

    /// Writes `from` into the buffer, from its byte `skip` on. The buffer must be as long.
    pub(crate) fn scatter(
        &self,
        memory: &GuestMemoryMmap,
        skip: u64,
        from: &[u8],
    ) -> Result<(), Outside> {
        let mut done = 0;
        for (addr, len) in self.pieces(skip, from.len() as u64) {
            let piece = &from[done..done + len];
            memory.write_slice(piece, GuestAddress(addr)).map_err(|_| Outside)?;
            done += len;
        }
        if done == from.len() { Ok(()) } else { Err(Outside) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(of: &[(u64, u32)]) -> Spans {
        Spans(of.iter().map(|&(addr, len)| Span { addr, len }).collect())
    }

    #[test]
    fn a_buffer_of_several_parts_is_one() {
        let memory = GuestMemoryMmap::<()>::from_ranges(&[(GuestAddress(0), 64)]).expect("memory");
        let buffer = spans(&[(10, 3), (0, 0), (40, 4), (20, 1)]);
        assert_eq!(buffer.len(), 8);
        buffer.scatter(&memory, 0, b"abcdefgh").expect("inside");
        let mut all = [0; 64];
        memory.read_slice(&mut all, GuestAddress(0)).expect("inside");
        assert_eq!((&all[10..13], &all[40..44], all[20]), (&b"abc"[..], &b"defg"[..], b'h'));
        let mut part = [0; 4];
        buffer.gather(&memory, 2, &mut part).expect("inside");
        assert_eq!(&part, b"cdef");
        assert_eq!(buffer.gather(&memory, 5, &mut part), Err(Outside), "the buffer is shorter");
    }

    #[test]
    fn what_is_not_in_memory_is_refused() {
        let memory = GuestMemoryMmap::<()>::from_ranges(&[(GuestAddress(0), 64)]).expect("memory");
        for buffer in [spans(&[(60, 8)]), spans(&[(u64::MAX, 8)]), spans(&[(u64::MAX - 2, 8)])] {
            assert_eq!(buffer.scatter(&memory, 4, &[1; 4]), Err(Outside), "{buffer:?}");
        }
    }
}
