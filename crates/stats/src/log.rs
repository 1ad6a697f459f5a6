//! Logs of a job: a row an I/O or a row a window, in columns.

use crate::histogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the values of a [`JobLog`] are.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LogKind {
    /// Bandwidth, KiB/s.
    Bw,
    /// I/Os a second.
    Iops,
    /// Submission latency, ns.
    Slat,
    /// Completion latency, ns.
    Clat,
    /// Total latency, ns.
    Lat,
}

impl LogKind {
    /// The part of fio's file name between the job's and its number: `bw`, `iops`, ...
    pub fn name(self) -> &'static str {
        ["bw", "iops", "slat", "clat", "lat"][self as usize]
    }
}

/// One row of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogRow {
    /// Time since the job's start, ms.
    pub ms: u64,
    /// Value in the unit of its [`LogKind`].
    pub value: u64,
    /// Direction: 0 read, 1 write, 2 trim.
    pub ddir: u8,
    /// Block size, bytes; 0 in averaged rows.
    pub bs: u64,
    /// Offset, bytes; 0 unless offsets are logged.
    pub offset: u64,
    /// Priority as fio prints it.
    pub prio: u32,
}

/// A log in columns: element `i` of each column is row `i`. All columns have one length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobLog {
    /// What the values are.
    pub kind: LogKind,
    /// Name given by the job file (fio's `write_bw_log=NAME`), without kind and number.
    pub name: String,
    /// Number of the job, from 1, in the file's name.
    pub number: u64,
    /// Times since the job's start, ms.
    pub ms: Vec<u64>,
    /// Values in the unit of `kind`.
    pub value: Vec<u64>,
    /// Directions: 0 read, 1 write, 2 trim.
    pub ddir: Vec<u8>,
    /// Block sizes, bytes.
    pub bs: Vec<u64>,
    /// Offsets, bytes.
    pub offset: Vec<u64>,
    /// Priorities.
    pub prio: Vec<u32>,
}

impl JobLog {
    /// An empty log.
    pub fn new(kind: LogKind, name: impl Into<String>, number: u64) -> Self {
        Self {
            kind,
            name: name.into(),
            number,
            ms: Vec::new(),
            value: Vec::new(),
            ddir: Vec::new(),
            bs: Vec::new(),
            offset: Vec::new(),
            prio: Vec::new(),
        }
    }

    /// Appends a row.
    pub fn push(&mut self, row: LogRow) {
        self.ms.push(row.ms);
        self.value.push(row.value);
        self.ddir.push(row.ddir);
        self.bs.push(row.bs);
        self.offset.push(row.offset);
        self.prio.push(row.prio);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ms.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ms.is_empty()
    }

    /// The rows in order; stops at the shortest column, should a file have damaged them.
    pub fn rows(&self) -> impl Iterator<Item = LogRow> {
        let times = self.ms.iter().zip(&self.value).zip(&self.ddir);
        let places = self.bs.iter().zip(&self.offset).zip(&self.prio);
        times.zip(places).map(|(((ms, value), ddir), ((bs, offset), prio))| LogRow {
            ms: *ms,
            value: *value,
            ddir: *ddir,
            bs: *bs,
            offset: *offset,
            prio: *prio,
        })
    }
}

/// One row of a histogram log: the completion latencies of one window, direction and size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistRow {
    /// End of the window since the job's start, ms.
    pub ms: u64,
    /// Direction: 0 read, 1 write, 2 trim.
    pub ddir: u8,
    /// Block size, bytes.
    pub bs: u64,
    /// What completed in the window.
    pub histogram: Histogram,
}

/// A histogram log (fio's `write_hist_log`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistLog {
    /// Name given by the job file.
    pub name: String,
    /// Number of the job, from 1, in the file's name.
    pub number: u64,
    /// fio's `log_hist_coarseness`: how often neighbouring buckets were added in pairs when
    /// printed. The rows here are always at full resolution.
    pub coarseness: u32,
    /// Rows in order of time.
    pub rows: Vec<HistRow>,
}
