//! The stripe cache: what is in flight on stripes, which rows are locked, and which operation waits
//! for which.
//!
//! Operations live in slots that are used again. A small table leads from a stripe to the
//! operations on it, through links that are used again too, so that nothing is allocated in a long
//! run. An operation waits for every earlier one that it meets, so waiting is never circular.

use super::layout::Layout;
use super::plan::{Method, Plan};
use crate::kernel::payload::Payload;
use engine::{index, narrow};

/// No operation, no link.
pub const NONE: u32 = u32::MAX;

/// Places of the table; a power of two.
const BUCKETS: usize = 1024;

/// What an operation is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Data of the host.
    Write,
    /// Whole stripes, or a part of a mirror, that the host trims.
    Trim,
    /// Data of the host that its own member cannot give.
    Read,
    /// What a new member is to hold.
    Rebuild,
    /// Redundancy made to agree with the data after an unclean stop.
    Resync,
    /// A write that a log kept over a power cut.
    Replay,
}

/// How far an operation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Waits for an earlier one, or for its turn.
    Blocked,
    /// Waits for more of its stripe.
    Gathering,
    /// Waits until the region is marked on the members.
    Gated,
    /// Members read.
    Reading,
    /// Parity is calculated.
    Computing,
    /// The log is written.
    Logging,
    /// Members write.
    Writing,
}

/// What is in flight on the same rows of one stripe, or of several whole ones.
#[derive(Clone, Debug)]
pub struct Operation<P> {
    pub kind: Kind,
    pub phase: Phase,
    /// First row, and rows.
    pub row: u64,
    pub rows: u32,
    /// Columns that it is for.
    pub columns: u64,
    /// Order of arrival.
    pub sequence: u64,
    pub plan: Plan,
    /// Commands to members in flight.
    pub pending: u32,
    pub durable: bool,
    /// The log has it.
    pub logged: bool,
    /// A member did not give what was read.
    pub failed: bool,
    /// Slots that could not read these rows.
    pub bad: u64,
    /// Commands of the host that wait for it: a list of links.
    pub hosts: u32,
    /// Operations that wait for it: first, last; and the next that waits with it.
    first_waiter: u32,
    last_waiter: u32,
    next_waiter: u32,
    /// In tests: what each slot held, and what each column is to hold, unit by unit; P and Q.
    pub old: Vec<P>,
    pub new: Vec<P>,
    pub parity: [Vec<P>; 2],
}

#[derive(Clone, Copy)]
struct Link {
    value: u32,
    next: u32,
}

/// All operations of an array.
pub struct Stripes<P> {
    slots: Vec<Operation<P>>,
    free: Vec<u32>,
    live: u32,
    links: Vec<Link>,
    free_links: Vec<u32>,
    buckets: Vec<u32>,
    sequence: u64,
    /// Whole stripes are locked, not only rows.
    whole: bool,
    /// Columns of a stripe do not disturb each other: mirrors.
    columns_apart: bool,
}

impl<P: Payload> Stripes<P> {
    /// Nothing is in flight.
    pub fn new(whole: bool, columns_apart: bool) -> Self {
        Stripes {
            slots: Vec::new(),
            free: Vec::new(),
            live: 0,
            links: Vec::new(),
            free_links: Vec::new(),
            buckets: vec![NONE; BUCKETS],
            sequence: 0,
            whole,
            columns_apart,
        }
    }

    /// Operations in progress.
    pub fn live(&self) -> u32 {
        self.live
    }

