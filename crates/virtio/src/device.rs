//! The device: requests out of the queues of a guest, and answers into them.

use crate::chain::Chain;
use crate::config::{CONFIG_WCE, Disk, EVENT_IDX, FLUSH, QUEUES};
use crate::fault::Fault;
use crate::inflight::Inflight;
use crate::memory::Memory;
use crate::request::{self, Op, Parsed, Piece, Status};
use crate::ring::{Ring, Trouble};
use std::fs::File;
use std::sync::Arc;
use vm_memory::GuestMemoryMmap;

/// Requests under way, at which no more are taken.
const MOST_REQUESTS: usize = 1024;
/// Bytes under way, at which no more requests are taken.
const MOST_BYTES: u64 = 64 << 20;

/// The name of a request that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(usize);

/// A request of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its name; each piece is answered by it.
    pub tag: Tag,
    /// What is asked, one piece or several.
    pub pieces: Vec<Piece>,
    /// What is written is durable before it ends: the guest has turned the write cache off.
    pub durable: bool,
}

/// What [`Device::next_request`] has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The guest asks for nothing, or has as much under way as it may.
    Nothing,
    /// A request that needed no drive, and has its answer.
    Answered,
    /// The drive is asked.
    Asked(Request),
}

/// A request that is under way.
struct Asked {
    queue: usize,
    chain: Chain,
    is_read: bool,
    /// Pieces that have no answer yet, and what the others came to.
    left: usize,
    status: Status,
    bytes: u64,
}

/// A block device in front of one frontend.
pub struct Device {
    pub(crate) disk: Disk,
    pub(crate) memory: Memory,
    pub(crate) rings: Vec<Ring>,
    /// What is under way, for the next connection.
    pub(crate) inflight: Option<Inflight>,
    /// What the driver has agreed to.
    pub(crate) features: u64,
    /// The switch of the write cache.
    pub(crate) writeback: bool,
    asked: Vec<Option<Asked>>,
    free: Vec<usize>,
    bytes: u64,
    /// The queue that is looked at next.
    turn: usize,
    /// Queues were not looked at, since too much was under way.
    is_held_up: bool,
}

impl Device {
    /// A device that no frontend has set up.
    pub fn new(disk: Disk) -> Self {
        Device {
            disk,
            memory: Memory::default(),
            rings: (0..QUEUES).map(|_| Ring::default()).collect(),
            inflight: None,
            features: 0,
            writeback: true,
            asked: Vec::new(),
            free: Vec::new(),
            bytes: 0,
            turn: 0,
            is_held_up: false,
        }
    }

    /// Requests under way.
    pub fn under_way(&self) -> usize {
        self.asked.len() - self.free.len()
    }

    /// The event by which the guest kicks a queue.
    pub(crate) fn kick_of(&self, queue: usize) -> Option<&Arc<File>> {
        self.rings.get(queue).and_then(|ring| ring.kick.as_ref())
    }

    /// Whether written data may wait for a flush.
    pub(crate) fn is_cached(&self) -> bool {
        match self.features & CONFIG_WCE {
            0 => self.features & FLUSH != 0,
            _ => self.writeback,
        }
    }

    /// Whether queues know at which chain the other side wants to be told.
    pub(crate) fn has_events(&self) -> bool {
        self.features & EVENT_IDX != 0
    }

    /// The rings of a queue that runs lie outside of memory.
    pub(crate) fn lost_ring(&self) -> bool {
        self.rings.iter().any(|ring| !ring.is_valid(self.memory.mapped()))
    }

    /// The next request of the guest: one of each queue in turn.
    ///
    /// # Errors
    /// Rings and chains that cannot be.
    pub fn next_request(&mut self) -> Result<Next, Fault> {
        self.is_held_up = self.under_way() >= MOST_REQUESTS || self.bytes >= MOST_BYTES;
        if self.is_held_up {
            return Ok(Next::Nothing);
        }
        for _ in 0..self.rings.len() {
            let queue = self.turn;
            self.turn = (queue + 1) % self.rings.len();
            let taken = {
                let note = self.inflight.as_ref().map(|inflight| (inflight, queue));
                self.rings[queue].take(self.memory.mapped(), note)
            };
            if let Some(chain) = taken.map_err(|trouble| fault(queue, &trouble))? {
                return self.begin(queue, chain);
            }
        }
        Ok(Next::Nothing)
    }

