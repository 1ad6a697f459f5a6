//! Reads of pages in flight, in slots that are used again and lists through them.

use crate::kernel::command::CommandId;
use engine::narrow;

/// The recipient of a page read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadOwner {
    /// A host command.
    Host(CommandId),
    /// Collection; the valid units of the page, lowest bit first.
    Copy(u32),
    /// A write smaller than the mapping unit, by logical unit.
    Modify(u32),
    /// A translation page, for host commands.
    Map(u32),
    /// Reading ahead, for what the host is about to ask; the part that arrives.
    Ahead(u32),
}

impl ReadOwner {
    /// True if a host command waits for the data, or soon will.
    #[inline]
    pub fn is_host(self) -> bool {
        matches!(self, ReadOwner::Host(_) | ReadOwner::Map(_) | ReadOwner::Ahead(_))
    }
}

/// What becomes of the data of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It can be read, perhaps after retries.
    Whole,
    /// The code cannot correct it.
    Lost,
    /// It is read to put a lost page together, and goes no further than the controller.
    Rebuild,
}

/// One sense and transfer, and its retries.
#[derive(Clone, Copy, Debug)]
pub struct PageRead {
    /// The recipient.
    pub owner: ReadOwner,
    /// First physical unit wanted.
    pub unit: u32,
    /// Bytes to move.
    pub bytes: u32,
    /// Die.
    pub die: u16,
    /// Plane (the first, if one sense serves several).
    pub plane: u8,
    /// Page type, which fixes the sense time.
    pub page_type: u8,
    /// How often it is still to be read again with other references.
    pub retries: u8,
    /// What becomes of the data.
    pub fate: Fate,
}

const NONE: u32 = u32::MAX;

/// A queue of reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadList {
    head: u32,
    tail: u32,
}

impl ReadList {
    /// True if no read waits in it.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.head == NONE
    }
}

impl Default for ReadList {
    fn default() -> Self {
        ReadList { head: NONE, tail: NONE }
    }
}

/// The reads that wait for one plane.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct PlaneQueue {
    /// Those of the host.
    pub(super) host: ReadList,
    /// Those of collection.
    pub(super) copies: ReadList,
}

/// The reads in flight.
#[derive(Default)]
pub(super) struct Reads {
    slots: Vec<(PageRead, u32)>,
    free: Vec<u32>,
}

impl Reads {
    #[inline]
    pub(super) fn insert(&mut self, read: PageRead) -> u32 {
        let id = self.free.pop().unwrap_or_else(|| self.grow());
        // It is written where it stays: a copy would wait for its parts.
        self.slots[id as usize] = (read, NONE);
        id
    }

    /// A slot more. Apart, since it happens once for each of the most reads in flight.
    #[cold]
    fn grow(&mut self) -> u32 {
        let nothing = PageRead {
            owner: ReadOwner::Copy(0),
            unit: 0,
            bytes: 0,
            die: 0,
            plane: 0,
            page_type: 0,
            retries: 0,
            fate: Fate::Whole,
        };
        self.slots.push((nothing, NONE));
        narrow(self.slots.len() - 1)
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &PageRead {
        &self.slots[id as usize].0
    }

    #[inline]
    pub(super) fn remove(&mut self, id: u32) -> PageRead {
        self.free.push(id);
        self.slots[id as usize].0
    }

    /// One retry less to do.
    pub(super) fn count_retry(&mut self, id: u32) {
        self.slots[id as usize].0.retries -= 1;
    }

    pub(super) fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    #[inline]
    pub(super) fn push(&mut self, list: &mut ReadList, id: u32) {
        self.slots[id as usize].1 = NONE;
        if list.tail == NONE {
            list.head = id;
        } else {
            self.slots[list.tail as usize].1 = id;
        }
        list.tail = id;
    }

    #[inline]
    pub(super) fn pop(&mut self, list: &mut ReadList) -> Option<u32> {
        let id = list.head;
        if id == NONE {
            return None;
        }
        list.head = self.slots[id as usize].1;
        if list.head == NONE {
            list.tail = NONE;
        }
        Some(id)
    }
}
