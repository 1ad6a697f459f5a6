//! Commands: what one node requests of another, and how they end.

use crate::kernel::payload::Payload;
use engine::{Instant, narrow};

/// The operation of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Read a range.
    Read,
    /// Write a range.
    Write,
    /// Give a range up (TRIM, DEALLOCATE).
    Trim,
    /// Make everything acknowledged durable.
    Flush,
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// As asked.
    Ok,
    /// The medium could not give the data back.
    MediaError,
    /// The device takes no more writes; nothing was written.
    WriteProtected,
    /// The device has failed or lost power.
    DeviceGone,
}

/// Names a command in [`Commands`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandId(pub u32);

/// One command in flight.
#[derive(Clone, Copy, Debug)]
pub struct Command<P: Payload> {
    /// What is asked.
    pub op: Op,
    /// Must be durable before it completes (FUA).
    pub durable: bool,
    /// Namespace, from 0.
    pub namespace: u16,
    /// What is left of the data after compression, in millionths; 1,000,000 for random data.
    pub stored_ppm: u32,
    /// Stream hint: writes of one stream are expected to die together. 0 for none.
    pub stream: u8,
    /// Submission queue, from 0; a drive with fewer takes it modulo their number.
    pub queue: u32,
    /// The node that serves it.
    pub target: u16,
    /// The answer is on its way to the parent.
    pub answered: bool,
    /// The node that gets the completion.
    pub parent: u16,
    /// The parent's own name for it.
    pub tag: u32,
    /// First byte inside the namespace.
    pub start: u64,
    /// Bytes.
    pub len: u32,
    /// Where the parent's next command to the target begins in the same namespace, as far as it
    /// knows. A device may look there early; no result follows from it.
    pub next: Option<u64>,
    /// Tag of the data written.
    pub payload: P,
    /// When the parent began to issue it.
    pub issued: Instant,
    /// When the node below got it.
    pub submitted: Instant,
    /// How it ended; [`Status::Ok`] while it is in flight.
    pub status: Status,
    /// Node's own: parts not yet done.
    pub remaining: u32,
    /// Node's own: how far it has come.
    pub progress: u32,
}

impl<P: Payload> Command<P> {
    /// A command for a range of namespace 0; source and target are left to the caller.
    pub fn new(op: Op, start: u64, len: u32) -> Self {
        Command {
            op,
            durable: false,
            namespace: 0,
            stored_ppm: 1_000_000,
            stream: 0,
            queue: 0,
            target: 0,
            answered: false,
            parent: 0,
            tag: 0,
            start,
            len,
            next: None,
            payload: P::default(),
            issued: Instant::ZERO,
            submitted: Instant::NEVER,
            status: Status::Ok,
            remaining: 0,
            progress: 0,
        }
    }
}

/// The commands in flight, in slots that are used again.
pub struct Commands<P: Payload> {
    slots: Vec<Command<P>>,
    live: Vec<bool>,
    free: Vec<u32>,
}

impl<P: Payload> Default for Commands<P> {
    fn default() -> Self {
        Commands { slots: Vec::new(), live: Vec::new(), free: Vec::new() }
    }
}

impl<P: Payload> Commands<P> {
    /// Takes a slot.
    #[inline]
    pub fn insert(&mut self, command: Command<P>) -> CommandId {
        let slot = self.free.pop().unwrap_or_else(|| self.grow());
        // It is written where it stays: a copy would wait for its parts.
        self.slots[slot as usize] = command;
        self.live[slot as usize] = true;
        CommandId(slot)
    }

    /// A slot more. Apart, since it happens once for each of the most commands in flight.
    #[cold]
    fn grow(&mut self) -> u32 {
        self.slots.push(Command::new(Op::Flush, 0, 0));
        self.live.push(false);
        narrow(self.slots.len() - 1)
    }

    /// Gives a slot back; a command completes exactly once.
    ///
    /// # Panics
    /// If the command has completed before.
    #[inline]
    pub fn remove(&mut self, id: CommandId) -> Command<P> {
        assert!(std::mem::replace(&mut self.live[id.0 as usize], false), "completed twice");
        self.free.push(id.0);
        self.slots[id.0 as usize]
    }

    /// The command in a slot.
    #[inline]
    pub fn get(&self, id: CommandId) -> &Command<P> {
        &self.slots[id.0 as usize]
    }

    /// The command in a slot, to change.
    #[inline]
    pub fn get_mut(&mut self, id: CommandId) -> &mut Command<P> {
        &mut self.slots[id.0 as usize]
    }

    /// Commands in flight.
    pub fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// All commands in flight, in order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (CommandId, &Command<P>)> {
        let ids = (0..narrow::<u32>(self.slots.len())).filter(|&i| self.live[i as usize]);
        ids.map(|i| (CommandId(i), &self.slots[i as usize]))
    }
}