    /// Begins the request of a chain.
    fn begin(&mut self, queue: usize, chain: Chain) -> Result<Next, Fault> {
        if chain.writable.len() == 0 {
            return Err(Fault::Chain { queue, what: "has no place for a status" });
        }
        match request::parse(&chain, self.memory.mapped(), &self.disk) {
            Parsed::Ask(pieces) => {
                self.rings[queue].under_way += 1;
                let is_read = pieces.iter().any(|piece| piece.op == Op::Read);
                let held = pieces.iter().filter(|piece| has_data(&piece.op));
                let bytes = held.map(|piece| piece.len).sum();
                self.bytes += bytes;
                let (left, status) = (pieces.len(), Status::Ok);
                let tag = self.keep(Asked { queue, chain, is_read, left, status, bytes });
                Ok(Next::Asked(Request { tag, pieces, durable: !self.is_cached() }))
            }
            Parsed::Answer(status, data) => {
                self.answer(queue, &chain, status, &data)?;
                Ok(Next::Answered)
            }
        }
    }

    fn keep(&mut self, asked: Asked) -> Tag {
        match self.free.pop() {
            Some(slot) => {
                self.asked[slot] = Some(asked);
                Tag(slot)
            }
            None => {
                self.asked.push(Some(asked));
                Tag(self.asked.len() - 1)
            }
        }
    }

    /// A piece of a request has ended. What was read goes to the guest, and when all pieces have
    /// ended, the status.
    ///
    /// # Errors
    /// A place for the status that is not in the memory of the guest.
    pub fn complete(&mut self, tag: Tag, result: Result<Vec<u8>, Status>) -> Result<(), Fault> {
        let Some(asked) = self.asked.get_mut(tag.0).and_then(Option::as_mut) else {
            return Ok(());
        };
        asked.left -= 1;
        let data = result.unwrap_or_else(|status| {
            asked.status = status;
            Vec::new()
        });
        if asked.left > 0 {
            return Ok(());
        }
        let Some(asked) = self.asked[tag.0].take() else { return Ok(()) };
        self.free.push(tag.0);
        self.bytes -= asked.bytes;
        let ring = &mut self.rings[asked.queue];
        ring.under_way -= 1;
        if std::mem::take(&mut self.is_held_up) {
            self.rings.iter().for_each(Ring::kick);
        }
        let data = if asked.is_read { data } else { Vec::new() };
        self.answer(asked.queue, &asked.chain, asked.status, &data)
    }

    /// Gives a chain back with its data and status.
    fn answer(
        &mut self,
        queue: usize,
        chain: &Chain,
        status: Status,
        data: &[u8],
    ) -> Result<(), Fault> {
        let memory = self.memory.mapped();
        let last = chain.writable.len() - 1;
        let status = match chain.writable.scatter(memory, 0, data) {
            Ok(()) => status,
            Err(_) => Status::IoError,
        };
        let told = chain.writable.scatter(memory, last, &[status.byte()]);
        told.map_err(|_| Fault::Chain { queue, what: "has its status outside of memory" })?;
        let written = u32::try_from(last + 1).unwrap_or(u32::MAX);
        let note = self.inflight.as_ref().map(|inflight| (inflight, queue));
        let given = self.rings[queue].give_back(memory, chain.head, written, note);
        given.map_err(|trouble| fault(queue, &trouble))
    }

    /// Tells the guest of all that was given back since.
    ///
    /// # Errors
    /// Rings that are not in its memory.
    pub fn call(&mut self) -> Result<(), Fault> {
        let memory: &GuestMemoryMmap = self.memory.mapped();
        for (queue, ring) in self.rings.iter_mut().enumerate() {
            ring.call(memory).map_err(|error| fault(queue, &Trouble::Ring(error)))?;
        }
        Ok(())
    }

    /// Looks at the queues again when everybody else has had a turn.
    pub fn kick(&self) {
        self.rings.iter().for_each(Ring::kick);
    }

    /// Takes nothing more from a queue, or from all, until its frontend begins it again. True if
    /// nothing of it is under way.
    pub(crate) fn pause(&mut self, queue: Option<usize>) -> bool {
        let all = self.rings.iter_mut().enumerate();
        let paused = all.filter(|(number, _)| queue.is_none_or(|queue| queue == *number));
        paused.fold(true, |still, (_, ring)| {
            ring.paused = true;
            still && ring.under_way == 0
        })
    }

    /// As at first: no queue runs, nothing is agreed on. What is under way ends without an answer.
    pub(crate) fn reset(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        *self = Device { memory, ..Device::new(self.disk.clone()) };
    }
}

fn has_data(op: &Op) -> bool {
    matches!(op, Op::Read | Op::Write(_))
}

fn fault(queue: usize, trouble: &Trouble) -> Fault {
    match trouble {
        Trouble::Chain(what) => Fault::Chain { queue, what },
        Trouble::Ring(error) => Fault::Ring { queue, what: error.to_string() },
    }
}