    #[inline]
    pub fn get(&self, op: u32) -> &Operation<P> {
        &self.slots[op as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, op: u32) -> &mut Operation<P> {
        &mut self.slots[op as usize]
    }

    /// A new operation, which is blocked and locks its rows behind all earlier ones.
    pub fn begin(&mut self, layout: &Layout, kind: Kind, row: u64, rows: u32, columns: u64) -> u32 {
        self.sequence += 1;
        let fresh = Operation {
            kind,
            phase: Phase::Blocked,
            row,
            rows,
            columns,
            sequence: self.sequence,
            plan: Plan { method: Method::Plain, reads: 0, writes: 0 },
            pending: 0,
            durable: false,
            logged: false,
            failed: false,
            bad: 0,
            hosts: NONE,
            first_waiter: NONE,
            last_waiter: NONE,
            next_waiter: NONE,
            old: Vec::new(),
            new: Vec::new(),
            parity: [Vec::new(), Vec::new()],
        };
        let op = match self.free.pop() {
            Some(op) => {
                self.slots[op as usize] = fresh;
                op
            }
            None => {
                self.slots.push(fresh);
                narrow(self.slots.len() - 1)
            }
        };
        self.live += 1;
        for stripe in self.stripes_of(layout, op) {
            let bucket = index(stripe) & (BUCKETS - 1);
            self.buckets[bucket] = self.link(op, self.buckets[bucket]);
        }
        op
    }

    fn stripes_of(&self, layout: &Layout, op: u32) -> std::ops::RangeInclusive<u64> {
        let op = &self.slots[op as usize];
        layout.stripe(op.row)..=layout.stripe(op.row + op.rows as u64 - 1)
    }

    fn link(&mut self, value: u32, next: u32) -> u32 {
        let link = Link { value, next };
        if let Some(place) = self.free_links.pop() {
            self.links[place as usize] = link;
            return place;
        }
        self.links.push(link);
        narrow(self.links.len() - 1)
    }

    /// Whether two operations must not run together.
    fn meet(&self, layout: &Layout, a: &Operation<P>, b: &Operation<P>) -> bool {
        if a.kind == Kind::Read && b.kind == Kind::Read {
            return false;
        }
        if self.columns_apart && a.columns & b.columns == 0 {
            return false;
        }
        if self.whole {
            let last = |o: &Operation<P>| layout.stripe(o.row + o.rows as u64 - 1);
            return layout.stripe(a.row) <= last(b) && layout.stripe(b.row) <= last(a);
        }
        a.row < b.row + b.rows as u64 && b.row < a.row + a.rows as u64
    }

    /// Lets an operation wait for an earlier one that it meets, if there is one.
    pub fn wait(&mut self, layout: &Layout, op: u32) -> bool {
        let own = &self.slots[op as usize];
        for stripe in self.stripes_of(layout, op) {
            let mut link = self.buckets[index(stripe) & (BUCKETS - 1)];
            while link != NONE {
                let Link { value, next } = self.links[link as usize];
                let other = &self.slots[value as usize];
                if other.sequence < own.sequence && self.meet(layout, own, other) {
                    self.append_waiter(value, op);
                    return true;
                }
                link = next;
            }
        }
        false
    }

    fn append_waiter(&mut self, to: u32, op: u32) {
        self.slots[op as usize].next_waiter = NONE;
        let blocker = &mut self.slots[to as usize];
        let last = std::mem::replace(&mut blocker.last_waiter, op);
        if last == NONE {
            blocker.first_waiter = op;
        } else {
            self.slots[last as usize].next_waiter = op;
        }
    }

    /// A write of exactly these rows that has not begun to read or write, if there is one.
    pub fn open_write(&self, layout: &Layout, row: u64, rows: u32) -> Option<u32> {
        let mut link = self.buckets[index(layout.stripe(row)) & (BUCKETS - 1)];
        while link != NONE {
            let Link { value, next } = self.links[link as usize];
            let other = &self.slots[value as usize];
            let open = matches!(other.phase, Phase::Blocked | Phase::Gathering);
            if open && other.kind == Kind::Write && other.row == row && other.rows == rows {
                return Some(value);
            }
            link = next;
        }
        None
    }

    /// A command of the host waits for an operation.
    pub fn attach(&mut self, op: u32, host: u32) {
        let head = self.slots[op as usize].hosts;
        self.slots[op as usize].hosts = self.link(host, head);
    }

    /// Takes one of the commands that wait for an operation.
    pub fn detach(&mut self, op: u32) -> Option<u32> {
        let head = self.slots[op as usize].hosts;
        if head == NONE {
            return None;
        }
        let Link { value, next } = self.links[head as usize];
        self.free_links.push(head);
        self.slots[op as usize].hosts = next;
        Some(value)
    }

    /// The command of a link, and the next link.
    pub fn host(&self, link: u32) -> Option<(u32, u32)> {
        (link != NONE).then(|| {
            let Link { value, next } = self.links[link as usize];
            (value, next)
        })
    }

    /// Ends an operation: unlocks its rows and notifies the operations that waited for it.
    pub fn end(&mut self, layout: &Layout, op: u32, mut woken: impl FnMut(u32)) {
        debug_assert!(self.slots[op as usize].hosts == NONE);
        for stripe in self.stripes_of(layout, op) {
            self.unlink(index(stripe) & (BUCKETS - 1), op);
        }
        let mut waiter = self.slots[op as usize].first_waiter;
        while waiter != NONE {
            let next = self.slots[waiter as usize].next_waiter;
            woken(waiter);
            waiter = next;
        }
        self.live -= 1;
        self.free.push(op);
    }

    fn unlink(&mut self, bucket: usize, op: u32) {
        let (mut link, mut before) = (self.buckets[bucket], NONE);
        while link != NONE {
            let Link { value, next } = self.links[link as usize];
            if value == op {
                match before {
                    NONE => self.buckets[bucket] = next,
                    _ => self.links[before as usize].next = next,
                }
                self.free_links.push(link);
                return;
            }
            before = link;
            link = next;
        }
    }

    /// Forgets everything that is in flight; returns the contents of the slots, live ones first.
    pub fn clear(&mut self) -> Vec<Operation<P>> {
        let mut live = vec![true; self.slots.len()];
        for &op in &self.free {
            live[op as usize] = false;
        }
        let slots = std::mem::take(&mut self.slots);
        self.free.clear();
        self.links.clear();
        self.free_links.clear();
        self.buckets.fill(NONE);
        self.live = 0;
        let kept = slots.into_iter().zip(live).filter(|(_, live)| *live);
        let mut kept: Vec<_> = kept.map(|(op, _)| op).collect();
        kept.sort_by_key(|op| op.sequence);
        kept
    }

    /// Panics unless links and slots agree.
    pub fn audit(&self) {
        assert_eq!(self.slots.len(), self.free.len() + self.live as usize);
        if self.live == 0 {
            assert_eq!(self.links.len(), self.free_links.len(), "a link of nothing");
        }
    }
}
