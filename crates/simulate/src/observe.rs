//! The probe: sees every I/O of a run and counts it where it belongs.
//!
//! An I/O counts if it completes inside its thread's window: from the end of `ramp_time` until
//! the thread is done, its last I/Os included, as in fio.

use super::log::ThreadLog;
use super::server_tally::ServerTally;
use super::tally::{EntryTally, Io};
use engine::{Instant, narrow};
use iopath::kernel::command::{Op, Status};
use iopath::kernel::probe::{DatabaseIo, Found, IoDone, Probe, TransactionDone};
use stats::{Direction, Residence, bands};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is kept about one thread.
pub(super) struct ThreadTally {
    entry: u32,
    in_flight: u32,
    /// I/Os count from here on, ps; `u64::MAX` before its phase.
    pub open_ps: u64,
    /// When it was done, ps; `None` while it runs.
    pub ended_ps: Option<u64>,
    /// I/Os that counted.
    pub counted: u64,
    /// What the search for its queue depth has come to, if there is one.
    pub search: Option<Found>,
    /// I/Os count only once the depth is found.
    waits: bool,
    /// Whether its end ends others (fio's `exitall`).
    ends_others: bool,
    /// Its logs, if it writes any.
    pub log: Option<Box<ThreadLog>>,
}

impl ThreadTally {
    /// The same thread, which searches for its queue depth; what it did before it has found it
    /// counts if it `goes_on`.
    pub(super) fn searching(self, goes_on: bool) -> Self {
        ThreadTally { search: Some(Found::Next(1)), waits: !goes_on, ..self }
    }

    /// A thread that reports to an entry.
    pub(super) fn new(entry: usize, ends_others: bool, log: Option<ThreadLog>) -> Self {
        ThreadTally {
            entry: narrow(entry),
            in_flight: 0,
            open_ps: u64::MAX,
            ended_ps: None,
            counted: 0,
            search: None,
            waits: false,
            ends_others,
            log: log.map(Box::new),
        }
    }
}

/// I/Os of one direction that ended before their thread was measured.
#[derive(Clone, Copy, Default)]
pub(super) struct RampTally {
    /// How many.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Sum of completion latencies, ns.
    pub latency_ns: u64,
}

/// Counts the I/Os of a run. The default one sees nothing and counts nothing: a rig at rest.
#[derive(Default)]
pub(super) struct Observer {
    /// All threads of the run, by phase.
    pub threads: Vec<ThreadTally>,
    /// All reporting entries.
    pub entries: Vec<EntryTally>,
    /// I/Os before their thread is measured, by direction: only the timeline shows them.
    pub ramp: [RampTally; 3],
    /// First thread of the phase that runs.
    base: usize,
    /// Threads of the phase that are not done.
    pub running: u32,
    /// I/Os issued and not completed.
    pub outstanding: u64,
    /// A thread that ends others is done.
    pub exit: bool,
    /// I/Os completed since the start of the run.
    pub ios: u64,
    /// When the last thread ended, ps.
    pub last_end_ps: u64,
    /// Submission takes time on the host.
    host_costs: bool,
    /// The budget has ended the phase: nothing counts any more.
    closed: bool,
    /// Time in the measured windows with at least one I/O outstanding, ps.
    pub busy_ps: u64,
    /// Both sides of Little's law.
    residence: Residence,
    /// Issues that are ahead: a thread with host cost issues its I/Os one after the other, and
    /// other events come between.
    ahead: BinaryHeap<Reverse<u64>>,
    /// What database servers do, while there are any.
    pub servers: Option<Box<ServerTally>>,
}

impl Observer {
    /// An observer of these threads and entries.
    pub(super) fn new(
        threads: Vec<ThreadTally>,
        entries: Vec<EntryTally>,
        host_costs: bool,
    ) -> Self {
        Observer { threads, entries, host_costs, ..Observer::default() }
    }

    /// An observer of database servers.
    pub(super) fn of_servers() -> Self {
        Observer { servers: Some(Box::default()), ..Observer::default() }
    }

    /// A phase begins: `opens` are the times at which its threads are measured, ps.
    pub(super) fn begin_phase(&mut self, base: usize, opens: &[u64]) {
        self.base = base;
        self.running = narrow(opens.len());
        self.closed = false;
        self.exit = false;
        for (i, open) in opens.iter().enumerate() {
            self.set_open(base + i, *open);
        }
    }

    fn set_open(&mut self, thread: usize, open_ps: u64) {
        let thread = &mut self.threads[thread];
        thread.open_ps = open_ps;
        self.entries[thread.entry as usize].open(open_ps);
        if let Some(log) = &mut thread.log {
            log.open(open_ps);
        }
    }

    /// The budget cuts the ramp short: threads of the phase that are not measured yet are from
    /// `now_ps` on.
    pub(super) fn open_early(&mut self, now_ps: u64) {
        for i in self.base..self.threads.len() {
            let open_ps = self.threads[i].open_ps;
            if open_ps != u64::MAX && open_ps > now_ps {
                self.set_open(i, now_ps);
            }
        }
    }

    /// Little's law is measured from `now_ps` on.
    pub(super) fn open_window(&mut self, now_ps: u64) {
        self.arrive_until(now_ps);
        self.residence.open_window(now_ps);
    }

