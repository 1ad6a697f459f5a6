//! A queue: the ring of what the guest offers, and the ring of what it gets back.

use crate::chain::{Chain, Table};
use crate::config::ENTRIES;
use crate::inflight::Inflight;
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use virtio_queue::{Queue, QueueOwnedT as _, QueueT as _};
use vm_memory::{GuestAddress, GuestMemoryError, GuestMemoryMmap};

/// Where the rings are, by addresses of the guest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) descriptors: u64,
    pub(crate) available: u64,
    pub(crate) used: u64,
}

/// A queue as the frontend has set it up.
#[derive(Default)]
pub(crate) struct Ring {
    pub(crate) entries: u16,
    pub(crate) place: Place,
    /// Where the next chain is taken, once it begins.
    pub(crate) base: u16,
    pub(crate) enabled: bool,
    pub(crate) kick: Option<Arc<File>>,
    pub(crate) call: Option<File>,
    /// Nothing is taken: the frontend waits for what is under way.
    pub(crate) paused: bool,
    pub(crate) under_way: usize,
    /// Chains of an earlier connection that are to be taken up again.
    again: VecDeque<u16>,
    /// The turn of the next chain.
    next_turn: u64,
    /// The rings, while the queue runs.
    queue: Option<Queue>,
    /// The guest tells of the next chain.
    armed: bool,
    /// Chains have been given back, and the guest does not know.
    silent: bool,
}

/// What is under way of a queue, for the next connection.
pub(crate) type Note<'a> = Option<(&'a Inflight, usize)>;

/// Why a chain cannot be taken.
pub(crate) enum Trouble {
    Chain(&'static str),
    Ring(virtio_queue::Error),
}

impl Trouble {
    fn note(error: GuestMemoryError) -> Self {
        Trouble::Ring(virtio_queue::Error::GuestMemory(error))
    }
}

impl Ring {
    pub(crate) fn is_begun(&self) -> bool {
        self.queue.is_some()
    }

    /// Begins with the rings as they are in memory.
    pub(crate) fn begin(
        &mut self,
        memory: &GuestMemoryMmap,
        event_idx: bool,
        note: Note<'_>,
    ) -> Result<(), virtio_queue::Error> {
        let mut queue = Queue::new(ENTRIES)?;
        queue.try_set_size(self.entries)?;
        queue.try_set_desc_table_address(GuestAddress(self.place.descriptors))?;
        queue.try_set_avail_ring_address(GuestAddress(self.place.available))?;
        queue.try_set_used_ring_address(GuestAddress(self.place.used))?;
        queue.set_event_idx(event_idx);
        queue.set_next_avail(self.base);
        queue.set_ready(true);
        if !queue.is_valid(memory) {
            return Err(virtio_queue::Error::FindMemoryRegion);
        }
        let used = queue.used_idx(memory, Ordering::Acquire)?;
        queue.set_next_used(used.0);
        if let Some((inflight, number)) = note {
            let (heads, turn) =
                inflight.begin(number, used.0).map_err(virtio_queue::Error::GuestMemory)?;
            let taken = u16::try_from(heads.len()).unwrap_or(0);
            queue.set_next_avail(used.0.wrapping_add(taken));
            (self.again, self.next_turn) = (heads.into(), turn);
        }
        self.queue = Some(queue);
        self.armed = false;
        Ok(())
    }

    /// Whether its rings are in memory, or it has not begun.
    pub(crate) fn is_valid(&self, memory: &GuestMemoryMmap) -> bool {
        self.queue.as_ref().is_none_or(|queue| queue.is_valid(memory))
    }

    /// Ends: the frontend may begin it again at the base that is returned.
    pub(crate) fn end(&mut self) -> u16 {
        self.base = self.queue.take().map_or(self.base, |queue| queue.next_avail());
        self.kick = None;
        self.call = None;
        self.paused = false;
        self.silent = false;
        self.again.clear();
        self.base
    }

    /// The next chain that the guest offers.
    pub(crate) fn take(
        &mut self,
        memory: &GuestMemoryMmap,
        note: Note<'_>,
    ) -> Result<Option<Chain>, Trouble> {
        let Some(queue) = self.queue.as_mut().filter(|_| self.enabled && !self.paused) else {
            return Ok(None);
        };
        let table = Table { addr: queue.desc_table(), entries: queue.size().into() };
        let read = |head| Chain::read(memory, table, head).map(Some).map_err(Trouble::Chain);
        if let Some(head) = self.again.pop_front() {
            return read(head);
        }
        loop {
            if let Some(chain) = queue.iter(memory).map_err(Trouble::Ring)?.next() {
                self.armed = false;
                let head = chain.head_index();
                if let Some((inflight, number)) = note {
                    inflight.take(number, head, self.next_turn).map_err(Trouble::note)?;
                    self.next_turn = self.next_turn.wrapping_add(1);
                }
                return read(head);
            }
            // The guest need not tell of chains while they are taken. It is asked to again, and
            // what it has offered in between is not told.
            if self.armed || !queue.enable_notification(memory).map_err(Trouble::Ring)? {
                self.armed = true;
                return Ok(None);
            }
            self.armed = true;
        }
    }

    /// Gives a chain back, with so many bytes written.
    pub(crate) fn give_back(
        &mut self,
        memory: &GuestMemoryMmap,
        head: u16,
        written: u32,
        note: Note<'_>,
    ) -> Result<(), Trouble> {
        let Some(queue) = &mut self.queue else { return Ok(()) };
        self.silent = true;
        if let Some((inflight, number)) = note {
            inflight.give_back(number, head).map_err(Trouble::note)?;
        }
        queue.add_used(memory, head, written).map_err(Trouble::Ring)?;
        if let Some((inflight, number)) = note {
            inflight.given_back(number, head, queue.next_used()).map_err(Trouble::note)?;
        }
        Ok(())
    }

    /// Tells the guest of what was given back, if it wants to know.
    pub(crate) fn call(&mut self, memory: &GuestMemoryMmap) -> Result<(), virtio_queue::Error> {
        let Some(queue) = self.queue.as_mut().filter(|_| self.silent) else { return Ok(()) };
        self.silent = false;
        if queue.needs_notification(memory)? {
            // A counter that is full tells already, and who has closed it does not want to know.
            let _ = self.call.as_ref().map(|mut call| call.write(&1_u64.to_ne_bytes()));
        }
        Ok(())
    }

    /// Kicks itself: the ring is looked at again when everybody else has had a turn.
    pub(crate) fn kick(&self) {
        // A counter that is full kicks already.
        let _ = self.kick.as_ref().map(|kick| (&**kick).write(&1_u64.to_ne_bytes()));
    }
}
