//! fio's logs of one thread: a row an I/O, or a row a window and direction.

use super::tally::Io;
use engine::narrow;
use fio::workload::Logs;
use stats::window::PS_PER_MS;
use stats::{Direction, HistLog, HistRow, Histogram, JobLog, LogKind, LogRow};

/// Sums of one window and direction.
#[derive(Clone, Copy, Default)]
struct Sums {
    ios: u64,
    bytes: u64,
    /// Sum and greatest of each latency: submission, completion, total.
    sum_ns: [u64; 3],
    max_ns: [u64; 3],
}

/// The logs of one thread.
pub(super) struct ThreadLog {
    /// Those that are asked for, by kind.
    logs: Vec<JobLog>,
    window_ps: u64,
    takes_greatest: bool,
    with_offset: bool,
    end_ps: u64,
    sums: [Sums; 3],
    hist: Option<HistLog>,
    hist_window_ps: u64,
    hist_end_ps: u64,
    /// Histogram and last block size of each direction in this window.
    hist_sums: Vec<(Histogram, u64)>,
    origin_ps: u64,
}

const LATENCIES: [LogKind; 3] = [LogKind::Slat, LogKind::Clat, LogKind::Lat];

impl ThreadLog {
    /// The logs of thread `number` (from 1); `None` if the job asks for none.
    pub(super) fn new(logs: &Logs, number: u64) -> Option<Self> {
        let named = [
            (LogKind::Bw, &logs.bw),
            (LogKind::Iops, &logs.iops),
            (LogKind::Slat, &logs.lat),
            (LogKind::Clat, &logs.lat),
            (LogKind::Lat, &logs.lat),
        ];
        let list: Vec<JobLog> = named
            .into_iter()
            .filter_map(|(kind, name)| name.as_ref().map(|name| JobLog::new(kind, name, number)))
            .collect();
        let hist = logs.hist.as_ref().map(|name| HistLog {
            name: name.clone(),
            number,
            coarseness: logs.hist_coarseness,
            rows: Vec::new(),
        });
        if list.is_empty() && hist.is_none() {
            return None;
        }
        let hist_ms = if logs.hist_ms > 0 { logs.hist_ms } else { logs.avg_ms.max(1) };
        Some(ThreadLog {
            logs: list,
            window_ps: logs.avg_ms.saturating_mul(PS_PER_MS),
            takes_greatest: logs.max_value,
            with_offset: logs.offset,
            end_ps: 0,
            sums: [Sums::default(); 3],
            hist,
            hist_window_ps: hist_ms.saturating_mul(PS_PER_MS),
            hist_end_ps: 0,
            hist_sums: vec![(Histogram::new(), 0); 3],
            origin_ps: 0,
        })
    }

    /// Times count from `origin_ps`.
    pub(super) fn open(&mut self, origin_ps: u64) {
        self.origin_ps = origin_ps;
        self.end_ps = origin_ps.saturating_add(self.window_ps);
        self.hist_end_ps = origin_ps.saturating_add(self.hist_window_ps);
    }

    /// Counts an I/O; times must not fall.
    pub(super) fn record(&mut self, io: &Io) {
        if self.hist.is_some() {
            while io.completed_ps >= self.hist_end_ps {
                self.close_histograms();
            }
            let (histogram, bs) = &mut self.hist_sums[io.direction.index()];
            histogram.record(io.clat_ns);
            *bs = u64::from(io.len);
        }
        if self.window_ps == 0 {
            self.push_one(io);
            return;
        }
        while io.completed_ps >= self.end_ps {
            self.close_window();
        }
        let sums = &mut self.sums[io.direction.index()];
        sums.ios += 1;
        sums.bytes += u64::from(io.len);
        for (i, ns) in [io.slat_ns, io.clat_ns, io.lat_ns].into_iter().enumerate() {
            sums.sum_ns[i] = sums.sum_ns[i].saturating_add(ns);
            sums.max_ns[i] = sums.max_ns[i].max(ns);
        }
    }

    /// A row for an I/O of its own: its bandwidth is over its own latency, as fio has it.
    fn push_one(&mut self, io: &Io) {
        let bytes = u128::from(io.len) * 1_000_000_000 / u128::from(io.lat_ns.max(1));
        for log in &mut self.logs {
            let value = match log.kind {
                LogKind::Bw => u64::try_from(bytes / 1024).unwrap_or(u64::MAX),
                LogKind::Iops => 1,
                LogKind::Slat => io.slat_ns,
                LogKind::Clat => io.clat_ns,
                LogKind::Lat => io.lat_ns,
            };
            log.push(LogRow {
                ms: (io.completed_ps - self.origin_ps) / PS_PER_MS,
                value,
                ddir: narrow(io.direction.index()),
                bs: u64::from(io.len),
                offset: if self.with_offset { io.start } else { 0 },
                prio: 0,
            });
        }
    }

    fn close_window(&mut self) {
        let ms = (self.end_ps - self.origin_ps) / PS_PER_MS;
        let window_ms = (self.window_ps / PS_PER_MS).max(1);
        for (ddir, sums) in self.sums.iter_mut().enumerate() {
            let sums = std::mem::take(sums);
            if sums.ios == 0 {
                continue;
            }
            for log in &mut self.logs {
                let latency = LATENCIES.iter().position(|kind| *kind == log.kind);
                let value = match latency {
                    Some(i) if self.takes_greatest => sums.max_ns[i],
                    Some(i) => sums.sum_ns[i] / sums.ios,
                    None if log.kind == LogKind::Bw => sums.bytes * 1000 / 1024 / window_ms,
                    None => sums.ios * 1000 / window_ms,
                };
                log.push(LogRow { ms, value, ddir: narrow(ddir), bs: 0, offset: 0, prio: 0 });
            }
        }
        self.end_ps = self.end_ps.saturating_add(self.window_ps);
    }

    fn close_histograms(&mut self) {
        let ms = (self.hist_end_ps - self.origin_ps) / PS_PER_MS;
        if let Some(log) = &mut self.hist {
            for direction in Direction::ALL {
                let (histogram, bs) = &mut self.hist_sums[direction.index()];
                if !histogram.is_empty() {
                    let (ddir, histogram) = (narrow(direction.index()), std::mem::take(histogram));
                    log.rows.push(HistRow { ms, ddir, bs: *bs, histogram });
                }
            }
        }
        self.hist_end_ps = self.hist_end_ps.saturating_add(self.hist_window_ps);
    }

    /// Ends the logs at `end_ps`: fio writes no row for a window that is cut short, unless the
    /// job was shorter than one.
    pub(super) fn finish(mut self, end_ps: u64) -> (Vec<JobLog>, Option<HistLog>) {
        while self.window_ps > 0 && end_ps >= self.end_ps {
            self.close_window();
        }
        while self.hist.is_some() && end_ps >= self.hist_end_ps {
            self.close_histograms();
        }
        if self.hist.as_ref().is_some_and(|log| log.rows.is_empty()) {
            self.close_histograms();
        }
        (self.logs, self.hist)
    }
}
