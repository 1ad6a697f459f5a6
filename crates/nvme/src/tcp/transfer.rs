//! The commands of a queue that have no response yet, and their data on the way.

use super::fault::Fault;
use crate::command::Sqe;
use crate::wire::{len32, size};
use std::collections::{BTreeMap, VecDeque};

/// Data that the host may send at once on one connection, beyond what comes with commands.
const GRANTED_AT_ONCE: usize = 8 << 20;

/// A write whose data comes in PDUs of its own.
#[derive(Clone, Debug)]
struct Incoming {
    sqe: Sqe,
    data: Vec<u8>,
    len: u32,
    /// The tag of the transfer, once the host may send.
    tag: Option<u16>,
    damaged: bool,
}

/// The commands that have no response yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers {
    open: BTreeMap<u16, Option<Incoming>>,
    waiting: VecDeque<u16>,
    granted: usize,
    next_tag: u16,
}

/// What the host is told to send: the command, the tag of the transfer and its length.
pub(crate) type Grant = (u16, u16, u32);

/// Data that is whole, and whether every digest of it was right.
pub(crate) type Whole = (Sqe, Vec<u8>, bool);

impl Transfers {
    /// Commands without a response.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Bytes held.
    pub(crate) fn buffered(&self) -> usize {
        self.open.values().flatten().map(|incoming| incoming.data.len()).sum()
    }

    pub(crate) fn contains(&self, cid: u16) -> bool {
        self.open.contains_key(&cid)
    }

    /// A command without data to come.
    pub(crate) fn open(&mut self, cid: u16) {
        self.open.insert(cid, None);
    }

    /// A command whose data has to be asked for.
    pub(crate) fn ask(&mut self, sqe: Sqe) {
        let (data, len) = (Vec::new(), sqe.sgl_len());
        let incoming = Incoming { sqe, data, len, tag: None, damaged: false };
        self.open.insert(sqe.cid(), Some(incoming));
        self.waiting.push_back(sqe.cid());
    }

    /// The response is sent. False if there is no such command, or its data is still to come.
    pub(crate) fn close(&mut self, cid: u16) -> bool {
        matches!(self.open.get(&cid), Some(None)) && self.open.remove(&cid).is_some()
    }

    /// The next transfer that may begin.
    pub(crate) fn grant(&mut self) -> Option<Grant> {
        let cid = *self.waiting.front()?;
        let incoming = self.open.get_mut(&cid)?.as_mut()?;
        let len = size(incoming.len);
        if self.granted > 0 && self.granted + len > GRANTED_AT_ONCE {
            return None;
        }
        self.waiting.pop_front();
        self.granted += len;
        self.next_tag = self.next_tag.wrapping_add(1);
        incoming.tag = Some(self.next_tag);
        Some((cid, self.next_tag, incoming.len))
    }

    /// Data of a command; its whole data if this was the last of it.
    pub(crate) fn take(
        &mut self,
        (cid, tag, offset): (u16, u16, u32),
        (data, last, good): (&[u8], bool, bool),
    ) -> Result<Option<Whole>, Fault> {
        let known = self.open.get_mut(&cid).and_then(Option::as_mut);
        let incoming =
            known.ok_or(Fault::Header { offset: 8, why: "no command waits for data" })?;
        if incoming.tag != Some(tag) {
            return Err(Fault::Header { offset: 10, why: "the tag is not that of the transfer" });
        }
        let due = len32(incoming.data.len());
        let end = incoming.data.len() + data.len();
        if offset != due || end > size(incoming.len) {
            return Err(Fault::DataRange { offset, due });
        }
        if last != (end == size(incoming.len)) {
            return Err(Fault::Header { offset: 1, why: "the flag of the last PDU is wrong" });
        }
        incoming.data.extend_from_slice(data);
        incoming.damaged |= !good;
        if !last {
            return Ok(None);
        }
        let whole = self.open.insert(cid, None).flatten();
        Ok(whole.map(|whole| {
            self.granted -= size(whole.len);
            (whole.sqe, whole.data, !whole.damaged)
        }))
    }
}
