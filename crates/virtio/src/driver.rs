//! The other side of a queue: a driver as a guest has it, for tests and tools.

use std::collections::BTreeMap;
use std::sync::atomic::{Ordering, fence};
use vm_memory::{Address as _, Bytes as _, GuestAddress, GuestMemoryError, GuestMemoryMmap};

/// Flags of a descriptor: another follows, the device writes, it is a table of descriptors.
pub const NEXT: u16 = 1;
/// The device writes there.
pub const WRITE: u16 = 2;
/// It is a table of descriptors.
pub const INDIRECT: u16 = 4;

/// Reads.
pub const IN: u32 = 0;
/// Writes.
pub const OUT: u32 = 1;
/// Everything acknowledged is durable when it ends.
pub const FLUSH: u32 = 4;
/// The serial number.
pub const GET_ID: u32 = 8;
/// Ranges are needed no more.
pub const DISCARD: u32 = 11;
/// Ranges become zeros.
pub const WRITE_ZEROES: u32 = 13;

/// Bytes of memory for the rings.
const RINGS: u64 = 64 << 10;
/// Bytes of memory for each request: its header, its status, a table, and its data.
const ROOM: u64 = 256 << 10;
const STATUS_AT: u64 = 16;
const TABLE_AT: u64 = 64;
const DATA_AT: u64 = 4096;

/// A descriptor as it stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Address of the guest.
    pub addr: u64,
    /// Bytes.
    pub len: u32,
    /// [`NEXT`], [`WRITE`], [`INDIRECT`].
    pub flags: u16,
    /// The one that follows.
    pub next: u16,
}

impl Descriptor {
    /// As it stands in memory.
    pub fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.addr.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.flags.to_le_bytes());
        bytes[14..].copy_from_slice(&self.next.to_le_bytes());
        bytes
    }
}

/// A range of a request of ranges, as it stands in memory.
pub fn range(sector: u64, sectors: u32, flags: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&sector.to_le_bytes());
    bytes[8..12].copy_from_slice(&sectors.to_le_bytes());
    bytes[12..].copy_from_slice(&flags.to_le_bytes());
    bytes
}

/// The end of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its number, from [`Driver::ask`].
    pub number: u16,
    /// Its status; `u8::MAX` if none was written.
    pub status: u8,
    /// What was read.
    pub data: Vec<u8>,
    /// Bytes that the device says it has written.
    pub written: u32,
}

/// A queue of a guest with its requests, in memory from an address on.
pub struct Driver {
    memory: GuestMemoryMmap,
    at: u64,
    entries: u16,
    offered: u16,
    taken: u16,
    /// Requests under way, and how much each reads.
    reads: BTreeMap<u16, u32>,
    /// Chains are tables beside the ring.
    indirect: bool,
}

/// What the driver's own memory cannot be: too small.
type Done<T> = Result<T, GuestMemoryError>;

impl Driver {
    /// Bytes of memory that a driver with so many entries uses.
    pub fn bytes(entries: u16) -> u64 {
        RINGS + ROOM * u64::from(entries / 3)
    }

    /// A driver with its rings and requests in memory from `at` on. `indirect` puts descriptors
    /// into tables.
    pub fn new(memory: GuestMemoryMmap, at: u64, entries: u16, indirect: bool) -> Self {
        let reads = BTreeMap::new();
        Driver { memory, at, entries, offered: 0, taken: 0, reads, indirect }
    }

    /// Descriptors, what is offered, what comes back: addresses of the guest.
    pub fn place(&self) -> (u64, u64, u64) {
        let entries = u64::from(self.entries);
        let available = self.at + 16 * entries;
        let used = (available + 6 + 2 * entries).next_multiple_of(64);
        (self.at, available, used)
    }

    fn store(&self, addr: u64, value: u16) -> Done<()> {
        self.memory.store(value.to_le(), GuestAddress(addr), Ordering::Release)
    }

    fn load(&self, addr: u64) -> Done<u16> {
        self.memory.load(GuestAddress(addr), Ordering::Acquire).map(u16::from_le)
    }

    /// Writes a descriptor into the table of the queue.
    ///
    /// # Errors
    /// An address that is not in memory.
    pub fn set(&self, index: u16, descriptor: Descriptor) -> Done<()> {
        let addr = self.at + 16 * u64::from(index);
        self.memory.write_slice(&descriptor.bytes(), GuestAddress(addr))
    }

