//! What is counted for one reporting entry.

use engine::index;
use fio::Job;
use stats::window::PS_PER_MS;
use stats::{Direction, Histogram, LatencyTally, Moments, Windows};

/// One direction of an entry.
pub(super) struct DirectionTally {
    /// Bytes moved.
    pub bytes: u64,
    /// Completion latency, ns.
    pub clat: LatencyTally,
    /// Submission latency, ns; not counted if the host costs nothing: it is then 0 throughout.
    pub slat: Moments,
    /// Total latency, ns; not counted if the host costs nothing: it is then that of completion.
    pub lat: Moments,
    /// Distribution of the submission latency, if it is asked for.
    pub slat_histogram: Option<Histogram>,
    /// Distribution of the total latency, if it is asked for.
    pub lat_histogram: Option<Histogram>,
}

/// One I/O as it is counted.
#[derive(Clone, Copy)]
pub(super) struct Io {
    /// Direction.
    pub direction: Direction,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u32,
    /// Completion, ps.
    pub completed_ps: u64,
    /// Submission latency, ns.
    pub slat_ns: u64,
    /// Completion latency, ns.
    pub clat_ns: u64,
    /// Total latency, ns.
    pub lat_ns: u64,
}

/// One reporting entry.
pub(super) struct EntryTally {
    /// Read, write, trim.
    pub directions: [DirectionTally; 3],
    /// Flushes, ns.
    pub sync: LatencyTally,
    /// I/Os by queue depth at issue, bands of [`stats::bands::LEVEL_KEYS`].
    pub levels: [u64; 7],
    /// I/Os that failed, in the ramp too.
    pub errors: u64,
    /// fio's samples of bandwidth.
    pub samples: Windows,
    /// fio's samples of I/Os a second, if their window is another.
    pub iops_samples: Option<Windows>,
    /// The series of the result, if it cannot be added up from the samples.
    series: Option<Windows>,
    window_ps: u64,
    /// Start of the first measured window; `None` before it.
    pub origin_ps: Option<u64>,
    bw_ps: u64,
    iops_ps: u64,
}

impl EntryTally {
    /// An empty tally of an entry that reports as `job` says, with a series of `window_ps`.
    pub(super) fn new(job: &Job, window_ps: u64) -> Self {
        let latencies = &job.latencies;
        let direction = || DirectionTally {
            bytes: 0,
            clat: LatencyTally::new(),
            slat: Moments::new(),
            lat: Moments::new(),
            slat_histogram: latencies.slat_percentiles.then(Histogram::new),
            lat_histogram: latencies.lat_percentiles.then(Histogram::new),
        };
        EntryTally {
            directions: [direction(), direction(), direction()],
            sync: LatencyTally::new(),
            levels: [0; 7],
            errors: 0,
            samples: Windows::new(0, 0),
            iops_samples: None,
            series: None,
            window_ps: window_ps.max(1),
            origin_ps: None,
            bw_ps: job.logs.bw_avg_ms.max(1).saturating_mul(PS_PER_MS),
            iops_ps: job.logs.iops_avg_ms.max(1).saturating_mul(PS_PER_MS),
        }
    }

    /// A thread of the entry will be measured from `open_ps` on; the first one counts.
    pub(super) fn open(&mut self, open_ps: u64) {
        if self.origin_ps.is_some_and(|origin| origin <= open_ps) {
            return;
        }
        self.origin_ps = Some(open_ps);
        self.samples = Windows::new(open_ps, self.bw_ps);
        self.iops_samples =
            (self.iops_ps != self.bw_ps).then(|| Windows::new(open_ps, self.iops_ps));
        self.series = (!self.window_ps.is_multiple_of(self.bw_ps))
            .then(|| Windows::new(open_ps, self.window_ps));
    }

    /// Counts an I/O; `host_costs`: submission takes time.
    #[inline]
    pub(super) fn record(&mut self, io: &Io, host_costs: bool) {
        let tally = &mut self.directions[io.direction as usize];
        tally.bytes += u64::from(io.len);
        tally.clat.record(io.clat_ns);
        if host_costs {
            tally.slat.record(io.slat_ns);
            tally.lat.record(io.lat_ns);
        }
        if let Some(histogram) = &mut tally.lat_histogram {
            histogram.record(io.lat_ns);
        }
        if let Some(histogram) = &mut tally.slat_histogram {
            histogram.record(io.slat_ns);
        }
        self.samples.push(io.completed_ps, io.direction, u64::from(io.len), io.clat_ns);
        if let Some(windows) = &mut self.iops_samples {
            windows.push(io.completed_ps, io.direction, u64::from(io.len), io.clat_ns);
        }
        if let Some(windows) = &mut self.series {
            windows.push(io.completed_ps, io.direction, u64::from(io.len), io.clat_ns);
        }
    }

    /// Ends all series.
    pub(super) fn finish(&mut self, end_ps: u64) {
        self.samples.finish(end_ps);
        for windows in [&mut self.iops_samples, &mut self.series].into_iter().flatten() {
            windows.finish(end_ps);
        }
    }

    /// The series of the result, after [`EntryTally::finish`].
    pub(super) fn series(&self) -> Windows {
        if let Some(series) = &self.series {
            return series.clone();
        }
        let each = index((self.window_ps / self.bw_ps).max(1));
        let mut folded = Windows::new(self.samples.origin_ps, self.window_ps);
        let sum = |column: &Vec<u64>| column.chunks(each).map(|part| part.iter().sum()).collect();
        for (into, from) in folded.directions.iter_mut().zip(&self.samples.directions) {
            into.ios = sum(&from.ios);
            into.bytes = sum(&from.bytes);
            into.lat_sum_ns = sum(&from.lat_sum_ns);
        }
        // What the columns hold is not opened again, only its end is set.
        folded.finish(self.samples.end_ps);
        folded
    }

    /// I/Os, bytes and sum of completion latencies (ns) of all directions so far.
    pub(super) fn totals(&self) -> (u64, u64, u128) {
        self.directions.iter().fold((0, 0, 0), |(ios, bytes, ns), tally| {
            (ios + tally.clat.moments.n, bytes + tally.bytes, ns + tally.clat.moments.sum)
        })
    }
}