    /// Ends the phase at `now_ps` for threads that still run, and the window of Little's law.
    /// `issued` are the issue times of the I/Os that are outstanding.
    pub(super) fn close(
        &mut self,
        now_ps: u64,
        issued: impl Iterator<Item = u64>,
    ) -> stats::LittleCheck {
        self.closed = true;
        self.last_end_ps = self.last_end_ps.max(now_ps);
        for i in self.base..self.threads.len() {
            let thread = &mut self.threads[i];
            if thread.open_ps != u64::MAX && thread.ended_ps.is_none() {
                thread.ended_ps = Some(now_ps);
            }
        }
        self.arrive_until(now_ps);
        let check = self.residence.close_window(now_ps, issued.filter(|at| *at <= now_ps));
        if check.window_ps > 0 {
            self.busy_ps += self.residence.busy_ps();
        }
        self.residence = Residence::new();
        self.ahead.clear();
        check
    }

    #[inline]
    fn arrive_until(&mut self, now_ps: u64) {
        while let Some(Reverse(at)) = self.ahead.peek().copied()
            && at <= now_ps
        {
            self.ahead.pop();
            self.residence.arrive(at);
        }
    }

    /// An I/O that is not measured. One that fails ends its job all the same.
    fn ramped(&mut self, entry: usize, io: &IoDone) {
        if io.status != Status::Ok {
            self.entries[entry].errors += 1;
            return;
        }
        let Some(direction) = direction(io.op) else { return };
        let ramp = &mut self.ramp[direction.index()];
        ramp.ios += 1;
        ramp.bytes += u64::from(io.len);
        ramp.latency_ns += io.completed.since(io.submitted).ns();
    }

    #[cold]
    fn flushed(&mut self, entry: usize, io: &IoDone) {
        self.entries[entry].sync.record(io.completed.since(io.issued).ns());
    }
}

fn direction(op: Op) -> Option<Direction> {
    match op {
        Op::Read => Some(Direction::Read),
        Op::Write => Some(Direction::Write),
        Op::Trim => Some(Direction::Trim),
        Op::Flush => None,
    }
}

impl Probe<()> for Observer {
    #[inline]
    fn io_issued(&mut self, thread: u32, issued: Instant) {
        self.outstanding += 1;
        let Some(thread) = self.threads.get_mut(self.base + thread as usize) else { return };
        thread.in_flight += 1;
        if issued.ps() >= thread.open_ps && !thread.waits && !self.closed {
            let level = bands::level_index(u64::from(thread.in_flight));
            self.entries[thread.entry as usize].levels[level] += 1;
        }
        if self.closed {
            return;
        }
        if self.host_costs {
            self.ahead.push(Reverse(issued.ps()));
        } else {
            self.residence.arrive(issued.ps());
        }
    }

    #[inline]
    fn io_done(&mut self, io: &IoDone) {
        self.outstanding -= 1;
        self.ios += 1;
        let completed_ps = io.completed.ps();
        let Some(thread) = self.threads.get_mut(self.base + io.thread as usize) else { return };
        thread.in_flight -= 1;
        if self.closed {
            return;
        }
        if self.host_costs {
            self.arrive_until(completed_ps);
        }
        self.residence.depart(completed_ps, io.issued.ps());
        let thread = &mut self.threads[self.base + io.thread as usize];
        let entry = thread.entry as usize;
        if completed_ps < thread.open_ps || thread.waits {
            return self.ramped(entry, io);
        }
        if io.status != Status::Ok {
            self.entries[entry].errors += 1;
            return;
        }
        let Some(direction) = direction(io.op) else { return self.flushed(entry, io) };
        thread.counted += 1;
        let slat = io.submitted.since(io.issued);
        let clat = io.completed.since(io.submitted);
        let io = Io {
            direction,
            start: io.start,
            len: io.len,
            completed_ps,
            slat_ns: slat.ns(),
            clat_ns: clat.ns(),
            lat_ns: (slat + clat).ns(),
        };
        if let Some(log) = &mut thread.log {
            log.record(&io);
        }
        self.entries[entry].record(&io, self.host_costs);
    }

    fn transaction_done(&mut self, done: &TransactionDone) {
        if let Some(servers) = &mut self.servers {
            servers.transaction(done);
        }
    }

    #[inline]
    fn page_used(&mut self, _server: u16, found: bool) {
        if let Some(servers) = &mut self.servers {
            servers.page(found);
        }
    }

    fn database_io(&mut self, io: &DatabaseIo) {
        if let Some(servers) = &mut self.servers {
            servers.io(io);
        }
    }

    fn depth_found(&mut self, thread: u32, found: Found, now: Instant) {
        let index = self.base + thread as usize;
        let Some(thread) = self.threads.get_mut(index).filter(|_| !self.closed) else { return };
        thread.search = Some(found);
        if let (Found::Greatest(_), true) = (found, thread.waits) {
            thread.waits = false;
            self.set_open(index, now.ps());
        }
    }

    fn thread_done(&mut self, thread: u32, now: Instant) {
        if self.closed {
            return;
        }
        let Some(thread) = self.threads.get_mut(self.base + thread as usize) else { return };
        thread.ended_ps = Some(now.ps());
        self.last_end_ps = self.last_end_ps.max(now.ps());
        self.running -= 1;
        self.exit |= thread.ends_others;
    }
}