    /// Offers the chain that begins at a descriptor.
    ///
    /// # Errors
    /// Rings that are not in memory.
    pub fn offer(&mut self, head: u16) -> Done<()> {
        let (_, available, _) = self.place();
        self.store(available + 4 + 2 * u64::from(self.offered % self.entries), head)?;
        self.offered = self.offered.wrapping_add(1);
        self.store(available + 2, self.offered)
    }

    /// Whether the device wants to be told of what was offered since `before` chains were; with
    /// events agreed on.
    ///
    /// # Errors
    /// Rings that are not in memory.
    pub fn must_kick(&self, before: u16) -> Done<bool> {
        fence(Ordering::SeqCst);
        let (_, _, used) = self.place();
        let event = self.load(used + 4 + 8 * u64::from(self.entries))?;
        let passed = self.offered.wrapping_sub(event).wrapping_sub(1);
        Ok(passed < self.offered.wrapping_sub(before))
    }

    /// Chains that were offered so far.
    pub fn offered(&self) -> u16 {
        self.offered
    }

    /// The address of the memory of a request.
    pub fn room(&self, number: u16) -> u64 {
        self.at + RINGS + ROOM * u64::from(number)
    }

    /// Asks for something: the bytes go with it, and so many are read. Returns its number, or
    /// `None` if all are under way.
    ///
    /// # Errors
    /// Memory that is too small.
    pub fn ask(&mut self, kind: u32, sector: u64, out: &[u8], read: u32) -> Done<Option<u16>> {
        let free = (0..self.entries / 3).find(|number| !self.reads.contains_key(number));
        let Some(number) = free else { return Ok(None) };
        let room = self.room(number);
        let mut header = [0; 16];
        header[..4].copy_from_slice(&kind.to_le_bytes());
        header[8..].copy_from_slice(&sector.to_le_bytes());
        self.memory.write_slice(&header, GuestAddress(room))?;
        self.memory.write_slice(&[u8::MAX], GuestAddress(room + STATUS_AT))?;
        self.memory.write_slice(out, GuestAddress(room + DATA_AT))?;
        let mut parts = vec![(room, 16, 0)];
        let len = u32::try_from(out.len()).unwrap_or(u32::MAX);
        parts.extend((len > 0).then_some((room + DATA_AT, len, 0)));
        parts.extend((read > 0).then_some((room + DATA_AT, read, WRITE)));
        parts.push((room + STATUS_AT, 1, WRITE));
        let first = if self.indirect { 0 } else { 3 * number };
        let last = parts.len() - 1;
        for (i, (addr, len, flags)) in parts.iter().copied().enumerate() {
            let index = first + u16::try_from(i).unwrap_or(0);
            let (flags, next) = if i == last { (flags, 0) } else { (flags | NEXT, index + 1) };
            let descriptor = Descriptor { addr, len, flags, next };
            match self.indirect {
                true => {
                    let addr = GuestAddress(room + TABLE_AT).unchecked_add(16 * i as u64);
                    self.memory.write_slice(&descriptor.bytes(), addr)?;
                }
                false => self.set(index, descriptor)?,
            }
        }
        if self.indirect {
            let len = 16 * u32::try_from(parts.len()).unwrap_or(0);
            let table = Descriptor { addr: room + TABLE_AT, len, flags: INDIRECT, next: 0 };
            self.set(3 * number, table)?;
        }
        self.reads.insert(number, read);
        self.offer(3 * number)?;
        Ok(Some(number))
    }

    /// The next request that has ended.
    ///
    /// # Errors
    /// Rings that are not in memory.
    pub fn ended(&mut self) -> Done<Option<Ended>> {
        let (_, available, used) = self.place();
        if self.load(used + 2)? == self.taken {
            return Ok(None);
        }
        let mut element = [0; 8];
        let addr = used + 4 + 8 * u64::from(self.taken % self.entries);
        self.memory.read_slice(&mut element, GuestAddress(addr))?;
        self.taken = self.taken.wrapping_add(1);
        // It is to be told of the next one.
        self.store(available + 4 + 2 * u64::from(self.entries), self.taken)?;
        let word = |at: usize| element[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let (number, written) = (u16::try_from(word(0) / 3).unwrap_or(u16::MAX), word(4));
        let read = self.reads.remove(&number).unwrap_or(0);
        let (mut status, mut data) = ([0], vec![0; read as usize]);
        let room = self.room(number);
        self.memory.read_slice(&mut status, GuestAddress(room + STATUS_AT))?;
        self.memory.read_slice(&mut data, GuestAddress(room + DATA_AT))?;
        Ok(Some(Ended { number, status: status[0], data, written }))
    }
}
