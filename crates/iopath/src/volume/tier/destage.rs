//! Destaging of dirty data to the slow device: read from the cache, written in long runs, made
//! durable there, and only then clean.
//!
//! It happens when the host has left the tier alone for a while, in order of addresses; when too
//! much data is dirty; when dirty data keeps other blocks out; and when the cache is detached.

use super::eviction::LOOKS;
use super::grid::Run;
use super::jobs::{Job, Slab};
use super::{Tier, Use, kind};
use crate::kernel::Context;
use crate::kernel::command::{Command, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Event, Instant, Priority, index, narrow};

/// Runs that are written before the slow device is asked to make them durable, while more follow
/// and no write waits.
const RUNS_A_FLUSH: usize = 64;

/// Dirty blocks that are looked at for one that can be destaged; more will be when something has
/// ended.
const TRIES: usize = 256;

/// One run of dirty sectors.
#[derive(Clone, Debug)]
pub(super) struct Destage<P> {
    start: u64,
    end: u64,
    /// Reads in flight.
    parts: u32,
    ok: bool,
    tags: Vec<P>,
}

/// The block to destage, and the reason.
#[derive(Clone, Debug)]
pub(super) struct Destager<P> {
    runs: Slab<Destage<P>>,
    /// Runs being read or written.
    under_way: u32,
    /// Blocks of all runs.
    leaving: u32,
    /// Runs that are written, and those of them that are being flushed.
    written: Vec<u32>,
    flushing: Vec<u32>,
    /// The next block in order of addresses.
    cursor: u32,
    /// There is too much dirty data.
    pressed: bool,
    /// Dirty data keeps a block out.
    needs_slots: bool,
    /// The host has left the tier alone for long enough.
    idle: bool,
    quiet_since: Instant,
    timer: bool,
    /// Nothing new is begun on idle: the run is over.
    resting: bool,
}

impl<P> Default for Destager<P> {
    fn default() -> Self {
        Destager {
            runs: Slab::default(),
            under_way: 0,
            leaving: 0,
            written: Vec::new(),
            flushing: Vec::new(),
            cursor: 0,
            pressed: false,
            needs_slots: false,
            idle: false,
            quiet_since: Instant::ZERO,
            timer: false,
            resting: false,
        }
    }
}

impl<P> Destager<P> {
    /// A command has come.
    pub(super) fn disturbed(&mut self) {
        (self.idle, self.resting) = (false, false);
    }

    /// Idle time may be used again.
    pub(super) fn go_on(&mut self) {
        self.resting = false;
    }

    /// Idle time is not used until something happens.
    pub(super) fn rest(&mut self) {
        (self.idle, self.resting) = (false, true);
    }

    /// There is too much dirty data.
    pub(super) fn press(&mut self) {
        self.pressed = true;
    }

    /// Dirty data keeps a block out.
    pub(super) fn needs_slots(&mut self) {
        self.needs_slots = true;
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.under_way == 0 && self.written.is_empty() && self.flushing.is_empty()
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "destaging: {} runs under way, {} written, {} flushed, pressed {}, idle {}",
            self.under_way,
            self.written.len(),
            self.flushing.len(),
            self.pressed,
            self.idle
        )
    }
}

