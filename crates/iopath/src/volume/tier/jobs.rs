//! Commands that the tier sends to its devices, and what each is for.

use super::grid::Run;
use crate::kernel::command::CommandId;
use engine::narrow;

/// What a command to a device is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    /// Part of a client's read, from the cache.
    ReadCache { client: CommandId, run: Run },
    /// Part of a client's read, from the slow device; blocks may wait to be filled with it.
    ReadBacking { client: CommandId, fills: bool },
    /// Part of a client's write, to the cache.
    WriteCache { client: CommandId, run: Run },
    /// Part of a client's write or trim, or all of it, to the slow device.
    WriteBacking { client: CommandId },
    /// A client's flush of one device; writes to the slow device up to this number are durable
    /// when it is done.
    Flush { client: CommandId, passed: u64 },
    /// What was read goes to the cache.
    Fill { run: Run },
    /// Dirty data is read from the cache.
    DestageRead { destage: u32, run: Run },
    /// Dirty data goes to the slow device.
    DestageWrite { destage: u32 },
    /// What went to the slow device is made durable there.
    Settle { passed: u64 },
}

/// Things with numbers that are used again.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    items: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(super) fn insert(&mut self, item: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.items[place as usize] = Some(item);
            return place;
        }
        self.items.push(Some(item));
        narrow(self.items.len() - 1)
    }

    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.items.get_mut(place as usize)?.as_mut()
    }

    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        let item = self.items.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(item)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}
