//! The state of one thread: what it may issue next, and when.

use super::cover::Cover;
use super::next::Next;
use super::pattern::Pattern;
use super::replay::Player;
use super::search::Searcher;
use super::spec::{Directions, Rate, RateProcess, ThreadSpec, Zones};
use crate::kernel::command::Op;
use crate::kernel::probe::Found;
use engine::{Duration, Instant, Stream};
use engine::{narrow, time::PS_PER_SECOND, whole};

pub(super) struct Thread {
    pub(super) spec: ThreadSpec,
    pub(super) in_flight: u32,
    /// Nothing but its depth and its limits holds its I/Os back, and nothing comes between them.
    plain: bool,
    /// I/Os that may be in flight now.
    depth: u32,
    pub(super) started: bool,
    pub(super) done: bool,
    pub(super) stopped: bool,
    pub(super) began: Instant,
    /// When its time is over, if it is limited.
    ends: Instant,
    pub(super) wake_at: Option<Instant>,
    pub(super) cpu_free: Instant,
    stream: Stream,
    /// Behind the last I/O of each direction; a pair of trim and write counts as one.
    follows: [u64; 3],
    /// Byte of the region at which the present zone begins.
    zone_at: u64,
    /// Bytes that were moved in it.
    zone_bytes: u64,
    run_left: u32,
    /// What a pass of random I/Os of several sizes has touched.
    cover: Option<Cover>,
    bytes: u64,
    ios: u64,
    writes_since_flush: u32,
    ended_with_flush: bool,
    since_think: u32,
    /// A pause is due; it begins when nothing is in flight any more, as in fio.
    think_due: bool,
    think_until: Instant,
    rate_at: [Instant; 3],
    /// The write half of a trim-then-write pair.
    write_next: Option<(u64, u32)>,
    /// A direction drawn but held back by its rate.
    drawn: Option<Op>,
    /// What comes next, where nothing but draws decides it.
    ahead: Option<Drawn>,
    /// What is replayed in place of a pattern.
    player: Option<Box<Player>>,
    /// A flush or a trim that it waits for is under way.
    pub(super) blocked: bool,
    /// The search for its depth.
    search: Option<Box<Searcher>>,
}

fn slot(op: Op) -> usize {
    match op {
        Op::Read => 0,
        Op::Write => 1,
        Op::Trim | Op::Flush => 2,
    }
}

/// An I/O that is drawn and not issued yet.
#[derive(Clone, Copy)]
struct Drawn {
    op: Op,
    start: u64,
    len: u32,
}

/// True if a thread issues whenever it may have one I/O more in flight.
fn is_plain(spec: &ThreadSpec) -> bool {
    let unpaced = spec.think.is_none() && spec.rate.iter().all(Option::is_none);
    let alone = spec.flush_every.is_none() && spec.directions != Directions::TrimThenWrite;
    unpaced && alone && spec.replay.is_none()
}

impl Thread {
    pub(super) fn new(spec: ThreadSpec, seed: u64, index: u32) -> Self {
        let stream = Stream::new(seed, &format!("{}/{index}", spec.name));
        let first = spec.first;
        let player = spec.replay.as_deref().map(|replay| Box::new(Player::new(replay)));
        let search = spec.search.map(|asked| Box::new(Searcher::new(asked, spec.depth)));
        Thread {
            depth: search.as_ref().map_or(spec.depth, |search| search.depth()),
            plain: is_plain(&spec),
            cover: spec.map.and_then(|block| Cover::new(block, spec.span)),
            spec,
            in_flight: 0,
            started: false,
            done: false,
            stopped: false,
            began: Instant::ZERO,
            ends: Instant::NEVER,
            wake_at: None,
            cpu_free: Instant::ZERO,
            stream,
            follows: [first; 3],
            zone_at: 0,
            zone_bytes: 0,
            run_left: 0,
            bytes: 0,
            ios: 0,
            writes_since_flush: 0,
            ended_with_flush: false,
            since_think: 0,
            think_due: false,
            think_until: Instant::ZERO,
            rate_at: [Instant::ZERO; 3],
            write_next: None,
            drawn: None,
            ahead: None,
            player,
            blocked: false,
            search,
        }
    }

    pub(super) fn begin(&mut self, now: Instant) {
        self.started = true;
        self.began = now + self.spec.start_delay;
        self.ends = self.spec.time_limit.map_or(Instant::NEVER, |limit| self.began + limit);
        self.rate_at = [self.began; 3];
        if let Some(search) = &mut self.search {
            search.begin(self.began);
        }
    }

    /// An I/O took so long: what the search for the depth, if there is one, makes of it.
    #[inline]
    pub(super) fn searched(&mut self, latency: Duration, now: Instant) -> Option<Found> {
        let search = self.search.as_mut()?;
        let found = search.completed(latency, now, self.in_flight);
        self.depth = search.depth();
        if search.over() {
            self.ends = now;
        }
        found
    }

    /// When its time is over.
    pub(super) fn ends(&self) -> Instant {
        self.ends
    }

