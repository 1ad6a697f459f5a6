//! A trace as the workload plays it: at its place, its pace, and only what is wanted of it.

use engine::{Duration, narrow};
use fio::workload;
use iopath::host::workload::{Arrival, Recording};
use iopath::kernel::command;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::{Op, Placement, Prepared, Request};

/// Longest replay, ps: a quarter of what the clock holds, so that a drive may fall behind.
const LONGEST_PS: u128 = 1 << 62;
const PS_PER_NS: u128 = 1000;
/// A trim is handed on in parts of at most this, bytes.
const PART: u64 = 1 << 30;

/// A trace with all that is done to it.
#[derive(Debug)]
pub(super) struct Player(Arc<Inner>);

struct Inner {
    prepared: Arc<Prepared>,
    placement: Placement,
    /// Offsets are multiples of this, bytes; 0: as recorded.
    align: u64,
    divisor: u64,
    /// Speed, percent.
    speed: u64,
    /// By [`Op::index`].
    skip: [bool; 4],
    /// The trace could not be read as it was the first time.
    changed: AtomicBool,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("path", &self.prepared.path()).finish()
    }
}

impl Player {
    pub(super) fn new(
        prepared: Arc<Prepared>,
        placement: Placement,
        asked: &workload::Replay,
    ) -> Self {
        let [read, write, trim] = asked.skip;
        Player(Arc::new(Inner {
            prepared,
            placement,
            align: asked.align,
            divisor: asked.scale.max(1),
            speed: asked.time_scale_percent.max(1),
            skip: [read, write, trim, false],
            changed: AtomicBool::new(false),
        }))
    }

    /// From the first request to the last at this speed; `None` if that is too long.
    pub(super) fn length(&self) -> Option<Duration> {
        self.0.time(self.0.prepared.summary().duration_ns())
    }
}

impl Inner {
    /// A recorded time at the speed of the replay.
    fn time(&self, ns: u64) -> Option<Duration> {
        let ps = u128::from(ns) * PS_PER_NS * 100 / u128::from(self.speed);
        (ps < LONGEST_PS).then(|| Duration::from_ps(narrow(ps)))
    }

    /// The offset and length of a request on its recorded device.
    fn moved(&self, request: &Request) -> (u64, u64) {
        let offset = request.offset / self.divisor;
        match self.align {
            0 | 1 => (offset, request.len),
            align => (offset / align * align, request.len),
        }
    }
}

impl Recording for Player {
    fn play(&self) -> Box<dyn Iterator<Item = Arrival> + Send> {
        let inner = self.0.clone();
        let requests: Source = match inner.prepared.requests() {
            Ok(requests) => {
                let mut left = inner.prepared.summary().total().all_requests();
                let shared = inner.clone();
                // The trace was read to its end before: an error now is a change of the file.
                Box::new(requests.map_while(move |request| {
                    shared.changed.fetch_or(request.is_err() || left == 0, Ordering::Relaxed);
                    left = left.checked_sub(1)?;
                    request.ok()
                }))
            }
            Err(_) => {
                inner.changed.store(true, Ordering::Relaxed);
                Box::new(std::iter::empty())
            }
        };
        Box::new(Tape { inner, requests, before: None, rest: None })
    }

    fn complaint(&self) -> Option<String> {
        let path = self.0.prepared.path().display();
        let changed = self.0.changed.load(Ordering::Relaxed);
        changed.then(|| format!("{path} was changed while it was replayed: the rest is left out"))
    }
}

type Source = Box<dyn Iterator<Item = Request> + Send>;

/// One playing of a trace.
struct Tape {
    inner: Arc<Inner>,
    requests: Source,
    /// Arrival and response time of the request before, ns.
    before: Option<(u64, u64)>,
    /// What is left of a long trim: the request with its moved place.
    rest: Option<Request>,
}

impl Iterator for Tape {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let rest = self.rest.take();
        let continued = rest.is_some();
        let mut request = match rest {
            Some(rest) => rest,
            None => {
                let skip = self.inner.skip;
                let request = self.requests.find(|request| !skip[request.op.index()])?;
                let (offset, len) = self.inner.moved(&request);
                Request { offset, len, ..request }
            }
        };
        let think_ns = match self.before {
            _ if continued => 0,
            Some((at_ns, response_ns)) => {
                request.at_ns.saturating_sub(at_ns).saturating_sub(response_ns)
            }
            None => request.at_ns,
        };
        self.before = Some((request.at_ns, request.response_ns.unwrap_or(0)));
        let len = if request.op == Op::Trim { request.len.min(PART) } else { request.len };
        let (start, span) = match request.op {
            Op::Flush => (0, 0),
            _ => self.inner.placement.place(request.device, request.offset, len),
        };
        let at_ns = request.at_ns;
        let op = match request.op {
            Op::Read => command::Op::Read,
            Op::Write => command::Op::Write,
            Op::Trim => command::Op::Trim,
            Op::Flush => command::Op::Flush,
        };
        if len < request.len {
            request.offset += len;
            request.len -= len;
            self.rest = Some(request);
        }
        Some(Arrival {
            at: self.inner.time(at_ns)?,
            think: self.inner.time(think_ns)?,
            op,
            start,
            len: u32::try_from(span).unwrap_or(u32::MAX - 511),
        })
    }
}
