//! What the arm does next, and when it is done.
//!
//! Reads, and writes past the cache, go before what the cache holds, until the cache is half full
//! or a flush or an old write waits: then both take turns. Among either kind the one that the head
//! can be over first goes first. After a read the head reads on into the buffer until something
//! else needs the arm; a reader in sequence keeps it there for as long as the read-ahead goes.

use super::head::{Reach, Stream, Track};
use super::scheduler::{Candidate, choose};
use super::write_cache::Run;
use super::{Disk, SECTOR, TAIL, kind, units_of};
use crate::kernel::Context;
use crate::kernel::command::{CommandId, Op};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Duration, Instant};

/// Bytes that the arm brings from the cache to the platters before it looks again.
const CHUNK: u64 = 1 << 20;

/// A write in the cache may wait this many times longer than a command: nothing waits for it.
const PATIENCE: u64 = 8;

/// What the arm does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arm {
    /// Nothing.
    Still,
    /// Reads ahead; can be called away.
    Ahead(Ahead),
    /// Reads for a command.
    Read(CommandId, Ahead),
    /// Writes for a command.
    Write(CommandId),
    /// Writes what the cache held.
    Empty(Run),
}

/// A read that continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    stream: Stream,
    /// Sectors before this one are known to the buffer.
    known: u64,
    /// Until when the time is counted.
    counted: Instant,
    /// The read went on where another ended.
    sequential: bool,
}

impl Arm {
    /// The oldest write that is on its way to the platters.
    pub(super) fn order(&self) -> Option<u64> {
        match self {
            Arm::Empty(run) => Some(run.order),
            _ => None,
        }
    }
}

