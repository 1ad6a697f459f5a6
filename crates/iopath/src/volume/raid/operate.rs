//! The life of an operation on stripes: gathered, marked, read, calculated, logged, written.

use super::config::{PAGE, WriteLog};
use super::engine::Work;
use super::layout::Band;
use super::plan::{Method, Plan};
use super::stripe::{Kind, Phase};
use super::{Part, Purpose, Raid, kind};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use ::engine::{Duration, Event, Priority, narrow};

/// Whole stripes are written together up to this many bytes of each member.
const MOST_ROWS: u32 = 1 << 20;

impl<P: Payload> Raid<P> {
    /// A new operation, which waits for its turn.
    pub(super) fn operation(&mut self, kind: Kind, row: u64, rows: u32, columns: u64) -> u32 {
        self.rows += rows.div_ceil(PAGE);
        self.stripes.begin(&self.layout, kind, row, rows, columns)
    }

    /// A command of the host waits for an operation, which takes over its data for these columns.
    pub(super) fn join<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        op: u32,
        columns: u64,
    ) {
        self.stripes.attach(op, id.0);
        let host = context.commands.get_mut(id);
        host.remaining += 1;
        let durable = host.durable;
        let operation = self.stripes.get_mut(op);
        operation.durable |= durable;
        operation.columns |= columns;
        if P::CARRIED {
            self.take_tags(context, id, op, columns);
        }
    }

    /// Takes queued writes into the stripe cache while it has room. True if any was taken.
    pub(super) fn admit<O: Probe<P>>(&mut self, context: &mut Context<P, O>) -> bool {
        let mut any = false;
        while let Some(&id) = self.queue.front() {
            let command = *context.commands.get(id);
            let end = command.start + command.len as u64;
            let mut at = command.start + command.progress as u64;
            while at < end {
                let stop = match self.config.writes.request {
                    Some(limit) if command.op == Op::Write => {
                        end.min((at / limit as u64 + 1) * limit as u64)
                    }
                    _ => end,
                };
                // A log of partial parity is beside the parity of one stripe.
                let most = match self.config.log {
                    WriteLog::PartialParity => self.config.chunk,
                    _ => self.config.writes.cache_rows.saturating_mul(PAGE).min(MOST_ROWS),
                };
                let (bands, next) = self.layout.bands(at, stop, most);
                let rows = bands.iter().flatten().map(|b| b.rows.div_ceil(PAGE)).sum::<u32>();
                if self.rows > 0 && self.rows + rows > self.config.writes.cache_rows {
                    context.commands.get_mut(id).progress = narrow(at - command.start);
                    return any;
                }
                for band in bands.into_iter().flatten() {
                    self.take(context, id, command.op, band);
                }
                any = true;
                at = next;
            }
            self.queue.pop_front();
            self.part_done(context, id, Status::Ok);
        }
        any
    }

    /// Takes a part of a stripe of a command of the host.
    fn take<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        asked: Op,
        band: Band,
    ) {
        let Band { row, rows, columns } = band;
        let all = self.layout.all_columns();
        if asked == Op::Trim {
            // Parity over a partly trimmed stripe would have to be written.
            if columns == all && rows as u64 >= self.layout.chunk() && !self.logs() {
                let op = self.operation(Kind::Trim, row, rows, columns);
                self.join(context, id, op, columns);
                self.ready.push_back(op);
            }
            return;
        }
        if self.config.writes.merge
            && let Some(op) = self.stripes.open_write(&self.layout, row, rows)
        {
            self.join(context, id, op, columns);
            let operation = self.stripes.get(op);
            if operation.phase == Phase::Gathering && operation.columns == all {
                self.go(context, op);
            }
            return;
        }
        let op = self.operation(Kind::Write, row, rows, columns);
        self.join(context, id, op, columns);
        self.ready.push_back(op);
    }

    pub(super) fn logs(&self) -> bool {
        self.config.log != WriteLog::None
    }

    /// An operation may have no one left to wait for.
    pub(super) fn unblocked<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        if self.stripes.wait(&self.layout, op) {
            return;
        }
        let operation = self.stripes.get_mut(op);
        let partial = self.layout.parities() > 0 && operation.columns != self.layout.all_columns();
        if operation.kind != Kind::Write || !partial {
            return self.go(context, op);
        }
        let policy = &self.config.writes;
        let sequence = operation.sequence;
        if policy.gather > Duration::ZERO {
            operation.phase = Phase::Gathering;
            let until = context.queue.now() + policy.gather;
            if self.gathering.is_empty() {
                let event = Event { node: self.node, kind: kind::GATHERED, argument: 0 };
                context.queue.push(until, Priority::Normal, event);
            }
            return self.gathering.push_back((until, op, sequence));
        }
        self.go_unless_held(context, op);
    }

    /// Begins a partial stripe unless enough of them are being read.
    fn go_unless_held<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        if self.config.writes.read_first.is_some_and(|most| self.reading >= most) {
            let operation = self.stripes.get_mut(op);
            operation.phase = Phase::Gathering;
            return self.held.push_back((op, operation.sequence));
        }
        self.go(context, op);
    }

    fn gathers(&self, op: u32, sequence: u64) -> bool {
        let operation = self.stripes.get(op);
        operation.sequence == sequence && operation.phase == Phase::Gathering
    }

    /// The oldest partial stripes have gathered long enough.
    pub(super) fn gathered<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        while let Some(&(until, op, sequence)) = self.gathering.front() {
            if until > now {
                let event = Event { node: self.node, kind: kind::GATHERED, argument: 0 };
                return context.queue.push(until, Priority::Normal, event);
            }
            self.gathering.pop_front();
            if self.gathers(op, sequence) {
                self.go_unless_held(context, op);
            }
        }
    }

    /// Begins an operation that nothing conflicts with.
    pub(super) fn go<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get(op);
        if matches!(operation.kind, Kind::Write | Kind::Trim | Kind::Replay) {
            let now = context.queue.now();
            let (row, rows) = (operation.row, operation.rows as u64);
            if !self.regions.enter(row, rows, now) {
                self.stripes.get_mut(op).phase = Phase::Gated;
                self.to_mark.push(op);
                return self.write_marks(context);
            }
            self.watch_quiet(context);
        }
        self.proceed(context, op);
    }

    /// Decides what is read and written, and reads.
    pub(super) fn proceed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let Some(plan) = self.plan(op) else { return self.fail_operation(context, op) };
        let operation = self.stripes.get_mut(op);
        operation.plan = plan;
        operation.failed = false;
        if plan.reads == 0 {
            return self.compute(context, op);
        }
        operation.phase = Phase::Reading;
        operation.pending = plan.reads.count_ones();
        if operation.kind == Kind::Write {
            self.reading += 1;
        }
        let (row, rows) = (operation.row, operation.rows);
        let mut slots = plan.reads;
        while slots != 0 {
            let slot = slots.trailing_zeros();
            slots &= slots - 1;
            let read = Command::new(Op::Read, row, rows);
            self.send(context, slot, Purpose::Operation, op, read);
        }
    }

    /// What an operation reads and writes, if enough is left to do it.
    fn plan(&self, op: u32) -> Option<Plan> {
        let operation = self.stripes.get(op);
        let (row, rows) = (operation.row, operation.rows as u64);
        let stripe = self.layout.stripe(row);
        let mut reach = self.reach(row, rows);
        reach.unreadable |= operation.bad;
        let all = self.layout.all_columns();
        let written = self.layout.slots(stripe, operation.columns) & !reach.unwritable;
        let parity = self.layout.parities() > 0;
        let plan = |method, reads, writes| Some(Plan { method, reads, writes });
        match operation.kind {
            _ if self.lost => None,
            Kind::Rebuild | Kind::Resync if !self.is_window(operation.sequence) => None,
            Kind::Write if operation.columns == all && parity => {
                let every = u64::MAX >> (64 - self.layout.members());
                plan(Method::Encode, 0, every & !reach.unwritable)
            }
            Kind::Write if parity => Plan::write(
                &self.layout,
                stripe,
                operation.columns,
                reach,
                self.config.writes.modify,
            ),
            Kind::Trim if parity => {
                let every = u64::MAX >> (64 - self.layout.members());
                plan(Method::Plain, 0, every & !reach.unwritable)
            }
            Kind::Write | Kind::Trim => plan(Method::Plain, 0, written),
            Kind::Read if parity => {
                let reads = Plan::reconstruct(&self.layout, stripe, operation.columns, reach)?;
                let mended = operation.bad & !self.members.missing();
                plan(Method::Restore, reads, mended)
            }
            Kind::Read => {
                let column = operation.columns.trailing_zeros();
                let slot = self.pick_copy(column, row, rows, operation.bad)?;
                plan(Method::Plain, 1 << slot, operation.bad & !self.members.missing())
            }
            Kind::Rebuild => {
                let slot = self.members.rebuilding()?;
                let reads = match parity {
                    true => Plan::everything(&self.layout, stripe, reach)?,
                    false => {
                        let column = operation.columns.trailing_zeros();
                        1 << self.pick_copy(column, row, rows, operation.bad)?
                    }
                };
                plan(Method::Restore, reads, 1 << slot)
            }
            Kind::Resync => self.plan_resync(op, reach),
            Kind::Replay if self.config.log == WriteLog::PartialParity => {
                let reads = self.layout.slots(stripe, operation.columns);
                let p = self.layout.parity_slots(stripe) & !reach.unwritable;
                (reads & reach.unreadable == 0 && p != 0).then_some(Plan {
                    method: Method::Modify,
                    reads,
                    writes: p,
                })
            }
            Kind::Replay => plan(Method::Plain, 0, operation.plan.writes & !reach.unwritable),
        }
    }

    /// An operation cannot be done with what is left.
    fn fail_operation<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get(op);
        let unreadable = operation.bad != 0 && !self.lost;
        let status = if unreadable { Status::MediaError } else { Status::DeviceGone };
        if operation.kind == Kind::Rebuild && self.is_window(operation.sequence) {
            self.give_up_rebuild(context);
        }
        self.finish(context, op, status);
    }

    /// A command of an operation has come back from a member.
    pub(super) fn operation_part<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        part: Part,
        command: &Command<P>,
        units: Vec<P>,
    ) {
        let op = part.owner;
        let operation = self.stripes.get_mut(op);
        operation.pending -= 1;
        if operation.phase == Phase::Reading {
            match command.status {
                Status::Ok if P::CARRIED => self.keep_tags(op, part.slot as u32, &units),
                Status::Ok => {}
                Status::MediaError => {
                    operation.failed = true;
                    operation.bad |= 1 << part.slot;
                }
                Status::DeviceGone | Status::WriteProtected => operation.failed = true,
            }
        }
        let operation = self.stripes.get_mut(op);
        if operation.pending > 0 {
            return;
        }
        match operation.phase {
            Phase::Reading => self.read_done(context, op),
            Phase::Logging => {
                operation.logged = true;
                self.write_members(context, op);
            }
            _ => self.finish(context, op, Status::Ok),
        }
    }

    fn read_done<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get(op);
        let failed = operation.failed;
        if operation.kind == Kind::Write {
            self.reading -= 1;
            self.release_held();
        }
        if failed { self.proceed(context, op) } else { self.compute(context, op) }
    }

    /// Partial stripes that were held back may begin, all of them.
    fn release_held(&mut self) {
        if self.config.writes.read_first.is_some_and(|most| self.reading >= most) {
            return;
        }
        while let Some((op, sequence)) = self.held.pop_front() {
            if self.gathers(op, sequence) {
                self.stripes.get_mut(op).phase = Phase::Blocked;
                self.released.push_back(op);
            }
        }
    }

    /// Begins what was held back, until nothing is.
    pub(super) fn begin_released<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(op) = self.released.pop_front() {
            self.go(context, op);
        }
    }

    /// Calculates parity, or what is missing.
    fn compute<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        self.stripes.get_mut(op).phase = Phase::Computing;
        let now = context.queue.now();
        let at = match self.layout.parities() {
            0 => now,
            _ => {
                let work = self.work(op);
                self.engine.operation(context, work)
            }
        };
        if at == now {
            return self.computed(context, op);
        }
        let event = Event { node: self.node, kind: kind::COMPUTED, argument: op };
        context.queue.push(at, Priority::Normal, event);
    }

    /// What an operation costs the array itself.
    fn work(&self, op: u32) -> Work {
        let operation = self.stripes.get(op);
        let (rows, plan) = (operation.rows as u64, operation.plan);
        let (reads, writes) = (plan.reads.count_ones() as u64, plan.writes.count_ones() as u64);
        let two = self.layout.parities() == 2;
        let columns = self.layout.columns() as u64;
        // Chunks that go into a parity, and how many parities come out.
        let (inputs, outputs) = match plan.method {
            Method::Plain => (0, 0),
            Method::Encode => (columns, self.layout.parities() as u64),
            Method::Modify => {
                let changed = operation.columns.count_ones() as u64;
                (2 * changed + 1, self.layout.parities() as u64)
            }
            Method::Restore => (reads, 1),
        };
        Work {
            rows,
            commands: reads + writes,
            xor: inputs * rows,
            syndrome: if two { inputs * rows } else { 0 },
            moved: (reads + inputs + outputs + writes) * rows,
        }
    }

    /// Parity is known: what is to be written is written, the log first.
    pub(super) fn computed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        if P::CARRIED {
            self.calculate(op);
        }
        let operation = self.stripes.get_mut(op);
        match operation.kind {
            Kind::Read if P::CARRIED => self.give_found(context, op),
            Kind::Write if self.config.log == WriteLog::PartialParity => {
                return self.write_log(context, op);
            }
            _ => {}
        }
        self.write_members(context, op);
    }

    /// Writes the partial parity beside the parity.
    fn write_log<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get_mut(op);
        operation.phase = Phase::Logging;
        let stripe = self.layout.stripe(operation.row);
        let p = self.layout.parity(stripe);
        let partial = operation.columns != self.layout.all_columns();
        let rows = if partial { operation.rows } else { 0 };
        if self.members.missing() >> p & 1 != 0 {
            return self.write_members(context, op);
        }
        operation.pending = 1;
        let len = narrow(u64::from(PAGE + rows).min(self.config.metadata));
        let log =
            Command { durable: true, ..Command::new(Op::Write, self.layout.member_bytes(), len) };
        self.send(context, p, Purpose::Operation, op, log);
    }

    /// Writes to the members.
    fn write_members<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get_mut(op);
        operation.phase = Phase::Writing;
        let mut slots = operation.plan.writes & !self.members.missing();
        if operation.kind == Kind::Resync && self.layout.parities() > 0 {
            return self.write_parities(context, op);
        }
        operation.pending = slots.count_ones();
        if slots == 0 {
            return self.finish(context, op, Status::Ok);
        }
        let asked = if operation.kind == Kind::Trim { Op::Trim } else { Op::Write };
        // What makes members agree must stay when it is taken for granted afterwards.
        let ours = !matches!(operation.kind, Kind::Write | Kind::Trim);
        let durable = operation.durable || ours || self.config.log != WriteLog::None;
        let (row, rows) = (operation.row, operation.rows);
        while slots != 0 {
            let slot = slots.trailing_zeros();
            slots &= slots - 1;
            let write = Command { durable, ..Command::new(asked, row, rows) };
            let child = self.send(context, slot, Purpose::Operation, op, write);
            if P::CARRIED && asked == Op::Write {
                self.put_tags(context, op, slot, row, child);
            }
        }
    }

    /// An operation has ended.
    pub(super) fn finish<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        op: u32,
        status: Status,
    ) {
        let status = if self.lost { Status::DeviceGone } else { status };
        let operation = self.stripes.get(op);
        let (kind, row, rows) = (operation.kind, operation.row, operation.rows);
        let sequence = operation.sequence;
        while let Some(host) = self.stripes.detach(op) {
            self.part_done(context, CommandId(host), status);
        }
        if matches!(kind, Kind::Write | Kind::Trim | Kind::Replay) {
            self.regions.leave(row, rows as u64, context.queue.now());
        }
        self.rows -= rows.div_ceil(PAGE);
        let ready = &mut self.ready;
        self.stripes.end(&self.layout, op, |waiter| ready.push_back(waiter));
        if matches!(kind, Kind::Rebuild | Kind::Resync) {
            self.window_done(context, sequence);
        }
    }
}