    /// True if the thread has reached one of its limits.
    #[inline]
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.stopped
            || self.spec.io_limit.is_some_and(|n| self.ios >= n)
            || self.spec.byte_limit.is_some_and(|n| self.bytes >= n)
            || now >= self.ends
            || self.player.as_ref().is_some_and(|player| player.is_over())
    }

    /// True if it issues nothing before one of its I/Os has ended.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.in_flight >= self.depth || self.blocked
    }

    /// True if it waits for an operation of this kind before it issues another.
    #[inline]
    pub(super) fn blocks(&self, op: Op) -> bool {
        match op {
            Op::Read | Op::Write => false,
            Op::Flush => self.spec.blocking.flushes,
            Op::Trim => self.spec.blocking.trims,
        }
    }

    /// What it does now.
    #[inline]
    pub(super) fn next(&mut self, now: Instant) -> Next {
        if self.is_over(now) && self.write_next.is_none() {
            return self.at_its_end();
        }
        if self.is_full() {
            return Next::WhenCompleted;
        }
        if self.plain {
            return self.next_drawn();
        }
        self.next_in_time(now)
    }

    /// The next I/O, where nothing but draws decides what it is. The one after it is drawn as well,
    /// so that devices can be told.
    #[inline]
    fn next_drawn(&mut self) -> Next {
        let io = self.ahead.unwrap_or_else(|| self.draw());
        self.ahead = Some(self.draw());
        self.count(io.len);
        Next::Issue { op: io.op, start: io.start, len: io.len }
    }

    /// An I/O more of so many bytes, for its limits.
    #[inline]
    fn count(&mut self, len: u32) {
        self.bytes += u64::from(len);
        self.ios += 1;
    }

    /// Where the I/O after the last one begins, as far as it is drawn.
    #[inline]
    pub(super) fn follows(&self) -> Option<u64> {
        self.ahead.map(|io| io.start)
    }

    #[inline(always)]
    fn draw(&mut self) -> Drawn {
        let op = self.direction();
        let (start, len) = self.place(slot(op));
        Drawn { op, start: self.spec.start + start, len }
    }

    /// Its time or its work is over.
    #[cold]
    fn at_its_end(&mut self) -> Next {
        if self.in_flight > 0 {
            return Next::WhenCompleted;
        }
        if self.spec.flush_at_end && !self.ended_with_flush && !self.stopped {
            self.ended_with_flush = true;
            return Next::Issue { op: Op::Flush, start: 0, len: 0 };
        }
        Next::Done
    }

    /// What a thread does that more than its depth may hold back.
    fn next_in_time(&mut self, now: Instant) -> Next {
        if self.player.is_some() {
            return self.replay(now);
        }
        if let Some(every) = self.spec.flush_every
            && self.writes_since_flush >= every
        {
            self.writes_since_flush = 0;
            return Next::Issue { op: Op::Flush, start: 0, len: 0 };
        }
        if self.think_due {
            if self.in_flight > 0 {
                return Next::WhenCompleted;
            }
            self.think_due = false;
            let pause = self.spec.think.map_or(Duration::ZERO, |think| think.time);
            self.think_until = now + pause;
            if self.spec.think.is_some_and(|think| think.shifts_rate) {
                self.rate_at = self.rate_at.map(|at| at + pause);
            }
        }
        if now < self.think_until {
            return Next::At(self.think_until);
        }
        let op = match self.drawn.take() {
            Some(op) => op,
            None => self.direction(),
        };
        let s = slot(op);
        if self.spec.rate[s].is_some() && now < self.rate_at[s] {
            let other = if op == Op::Read { Op::Write } else { Op::Read };
            let o = slot(other);
            self.drawn = Some(op);
            if !matches!(self.spec.directions, Directions::Mixed { read_percent: 1..=99 }) {
                return Next::At(self.rate_at[s].min(self.ends));
            }
            // A direction without a rate is never ahead of it: its time stays where it began.
            if now >= self.rate_at[o] {
                return self.issue(other);
            }
            return Next::At(self.rate_at[s].min(self.rate_at[o]).min(self.ends));
        }
        self.issue(op)
    }

    /// The next recorded I/O.
    fn replay(&mut self, now: Instant) -> Next {
        let Some(player) = &mut self.player else { return Next::Done };
        let next = player.next(now, self.began, self.in_flight);
        match next {
            Next::Issue { len, .. } => {
                self.count(len);
                next
            }
            // Its time may come after the thread's own end.
            Next::At(at) => Next::At(at.min(self.ends)),
            other => other,
        }
    }

    fn issue(&mut self, op: Op) -> Next {
        let s = slot(op);
        let (start, len) = match self.write_next.take() {
            Some(place) if op == Op::Write => place,
            _ => self.place(s),
        };
        self.count(len);
        if op == Op::Write {
            self.writes_since_flush += 1;
        }
        self.hold_back(op, start, len);
        Next::Issue { op, start: self.spec.start + start, len }
    }

    /// When the next I/O may come after this one, and whether it is the other half of a pair.
    fn hold_back(&mut self, op: Op, start: u64, len: u32) {
        let s = slot(op);
        if self.spec.directions == Directions::TrimThenWrite && op == Op::Trim {
            self.write_next = Some((start, len));
        }
        if let Some(rate) = self.spec.rate[s] {
            let (amount, per_second) = match rate {
                Rate::Bytes(rate) => (len as u64, rate),
                Rate::Ios(rate) => (1, rate),
            };
            let even = amount as u128 * PS_PER_SECOND as u128 / per_second.max(1) as u128;
            let gap = match self.spec.rate_process {
                // A pause beyond the range lasts forever.
                RateProcess::Linear => u64::try_from(even).unwrap_or(u64::MAX),
                RateProcess::Poisson => whole(even as f64 * self.stream.exponential()),
            };
            self.rate_at[s] += Duration::from_ps(gap);
        }
        if let Some(think) = self.spec.think {
            self.since_think += 1;
            if self.since_think >= think.every {
                self.since_think = 0;
                self.think_due = true;
            }
        }
    }

    #[inline]
    fn direction(&mut self) -> Op {
        match self.spec.directions {
            Directions::Read => Op::Read,
            Directions::Write => Op::Write,
            Directions::Trim => Op::Trim,
            Directions::Mixed { read_percent } => {
                if self.stream.below(100) < read_percent as u64 {
                    Op::Read
                } else {
                    Op::Write
                }
            }
            Directions::TrimThenWrite => {
                if self.write_next.is_some() {
                    Op::Write
                } else {
                    Op::Trim
                }
            }
        }
    }

    /// The next place of a direction, relative to the region.
    #[inline]
    fn place(&mut self, s: usize) -> (u64, u32) {
        let (base, span) = match self.spec.zones {
            Some(zones) => self.zone(zones),
            None => (0, self.spec.span),
        };
        let (at, len) = self.place_in(s, span);
        self.zone_bytes += u64::from(len);
        (base + at, len)
    }

    /// The present zone, or the next one if enough was moved in it: where it begins, and its bytes.
    fn zone(&mut self, zones: Zones) -> (u64, u64) {
        if self.zone_bytes >= zones.bytes {
            let next = self.zone_at + zones.range + zones.skip;
            self.zone_at = if next < self.spec.span { next } else { 0 };
            self.zone_bytes = 0;
            (self.follows, self.run_left) = ([0; 3], 0);
        }
        (self.zone_at, zones.range.min(self.spec.span - self.zone_at))
    }

    /// The next place of a direction within so many bytes.
    #[inline]
    fn place_in(&mut self, s: usize, span: u64) -> (u64, u32) {
        let len = (self.spec.sizes[s].draw(&mut self.stream) as u64).min(span);
        let percent = self.spec.random_percent[s];
        let random = match &self.spec.pattern[s] {
            Pattern::Sequential => false,
            Pattern::Random(_) => {
                let drawn = percent >= 100 || self.stream.below(100) < percent as u64;
                drawn && self.run_left == 0 || self.follows[s] + len > span
            }
        };
        let (at, len) = match random {
            true => self.random_place(s, span, len),
            false => self.next_in_order(s, span, len),
        };
        (at, narrow(len))
    }

    /// The place behind the last one of the direction, or the first where nothing is left.
    #[inline]
    fn next_in_order(&mut self, s: usize, span: u64, len: u64) -> (u64, u64) {
        self.run_left = self.run_left.saturating_sub(1);
        let (mut at, mut len) = (self.follows[s], len);
        if at + len > span {
            // A smaller one may fit into what is left, and then it is drawn again until one does.
            match at + u64::from(self.spec.sizes[s].smallest()) <= span {
                true => {
                    while at + len > span {
                        len = u64::from(self.spec.sizes[s].draw(&mut self.stream));
                    }
                }
                false => at = 0,
            }
        }
        let next = (at + len) as i64 + self.spec.skip;
        let wrapped = next < 0 || next as u64 >= span;
        self.follows[s] = if !wrapped {
            next as u64
        } else if next < 0 {
            span.saturating_sub(len) / len.max(1) * len
        } else {
            0
        };
        (at, len)
    }

    #[inline]
    fn random_place(&mut self, s: usize, span: u64, len: u64) -> (u64, u64) {
        let align = self.spec.align[s];
        let Pattern::Random(sampler) = &mut self.spec.pattern[s] else { return (0, len) };
        let mut at = sampler.draw(&mut self.stream) * align;
        let mut len = len;
        match &mut self.cover {
            Some(cover) => {
                while !cover.is_free(at) {
                    at = sampler.draw(&mut self.stream) * align;
                }
                len = cover.take(at, len.min(span - at));
            }
            None if at + len > span => at = (span - len) / align * align,
            None => {}
        }
        self.run_left = self.spec.run.saturating_sub(1);
        self.follows[s] = at + len;
        (at, len)
    }
}