impl<P: Payload> Disk<P> {
    /// Finds the arm something to do if it has nothing.
    pub(super) fn go_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        if let Arm::Ahead(ahead) = self.arm {
            self.settle(ahead, now);
        }
        self.serve_hits(context);
        let going = match self.arm {
            Arm::Still => None,
            Arm::Ahead(ahead) => Some(ahead),
            _ => return,
        };
        let urgent = self.is_urgent(now);
        let any = !self.cache.is_empty();
        if self.pending.is_empty() || any && urgent && !self.wrote_last {
            if let (Some(ahead), false) = (going, urgent)
                && ahead.sequential
                && ahead.known < ahead.stream.limit
            {
                if any {
                    let at = ahead.stream.time_of(&self.mechanics, ahead.stream.limit);
                    self.schedule(context, at, kind::LIMIT, 0);
                }
                return;
            }
            if any {
                return self.empty(context);
            }
        }
        if !self.pending.is_empty() {
            self.serve_next(context, going);
        }
    }

    /// What the cache holds must not wait any longer.
    fn is_urgent(&self, now: Instant) -> bool {
        let limit = self.patience();
        !self.flushes.is_empty()
            || !self.waiting.is_empty()
            || self.cache.is_pressed()
            || self.cache.runs().any(|run| now.since(run.since) > limit)
    }

    fn patience(&self) -> Duration {
        self.config.queue.age_limit.scaled(PATIENCE, 1)
    }

    /// Tells the buffer how far reading ahead has come.
    fn settle(&mut self, mut ahead: Ahead, now: Instant) {
        let reached = ahead.stream.reached(&self.mechanics, now);
        let end = ahead.stream.time_of(&self.mechanics, ahead.stream.limit);
        let until = if end < now { end } else { now };
        if until > ahead.counted {
            self.transferring += until.since(ahead.counted);
            if ahead.sequential {
                self.work(ahead.counted, until);
            }
            ahead.counted = until;
        }
        self.segments.add(ahead.known, reached);
        ahead.known = ahead.known.max(reached);
        self.track = self.mechanics.track(ahead.known.saturating_sub(1));
        self.arm = Arm::Ahead(ahead);
    }

    /// The arm works for somebody in this time, waits for sectors included.
    fn work(&mut self, from: Instant, until: Instant) {
        let from = from.max(self.worked_until);
        if until > from {
            self.working += until.since(from);
            self.worked_until = until;
        }
    }

    /// Answers the reads that the buffer can answer.
    fn serve_hits<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let mut i = 0;
        while i < self.pending.len() {
            let id = self.pending[i];
            let command = context.commands.get(id);
            let (start, len, op) = (command.start, u64::from(command.len), command.op);
            let (first, last) = sectors(start, start + len);
            let hit = op == Op::Read
                && (self.cache.holds(start, start + len) || self.segments.holds(first, last));
            if hit {
                self.pending.remove(i);
                self.read_on(context.queue.now(), last);
                self.send(context, id, len);
            } else {
                i += 1;
            }
        }
    }

    /// A reader that the buffer serves has come to a sector: what is ahead of it is read on. Where
    /// the head has stopped because the reader is slow, it continues when half of it is used up.
    fn read_on(&mut self, now: Instant, last: u64) {
        let Arm::Ahead(mut ahead) = self.arm else { return };
        let far = self.config.buffer.read_ahead / SECTOR;
        if last > ahead.known || !self.segments.has(last, ahead.known) {
            return;
        }
        let limit = (last + far).min(self.config.user_bytes.div_ceil(SECTOR));
        ahead.sequential = true;
        if ahead.known < ahead.stream.limit {
            ahead.stream.limit = limit.max(ahead.stream.limit);
        } else if ahead.known < limit && 2 * (ahead.known - last) < far {
            let reach = self.reach(now, ahead.known, false);
            self.seeking += reach.settled.since(now);
            ahead.stream = Stream::new(ahead.known, reach.begin, limit);
            ahead.counted = reach.begin;
        }
        self.arm = Arm::Ahead(ahead);
    }

    /// When the head can be over a sector.
    fn reach(&self, now: Instant, sector: u64, write: bool) -> Reach {
        self.mechanics.reach(self.track, now, sector, write)
    }

    /// Serves one of the commands that wait for the arm.
    fn serve_next<O: Probe<P>>(&mut self, context: &mut Context<P, O>, going: Option<Ahead>) {
        let now = context.queue.now();
        // A read that begins where reading ahead is, or will be, needs no new seek.
        let going = going.filter(|ahead| ahead.known < ahead.stream.limit);
        let ahead_of = |first: u64| {
            going.filter(|ahead| {
                first <= ahead.stream.limit
                    && (ahead.known <= first || self.segments.has(first, ahead.known))
            })
        };
        let queue = self.config.queue;
        // Of commands that follow one another without a gap the first goes first, or the rest would
        // be served from the middle on and the begin would wait until it is too old.
        let commands = &context.commands;
        let ends = |id: CommandId| {
            let command = commands.get(id);
            (command.op, command.start + u64::from(command.len))
        };
        let follows = |id: CommandId| {
            let command = commands.get(id);
            let before = (command.op, command.start);
            self.pending.iter().any(|&other| other != id && ends(other) == before)
        };
        let in_order = |&(_, &id): &(usize, &CommandId)| !queue.reorder || !follows(id);
        let candidates = self.pending.iter().enumerate().filter(in_order).map(|(i, &id)| {
            let command = commands.get(id);
            let first = command.start / SECTOR;
            let write = command.op == Op::Write;
            let begin = match ahead_of(first).filter(|_| !write) {
                Some(ahead) => now.max(ahead.stream.time_of(&self.mechanics, first)),
                None => self.reach(now, first, write).begin,
            };
            Candidate { key: i, since: command.submitted, begin }
        });
        let Some(i) = choose(candidates, now, queue.reorder, queue.age_limit) else { return };
        let going = ahead_of(context.commands.get(self.pending[i]).start / SECTOR);
        let id = self.pending.remove(i);
        self.wrote_last = false;
        let command = *context.commands.get(id);
        let end = command.start + u64::from(command.len);
        let (first, last) = sectors(command.start, end);
        if command.op == Op::Write {
            let done = self.write(now, command.start, end);
            self.arm = Arm::Write(id);
            return self.schedule(context, done, kind::ARM, 0);
        }
        let ahead = self.stream_to(now, first, last, going);
        let done = ahead.stream.time_of(&self.mechanics, last);
        self.work(now, done);
        self.arm = Arm::Read(id, ahead);
        self.schedule(context, done, kind::ARM, 0);
    }

    /// The stream that reads these sectors and what follows them: the one that goes on there, or a
    /// new one.
    fn stream_to(&mut self, now: Instant, first: u64, last: u64, going: Option<Ahead>) -> Ahead {
        let limit = last + self.config.buffer.read_ahead / SECTOR;
        let limit = limit.min(self.config.user_bytes.div_ceil(SECTOR));
        if let Some(mut ahead) = going {
            ahead.stream.limit = limit.max(ahead.stream.limit);
            ahead.sequential = true;
            return ahead;
        }
        let reach = self.reach(now, first, false);
        self.seeking += reach.settled.since(now);
        Ahead {
            stream: Stream::new(first, reach.begin, limit),
            known: first,
            counted: reach.begin,
            sequential: self.segments.goes_on(first),
        }
    }

    /// Begins to bring something from the cache to the platters.
    fn empty<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        let upto = self.flushes.iter().map(|(upto, _)| *upto).max();
        let wanted = |run: &&Run| upto.is_none_or(|upto| run.order < upto);
        let candidates = self.cache.runs().filter(wanted).map(|run| {
            let begin = self.reach(now, run.start / SECTOR, true).begin;
            Candidate { key: *run, since: run.since, begin }
        });
        let Some(run) = choose(candidates, now, self.config.queue.reorder, self.patience()) else {
            return;
        };
        let mut end = run.end.min((run.start / SECTOR * SECTOR) + CHUNK);
        // The last sector may still be completed by what comes next.
        let whole = end / SECTOR * SECTOR;
        if whole > run.start {
            end = whole;
        }
        let Some(part) = self.cache.take(run.start, end) else { return };
        self.tags.leave(part.start, part.end);
        let done = self.write(now, part.start, part.end);
        self.wrote_last = true;
        self.arm = Arm::Empty(part);
        self.schedule(context, done, kind::ARM, 0);
    }

    /// When bytes `start` to `end` are on the platters, if the arm begins `now`. A sector that is
    /// written in part is read first, and written when it comes round again.
    fn write(&mut self, now: Instant, start: u64, end: u64) -> Instant {
        let (first, last) = sectors(start, end);
        let reach = self.reach(now, first, true);
        let turn = Duration::from_ps(self.mechanics.geometry().turn());
        let ends = self.mechanics.track(last - 1);
        let one_track = self.mechanics.track(first) == ends;
        let head = !start.is_multiple_of(SECTOR) && !self.segments.holds(first, first + 1);
        let tail = !end.is_multiple_of(SECTOR) && !self.segments.holds(last - 1, last);
        self.health.modify_bytes +=
            SECTOR * (u64::from(head) + u64::from(tail && !(head && last - first == 1)));
        let mut done = self.mechanics.pass(first, last, reach.begin);
        self.seeking += reach.settled.since(now);
        self.transferring += done.since(reach.begin);
        if head || tail && one_track {
            done += turn;
        }
        if tail && !one_track {
            done += turn;
        }
        self.track = ends;
        self.work(now, done);
        done
    }

    /// The arm has done what it did.
    pub(super) fn arm_done<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        match std::mem::replace(&mut self.arm, Arm::Still) {
            Arm::Still | Arm::Ahead(_) => {}
            Arm::Read(id, ahead) => {
                self.settle(ahead, now);
                let len = u64::from(context.commands.get(id).len);
                self.send(context, id, len.min(TAIL));
            }
            Arm::Write(id) => {
                let command = *context.commands.get(id);
                for (i, unit) in units_of(&command) {
                    let tag = context.data.get(id, i).unwrap_or(command.payload);
                    self.tags.store(unit, tag);
                }
                self.cache.cut(command.start, command.start + u64::from(command.len));
                self.answer(context, id, now);
                self.let_in(context);
                self.end_flushes(context);
            }
            Arm::Empty(run) => {
                self.tags.arrive();
                self.cache.gone(run.end - run.start);
                self.let_in(context);
                self.end_flushes(context);
            }
        }
        self.go_on(context);
    }

    /// Over which track the head is, or was when it last came to rest.
    pub fn track(&self) -> Track {
        self.track
    }
}

/// The sectors that a range of bytes touches.
fn sectors(start: u64, end: u64) -> (u64, u64) {
    (start / SECTOR, end.div_ceil(SECTOR))
}