impl<P: Payload> Tier<P> {
    /// Destages as much as there is reason for.
    pub(super) fn destage<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let changed = self.directory.dirty_blocks() + self.reserved;
        if changed <= self.goal() {
            self.destager.pressed = false;
        }
        if self.cache_gone || self.backing_gone {
            return;
        }
        while self.destager.under_way < self.config.destage.commands && self.wants_destage() {
            let Some(block) = self.next_to_destage() else { break };
            self.begin_destage(context, block);
        }
        let d = &self.destager;
        let waits = !self.waiting.is_empty();
        let runs = if waits { self.config.destage.commands as usize / 2 } else { RUNS_A_FLUSH };
        let enough = d.under_way == 0 || d.written.len() >= runs;
        if !d.written.is_empty() && d.flushing.is_empty() && enough {
            self.destager.flushing = std::mem::take(&mut self.destager.written);
            let command = Command { target: self.backing, ..Command::new(Op::Flush, 0, 0) };
            let job = Job::Settle { passed: self.passing.done_so_far() };
            self.send(context, job, command);
        }
    }

    /// Dirty blocks at which destaging ends that the limit began.
    fn goal(&self) -> u32 {
        self.config.dirty_goal().min(self.config.dirty_limit() - 1)
    }

    fn wants_destage(&self) -> bool {
        let d = &self.destager;
        // Data in flight counts as gone.
        let changed = (self.directory.dirty_blocks() + self.reserved).saturating_sub(d.leaving);
        let wants = d.pressed && changed > self.goal()
            || d.needs_slots
            || d.idle
            || self.usage == Use::Detaching;
        wants && self.directory.dirty_blocks() > 0
    }

    /// Dirty sectors of a block that are not in flight yet; none while it is written.
    fn can_destage(&self, block: u32) -> u64 {
        let Some(slot) = self.directory.find(block) else { return 0 };
        let record = self.activity.get(slot);
        if record.writes > 0 { 0 } else { self.directory.dirty(slot) & !record.destaging }
    }

    fn next_to_destage(&mut self) -> Option<u32> {
        if self.destager.needs_slots {
            let mut slots = Vec::new();
            self.directory.next_victims(LOOKS as usize, &mut slots);
            let mut blocks = slots.into_iter().map(|slot| self.directory.block(slot));
            if let Some(block) = blocks.find(|&block| self.can_destage(block) != 0) {
                return Some(block);
            }
            self.destager.needs_slots = false;
            if !self.wants_destage() {
                return None;
            }
        }
        for _ in 0..TRIES {
            let from = self.destager.cursor;
            let block = self.directory.next_dirty(from).or_else(|| self.directory.next_dirty(0))?;
            if self.can_destage(block) != 0 {
                return Some(block);
            }
            self.destager.cursor = block + 1;
        }
        None
    }

    /// Begins with the first dirty sectors of a block, and continues over the blocks that follow as
    /// far as all is changed.
    fn begin_destage<O: Probe<P>>(&mut self, context: &mut Context<P, O>, first: u32) {
        let size = self.config.block;
        let full = self.directory.full();
        let mask = self.can_destage(first);
        let from = mask.trailing_zeros();
        let sectors = (mask >> from).trailing_ones().min(full.count_ones() - from);
        let start = first as u64 * size + from as u64 * self.config.sector;
        let mut end = start + sectors as u64 * self.config.sector;
        let mut block = first;
        let most = self.most_to_destage() as u64 * size;
        while end == (block as u64 + 1) * size && end - start < most {
            let next = self.can_destage(block + 1);
            let sectors = next.trailing_ones() as u64;
            if sectors == 0 {
                break;
            }
            end = (end + sectors * self.config.sector).min(end + size);
            block += 1;
        }
        let end = end.min(self.config.backing_bytes).min(start + most.max(size));
        self.destager.cursor = self.grid.block_of(end);
        self.destager.under_way += 1;
        self.destager.leaving += narrow::<u32>(self.grid.blocks(start, end).len());
        let destage = Destage { start, end, parts: 0, ok: true, tags: Vec::new() };
        let number = self.destager.runs.insert(destage);
        let mut run = Run { slot: 0, start, len: 0 };
        for block in self.grid.blocks(start, end) {
            let Some(slot) = self.directory.find(block) else { continue };
            let mask = self.grid.touched(block, start, end);
            self.activity.at(slot).destaging |= mask;
            let base = block as u64 * size;
            let (from, to) = (start.max(base), end.min(base + size));
            let blocks: u32 = narrow(self.grid.blocks(run.start, run.end()).len());
            if run.len > 0 && run.slot + blocks == slot {
                run.len += narrow::<u32>(to - from);
            } else {
                self.read_changed(context, number, run);
                run = Run { slot, start: from, len: narrow(to - from) };
            }
        }
        self.read_changed(context, number, run);
    }

    /// Blocks that a run may have: those that the limit requires, or as many as a command takes.
    fn most_to_destage(&self) -> u32 {
        let most = narrow(self.config.destage.command_bytes / self.config.block);
        let d = &self.destager;
        if d.needs_slots || d.idle || self.usage == Use::Detaching {
            return most;
        }
        let changed = self.directory.dirty_blocks() + self.reserved;
        most.min(changed.saturating_sub(d.leaving + self.goal())).max(1)
    }

    fn read_changed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, number: u32, run: Run) {
        if run.len == 0 {
            return;
        }
        if let Some(destage) = self.destager.runs.get_mut(number) {
            destage.parts += 1;
        }
        self.counters.destage_read_bytes += run.len as u64;
        let read = Command::new(Op::Read, self.grid.on_cache(run), run.len);
        let job = Job::DestageRead { destage: number, run };
        self.send(context, job, Command { target: self.cache, ..read });
    }

    /// Part of a run has been read from the cache.
    pub(super) fn destage_read<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        number: u32,
        run: Run,
        done: &Command<P>,
        units: Vec<P>,
    ) {
        let Some(destage) = self.destager.runs.get_mut(number) else { return };
        destage.parts -= 1;
        destage.ok &= done.status == Status::Ok;
        if P::CARRIED {
            let first = ((run.start - destage.start) / UNIT) as usize;
            let all = index((destage.end - destage.start).div_ceil(UNIT));
            destage.tags.resize(all, P::default());
            for (i, tag) in units.into_iter().enumerate().take(all - first) {
                destage.tags[first + i] = tag;
            }
        }
        if destage.parts > 0 {
            return;
        }
        if !destage.ok {
            self.destager.under_way -= 1;
            return self.release(number, false);
        }
        let (start, len) = (destage.start, narrow(destage.end - destage.start));
        let tags = std::mem::take(&mut destage.tags);
        let write = Command { target: self.backing, ..Command::new(Op::Write, start, len) };
        let child = self.send(context, Job::DestageWrite { destage: number }, write);
        context.data.hand_on(child, tags);
    }

    /// A run is written to the slow device.
    pub(super) fn destage_written(&mut self, number: u32, done: &Command<P>) {
        self.destager.under_way -= 1;
        if done.status == Status::Ok {
            self.counters.destaged_bytes += done.len as u64;
            self.destager.written.push(number);
        } else {
            self.release(number, false);
        }
    }

    /// The slow device has made durable what was written to it before.
    pub(super) fn settled<O: Probe<P>>(
        &mut self,
        _context: &mut Context<P, O>,
        passed: u64,
        done: &Command<P>,
    ) {
        let ok = done.status == Status::Ok;
        if ok {
            self.passing.flushed(passed);
            self.destager.needs_slots = false;
        }
        for number in std::mem::take(&mut self.destager.flushing) {
            self.release(number, ok);
        }
    }

    /// A run is no longer in flight; if `clean`, the slow device has what was not written since.
    fn release(&mut self, number: u32, clean: bool) {
        let Some(destage) = self.destager.runs.remove(number) else { return };
        self.destager.leaving -= narrow::<u32>(self.grid.blocks(destage.start, destage.end).len());
        for block in self.grid.blocks(destage.start, destage.end) {
            let Some(slot) = self.directory.find(block) else { continue };
            let mask = self.grid.touched(block, destage.start, destage.end);
            let record = self.activity.at(slot);
            let sure = mask & !record.redirtied;
            record.destaging &= !mask;
            record.redirtied &= !mask;
            if clean {
                let saved = (self.directory.dirty(slot) & sure).count_ones() as u64;
                if self.cache_gone {
                    self.counters.lost_bytes -= saved * self.config.sector;
                }
                self.directory.clean(slot, sure);
                self.recount(slot);
            }
            self.settle(slot);
        }
    }

    /// The last client command has ended.
    pub(super) fn became_quiet<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.destager.quiet_since = context.queue.now();
        self.arm(context);
    }

    fn arm<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let Some(after) = self.config.destage.idle_after else { return };
        let d = &mut self.destager;
        if d.timer || d.resting || self.gone || self.directory.dirty_blocks() == 0 {
            return;
        }
        d.timer = true;
        let event = Event { node: self.node, kind: kind::QUIET, argument: 0 };
        context.queue.push(d.quiet_since + after, Priority::Timer, event);
    }

    pub(super) fn on_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.destager.timer = false;
        if self.inside > 0 || self.destager.resting {
            return;
        }
        let Some(after) = self.config.destage.idle_after else { return };
        if self.destager.quiet_since + after > context.queue.now() {
            return self.arm(context);
        }
        self.destager.idle = true;
        self.destage(context);
    }

    /// Takes the cache away: nothing more enters, all that is changed is destaged, and then every
    /// command goes to the slow device. [`Tier::detached_at`] gives that time.
    pub fn detach<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.usage == Use::Attached {
            self.usage = Use::Detaching;
            self.destage(context);
            self.detach_if_clean(context);
        }
    }

    /// Puts the cache before the slow device again: it is empty, and everything is valid behind it.
    pub fn attach(&mut self) {
        if self.usage == Use::Detached {
            self.usage = Use::Attached;
            self.detached_at = None;
        }
    }

    /// Detaches the cache once it holds no data that the slow device lacks.
    pub(super) fn detach_if_clean<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let changed = self.directory.dirty_blocks() + self.reserved;
        if self.usage == Use::Detaching && changed == 0 && self.activity.len() == 0 {
            self.directory.clear(&self.config);
            self.usage = Use::Detached;
            self.detached_at = Some(context.queue.now());
        }
    }

    /// Destaging restarts after a power cut.
    pub(super) fn restart_destaging(&mut self) {
        self.destager = Destager { cursor: self.destager.cursor, ..Destager::default() };
    }
}
