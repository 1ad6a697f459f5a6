//! The state of one thread: what it may issue next, and when.

use super::next::{Drawn, Next};
use super::places::Places;
use super::replay::Player;
use super::search::Searcher;
use super::spec::{Directions, Rate, RateProcess, ThreadSpec};
use super::turns::Turn;
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
    /// Its regions, at least one.
    places: Vec<Places>,
    /// The region of the last I/O that was drawn.
    region: u32,
    /// Which comes next, if there are several.
    turn: Option<Turn>,
    /// I/Os that still follow the last place that was drawn at random.
    run_left: u32,
    bytes: u64,
    ios: u64,
    writes_since_flush: u32,
    /// Regions that got their flush at the end.
    flushed: u32,
    since_think: u32,
    /// A pause is due; it begins when nothing is in flight any more, as in fio.
    think_due: bool,
    think_until: Instant,
    rate_at: [Instant; 3],
    /// The write half of a trim-then-write pair.
    write_next: Option<Drawn>,
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

/// True if a thread issues whenever it may have one I/O more in flight.
fn is_plain(spec: &ThreadSpec) -> bool {
    let unpaced = spec.think.is_none() && spec.rate.iter().all(Option::is_none);
    let alone = spec.flush_every.is_none() && spec.directions != Directions::TrimThenWrite;
    unpaced && alone && spec.replay.is_none()
}

impl Thread {
    pub(super) fn new(mut spec: ThreadSpec, seed: u64, index: u32) -> Self {
        let stream = Stream::new(seed, &format!("{}/{index}", spec.name));
        let regions = std::mem::take(&mut spec.regions);
        let places: Vec<Places> = regions.into_iter().map(Places::new).collect();
        let player = spec.replay.as_deref().map(|replay| Box::new(Player::new(replay)));
        let search = spec.search.map(|asked| Box::new(Searcher::new(asked, spec.depth)));
        Thread {
            depth: search.as_ref().map_or(spec.depth, |search| search.depth()),
            plain: is_plain(&spec),
            turn: Turn::new(spec.turns, &places),
            places,
            region: 0,
            run_left: 0,
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
            bytes: 0,
            ios: 0,
            writes_since_flush: 0,
            flushed: 0,
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
        Next::Issue(io)
    }

    /// An I/O more of so many bytes, for its limits.
    #[inline]
    fn count(&mut self, len: u32) {
        self.bytes += u64::from(len);
        self.ios += 1;
    }

    /// Node and namespace of a region.
    #[inline]
    pub(super) fn device(&self, region: u32) -> (u16, u16) {
        let region = &self.places[region as usize].region;
        (region.target, region.namespace)
    }

    /// Where the I/O after the last one, which went to this region, begins on the same device, as
    /// far as it is drawn.
    #[inline]
    pub(super) fn follows(&self, region: u32) -> Option<u64> {
        let ahead = self.ahead?;
        let same = ahead.region == region || self.share_device(ahead.region, region);
        same.then_some(ahead.start)
    }

    fn share_device(&self, region: u32, other: u32) -> bool {
        self.places[region as usize].shares_device(&self.places[other as usize])
    }

    #[inline(always)]
    fn draw(&mut self) -> Drawn {
        let op = self.direction();
        self.draw_place(op)
    }

    /// The next place of an operation, in the region whose turn it is.
    #[inline(always)]
    fn draw_place(&mut self, op: Op) -> Drawn {
        self.take_turn();
        let places = &mut self.places[self.region as usize];
        let (start, len) = places.next(slot(op), &self.spec, &mut self.run_left, &mut self.stream);
        if let Some(turn) = &mut self.turn {
            turn.took(self.region, len);
        }
        Drawn { op, region: self.region, start, len }
    }

    /// A flush of the device of a region.
    fn flush(region: u32) -> Next {
        Next::Issue(Drawn { op: Op::Flush, region, start: 0, len: 0 })
    }

    /// Goes to the region whose turn it is.
    #[inline(always)]
    fn take_turn(&mut self) {
        if let Some(turn) = &mut self.turn {
            self.region = turn.next(self.region, &self.places, &mut self.stream);
        }
    }

    /// Its time or its work is over.
    #[cold]
    fn at_its_end(&mut self) -> Next {
        if self.in_flight > 0 {
            return Next::WhenCompleted;
        }
        // fio flushes each file.
        if self.spec.flush_at_end && !self.stopped && self.flushed < narrow(self.places.len()) {
            self.flushed += 1;
            return Thread::flush(self.flushed - 1);
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
            // It takes the turn of an I/O, as in fio.
            self.take_turn();
            return Thread::flush(self.region);
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
            Next::Issue(io) => {
                self.count(io.len);
                next
            }
            // Its time may come after the thread's own end.
            Next::At(at) => Next::At(at.min(self.ends)),
            other => other,
        }
    }

    fn issue(&mut self, op: Op) -> Next {
        let io = match self.write_next.take() {
            Some(pair) if op == Op::Write => Drawn { op, ..pair },
            _ => self.draw_place(op),
        };
        self.count(io.len);
        if op == Op::Write {
            self.writes_since_flush += 1;
        }
        self.hold_back(io);
        Next::Issue(io)
    }

    /// When the next I/O may come after this one, and whether it is the other half of a pair.
    fn hold_back(&mut self, io: Drawn) {
        let Drawn { op, len, .. } = io;
        let s = slot(op);
        if self.spec.directions == Directions::TrimThenWrite && op == Op::Trim {
            self.write_next = Some(io);
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
}
