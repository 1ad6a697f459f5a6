//! What is counted of database servers.

use iopath::kernel::command::Status;
use iopath::kernel::probe::{Cause, DatabaseIo, Part, TransactionDone};
use stats::LatencyTally;

/// Width of the windows in which transactions are counted, ps: 10 ms.
const WINDOW_PS: u64 = 10_000_000_000;

/// Transactions of one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Transactions that ended in it.
    pub done: u64,
    /// Their response times together, ns.
    pub response_ns: u64,
}

/// I/Os of one cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoTally {
    /// How many.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Time between issue and end of all of them together, ns.
    pub latency_ns: u64,
}

/// What servers did while the window was open.
#[derive(Clone, Debug, Default)]
pub struct ServerTally {
    open_ps: Option<u64>,
    /// Transactions since the start, measured or not.
    pub seen: u64,
    /// Transactions.
    pub done: u64,
    /// Their response times, ns.
    pub response: LatencyTally,
    /// Their time by [`Part`], ns.
    pub parts_ns: [u64; Part::COUNT],
    /// Pages that were in the pool, and that were not.
    pub hits: u64,
    /// Pages that were not.
    pub misses: u64,
    /// I/Os by [`Cause`].
    pub ios: [IoTally; Cause::ALL.len()],
    /// I/Os that failed.
    pub errors: u64,
    /// Transactions over time, in windows of 10 ms.
    pub windows: Vec<Window>,
}

impl ServerTally {
    /// What ends from now on counts.
    pub(super) fn open(&mut self, now_ps: u64) {
        self.open_ps = Some(now_ps);
    }

    /// Nothing counts any more.
    pub(super) fn close(&mut self, now_ps: u64) {
        if let Some(open_ps) = self.open_ps.take() {
            let whole = (now_ps - open_ps) / WINDOW_PS;
            self.windows.resize(whole as usize, Window::default());
        }
    }

    pub(super) fn transaction(&mut self, done: &TransactionDone) {
        self.seen += 1;
        let Some(open_ps) = self.open_ps else { return };
        let response_ns = done.ended.since(done.began).ns();
        self.done += 1;
        self.response.record(response_ns);
        for (sum, part) in self.parts_ns.iter_mut().zip(done.parts) {
            *sum += part.ns();
        }
        let place = ((done.ended.ps() - open_ps) / WINDOW_PS) as usize;
        if place >= self.windows.len() {
            self.windows.resize(place + 1, Window::default());
        }
        self.windows[place].done += 1;
        self.windows[place].response_ns += response_ns;
    }

    pub(super) fn page(&mut self, found: bool) {
        if self.open_ps.is_some() {
            self.hits += u64::from(found);
            self.misses += u64::from(!found);
        }
    }

    pub(super) fn io(&mut self, io: &DatabaseIo) {
        self.errors += u64::from(io.status != Status::Ok);
        if self.open_ps.is_some() {
            let tally = &mut self.ios[io.cause as usize];
            tally.ios += 1;
            tally.bytes += u64::from(io.len);
            tally.latency_ns += io.completed.since(io.issued).ns();
        }
    }

    /// I/Os of one cause.
    pub fn of(&self, cause: Cause) -> &IoTally {
        &self.ios[cause as usize]
    }

    /// Sums of `batches` equal parts of the measured time, transactions and response times in ns;
    /// what does not divide is left out.
    pub fn batches(&self, batches: usize) -> Vec<Window> {
        let each = self.windows.len() / batches.max(1);
        if each == 0 {
            return Vec::new();
        }
        let sum = |part: &[Window]| Window {
            done: part.iter().map(|window| window.done).sum(),
            response_ns: part.iter().map(|window| window.response_ns).sum(),
        };
        self.windows.chunks_exact(each).take(batches).map(sum).collect()
    }
}
