//! Making members agree: rebuilding one that was replaced, and resynchronising redundancy after an
//! unclean stop. Both go over the rows in windows, at a pace between two limits.

use super::config::SyncPolicy;
use super::follow::Follow;
use super::plan::{Method, Plan, Reach};
use super::stripe::Kind;
use super::{Purpose, Raid, kind};
use crate::kernel::Context;
use crate::kernel::command::{Command, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use ::engine::{Event, Instant, Priority, narrow};
use std::collections::VecDeque;

/// Rows that are done at once.
struct Window {
    /// The sequence of its operation.
    sequence: u64,
    /// The rows that are done with it.
    end: u64,
    done: bool,
    /// Whether commands came from above when it began.
    busy: bool,
}

/// A rebuild or resync in progress.
pub(super) struct Sync {
    /// The slot that is rebuilt; a resync has none.
    pub slot: Option<u32>,
    /// The next row that no window has been begun for.
    next: u64,
    /// Rows of the passes before: a rebuild that is held begins again and again.
    before: u64,
    /// Rows below are done.
    pub done: u64,
    /// Windows in progress.
    windows: VecDeque<Window>,
    /// The earliest start of the next window.
    next_at: Instant,
    /// When the next window has to start for the lower limit.
    due: Instant,
    /// Commands that had arrived when the last window began, or when this was looked at last.
    seen: u64,
    timer: bool,
}

impl Sync {
    fn begin(slot: Option<u32>, now: Instant, arrivals: u64) -> Self {
        Sync {
            slot,
            next: 0,
            before: 0,
            done: 0,
            windows: VecDeque::new(),
            next_at: now,
            due: now,
            seen: arrivals,
            timer: false,
        }
    }

    /// Whether one more window has to wait for those in progress, or for its time. Beside commands
    /// from above fewer are in progress, unless that is too slow for the lower limit.
    fn waits(&self, policy: &SyncPolicy, now: Instant, busy: bool) -> bool {
        let most = if busy && now < self.due { policy.beside } else { policy.windows };
        now < self.next_at || self.windows.len() >= most as usize
    }

    /// A window of some rows begins: when the next one may, and when it has to. What is behind the
    /// lower limit is made good by windows at once, as many as there can be.
    fn pace(&mut self, policy: &SyncPolicy, now: Instant, rows: u64) {
        let each = policy.min.time_for(rows);
        let most = each * policy.windows as u64;
        let due = self.due.min(now);
        let behind = now.since(due);
        self.due = due + (behind - behind.min(most)) + each;
        self.next_at = now + policy.max.time_for(rows);
    }
}

impl<P: Payload> Raid<P> {
    /// A new drive at the address `new`, fresh and at least as large, comes in the place of the
    /// member at `old` and is rebuilt.
    pub fn replace<O: Probe<P>>(&mut self, context: &mut Context<P, O>, old: u16, new: u16) {
        if let Some(member) = self.members.all.iter().position(|member| member.address == old) {
            self.fail_member(context, narrow(member));
        }
        self.members.add_spare(new);
        self.rebuild_failed = false;
        self.start_sync(context);
    }

    /// What is left of the rebuild or resync is done at once, with the array at rest. Returns what
    /// is thereby written to a rebuilt member: its address, first byte, bytes.
    ///
    /// # Panics
    /// If the array is not at rest.
    pub fn finish_sync(&mut self) -> Option<(u16, u64, u64)> {
        assert!(self.is_at_rest(), "a rebuild is finished at rest only");
        let sync = self.sync.take()?;
        let Some(slot) = sync.slot else {
            self.regions.nothing_todo();
            return None;
        };
        let rebuilt = self.members.rebuilt();
        self.members.rebuild_done();
        self.at_start = false;
        let member = self.members.at(slot)?;
        let address = self.members.all[member as usize].address;
        Some((address, rebuilt, self.layout.member_bytes() - rebuilt))
    }

    /// Rebuilds stay at their beginning from now on, until [`Raid::finish_sync`]: they go over the
    /// rows again and again, and no row counts as rebuilt. So a load beside the rebuild of a part
    /// of an array meets what it meets in the first seconds of that of the whole one.
    pub fn hold_rebuild(&mut self) {
        self.at_start = true;
    }

    /// A member takes no more commands.
    #[cold]
    pub(super) fn fail_member<O: Probe<P>>(&mut self, context: &mut Context<P, O>, member: u16) {
        if self.members.all[member as usize].failed {
            return;
        }
        let Some(slot) = self.members.fail(member) else { return };
        let ended = match &self.sync {
            Some(sync) => sync.slot.is_none_or(|own| own == slot),
            None => false,
        };
        if ended {
            self.accept_risk();
            self.sync = None;
        }
        if self.members.is_lost(&self.layout) {
            self.lost = true;
            self.sync = None;
            return;
        }
        self.start_sync(context);
    }

    /// With a member missing, parity that may be wrong cannot be distinguished from correct parity:
    /// the data that it represents is taken as it is.
    fn accept_risk(&mut self) {
        if self.layout.parities() == 0 || self.members.unreadable(u64::MAX) == 0 {
            return;
        }
        let from = self.sync.as_ref().map_or(0, |sync| sync.done);
        let rows = self.regions.todo_bytes(from, self.layout.member_bytes());
        self.at_risk += rows * self.layout.columns() as u64;
        self.regions.nothing_todo();
    }

    /// Whether an operation is a window of the rebuild or resync in progress.
    pub(super) fn is_window(&self, sequence: u64) -> bool {
        self.sync.as_ref().is_some_and(|sync| sync.windows.iter().any(|w| w.sequence == sequence))
    }

    /// Data of a member that is being replaced cannot be found.
    pub(super) fn give_up_rebuild<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.rebuild_failed = true;
        if let Some(slot) = self.members.rebuilding()
            && let Some(member) = self.members.at(slot)
        {
            self.fail_member(context, member);
        }
    }

    /// Begins the resync or rebuild that is due, if no other is in progress.
    pub(super) fn start_sync<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.sync.is_some() || self.lost || self.gone {
            return;
        }
        if self.regions.next_todo(0).is_some() {
            self.accept_risk();
        }
        let resync = self.regions.next_todo(0).is_some();
        let slot = match resync {
            true => None,
            false if self.rebuild_failed || !self.redundant() => return,
            false => match self.members.rebuilding().or_else(|| self.members.take_spare()) {
                Some(slot) => Some(slot),
                None => return,
            },
        };
        let now = context.queue.now();
        self.follow = Follow::begin(now);
        self.sync = Some(Sync::begin(slot, now, self.arrivals));
        self.pump(context);
    }

    /// True if redundancy of these rows may still be wrong.
    #[inline]
    pub(super) fn is_stale(&self, row: u64, rows: u64) -> bool {
        match &self.sync {
            Some(Sync { slot: None, done, .. }) => {
                row + rows > *done && self.regions.is_todo(row, rows)
            }
            _ => false,
        }
    }

    pub(super) fn sync_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if let Some(sync) = &mut self.sync {
            sync.timer = false;
            self.pump(context);
        }
    }

    /// Begins windows as far as the pace allows.
    pub(super) fn pump<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        let (chunk, total) = (self.layout.chunk(), self.layout.member_bytes());
        let Some(sync) = &self.sync else { return };
        let busy = self.hosts > 0 || self.arrivals != sync.seen;
        while let Some(sync) = &mut self.sync {
            if sync.slot.is_none() {
                let next = self.regions.next_todo(sync.next).unwrap_or(total);
                sync.next = sync.next.max(next / chunk * chunk);
                if sync.windows.is_empty() {
                    sync.done = sync.next;
                }
            } else if self.at_start && sync.next >= total {
                sync.next = 0;
                sync.before += total;
            }
            if sync.next >= total {
                if sync.windows.is_empty() {
                    self.sync_done(context);
                }
                return;
            }
            if self.resting {
                return;
            }
            if sync.waits(&self.config.sync, now, busy) {
                return self.look_again(context, busy);
            }
            self.begin_window(now, busy);
        }
    }

    /// What waits for a time, and not for a window that ends, is looked at again.
    fn look_again<O: Probe<P>>(&mut self, context: &mut Context<P, O>, busy: bool) {
        let policy = &self.config.sync;
        let Some(sync) = &mut self.sync else { return };
        let now = context.queue.now();
        if sync.timer || sync.windows.len() >= policy.windows as usize {
            return;
        }
        let at = match now < sync.next_at {
            true => sync.next_at,
            false if busy && sync.windows.is_empty() => {
                // After the time of a window, since the host may fall silent.
                sync.seen = self.arrivals;
                sync.due.min(now + policy.max.time_for(policy.window as u64))
            }
            false => return,
        };
        sync.timer = true;
        let event = Event { node: self.node, kind: kind::SYNC, argument: 0 };
        context.queue.push(at, Priority::Normal, event);
    }

    fn begin_window(&mut self, now: Instant, busy: bool) {
        let Some(sync) = &mut self.sync else { return };
        let (row, policy) = (sync.next, &self.config.sync);
        let rows = (policy.window as u64).min(self.layout.member_bytes() - row);
        sync.pace(policy, now, rows);
        sync.next += rows;
        sync.seen = self.arrivals;
        let (end, slot) = (sync.before + sync.next, sync.slot);
        let (kind, columns) = match slot {
            Some(slot) if self.layout.parities() == 0 => {
                (Kind::Rebuild, 1 << (slot / self.layout.copies()))
            }
            Some(_) => (Kind::Rebuild, self.layout.all_columns()),
            None => (Kind::Resync, self.layout.all_columns()),
        };
        let op = self.operation(kind, row, narrow(rows), columns);
        let sequence = self.stripes.get(op).sequence;
        if let Some(sync) = &mut self.sync {
            sync.windows.push_back(Window { sequence, end, done: false, busy });
        }
        self.ready.push_back(op);
    }

    /// What a resync of some rows reads and writes.
    pub(super) fn plan_resync(&self, op: u32, reach: Reach) -> Option<Plan> {
        let operation = self.stripes.get(op);
        if self.layout.parities() > 0 {
            if reach.unreadable != 0 {
                return None;
            }
            let every = u64::MAX >> (64 - self.layout.members());
            let writes = self.layout.parity_slots(self.layout.stripe(operation.row));
            return Some(Plan { method: Method::Encode, reads: every, writes });
        }
        let (mut reads, mut writes) = (0, 0);
        for column in 0..self.layout.columns() {
            let slots = self.layout.slots(0, 1 << column) & !reach.unwritable;
            let readable = slots & !reach.unreadable;
            if readable & readable.wrapping_sub(1) != 0 || readable != slots && readable != 0 {
                let first = readable & readable.wrapping_neg();
                reads |= first;
                writes |= slots & !first;
            }
        }
        Some(Plan { method: Method::Restore, reads, writes })
    }

    /// Writes the parity chunks of all stripes of a resync.
    pub(super) fn write_parities<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let chunk = self.layout.chunk();
        let operation = self.stripes.get_mut(op);
        let (mut row, end) = (operation.row, operation.row + operation.rows as u64);
        operation.pending = 0;
        while row < end {
            let mut slots = self.layout.parity_slots(self.layout.stripe(row));
            slots &= !self.members.missing();
            while slots != 0 {
                let slot = slots.trailing_zeros();
                slots &= slots - 1;
                self.stripes.get_mut(op).pending += 1;
                let len = narrow(chunk.min(end - row));
                let write = Command { durable: true, ..Command::new(Op::Write, row, len) };
                let child = self.send(context, slot, Purpose::Operation, op, write);
                if P::CARRIED {
                    self.put_tags(context, op, slot, row, child);
                }
            }
            row += chunk;
        }
        if self.stripes.get(op).pending == 0 {
            self.finish(context, op, Status::Ok);
        }
    }

    /// A window has ended.
    pub(super) fn window_done<O: Probe<P>>(&mut self, context: &mut Context<P, O>, sequence: u64) {
        let Some(sync) = &mut self.sync else { return };
        let Some(window) = sync.windows.iter_mut().find(|w| w.sequence == sequence) else { return };
        window.done = true;
        while let Some(window) = sync.windows.pop_front_if(|window| window.done) {
            sync.done = window.end;
            self.follow.done(context.queue.now(), sync.done, window.busy);
        }
        if sync.slot.is_some() && !self.at_start {
            self.members.set_rebuilt(sync.done);
        }
        self.pump(context);
    }

    fn sync_done<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let Some(sync) = self.sync.take() else { return };
        match sync.slot {
            Some(_) => self.members.rebuild_done(),
            None => {
                self.regions.nothing_todo();
                self.watch_quiet(context);
            }
        }
        self.start_sync(context);
    }

    /// Nothing is in flight.
    pub(super) fn forget(&mut self) {
        self.parts.clear();
        for member in &mut self.members.all {
            member.outstanding = 0;
        }
        self.engine.reset();
        (self.hosts, self.rows, self.reading) = (0, 0, 0);
        (self.marks_pending, self.quiet_pending, self.clean_timer) = (0, 0, false);
        self.queue.clear();
        self.ready.clear();
        self.released.clear();
        self.gathering.clear();
        self.held.clear();
        self.marking.clear();
        self.to_mark.clear();
    }

    /// Power is back: what a log kept is written again, and what may differ is made to agree.
    pub(super) fn start_up<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.watch_quiet(context);
        self.start_sync(context);
    }

    /// Work continues after a rest.
    pub(super) fn wake<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if std::mem::take(&mut self.resting) {
            self.follow.resume(context.queue.now());
        }
        self.pump(context);
    }
}
