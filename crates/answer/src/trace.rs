//! The answer of `drivelab trace summary`, and what came of a replay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A trace added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// Its file, where it is not said elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Its format.
    pub format: String,
    /// From the first to the last request, s.
    pub duration_s: f64,
    /// All devices together.
    pub total: TraceDevice,
    /// The devices that are used.
    pub devices: Vec<TraceDevice>,
    /// Requests by size, as far as sizes are counted.
    pub sizes: Vec<TraceSize>,
    /// Requests whose size is not counted.
    pub requests_of_other_sizes: u64,
    /// The largest request, B.
    pub largest_bytes: u64,
    /// Requests a second; `null` of a trace without duration.
    pub mean_requests_per_s: Option<f64>,
    /// Bytes a second, likewise.
    pub mean_bytes_per_s: Option<f64>,
    /// Requests in the busiest second.
    pub busiest_second_requests: u64,
    /// Bytes in the second with the most.
    pub busiest_second_bytes: u64,
    /// Mean response of the recorded drives, s; `null` if it was not recorded.
    pub mean_response_s: Option<f64>,
    /// Whether the footprint is exact or a lower bound.
    pub footprint_is_exact: bool,
    /// Records that are no plain requests.
    pub notes: TraceNotes,
}

/// A device of a trace, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDevice {
    /// Its name.
    pub name: String,
    /// Reads, writes, trims and flushes.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Bytes trimmed.
    pub trim_bytes: u64,
    /// Reads over reads and writes.
    pub read_share: f64,
    /// Share of the requests that begin where one before ended.
    pub sequential_share: f64,
    /// Bytes that are touched, each once.
    pub footprint_bytes: u64,
    /// The first byte that is touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte: Option<u64>,
    /// The first byte behind what is touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_byte: Option<u64>,
    /// Bytes between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_bytes: Option<u64>,
}

/// Requests of a size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSize {
    /// The size, B.
    pub bytes: u64,
    /// Requests of it.
    pub requests: u64,
}

/// Records that are no plain requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceNotes {
    /// Requests of no bytes.
    pub empty: u64,
    /// Records of something else.
    pub other_records: u64,
    /// Requests that were put in order.
    pub reordered: u64,
    /// Requests too late to be put in order.
    pub late: u64,
    /// Requests that are not aligned to sectors.
    pub unaligned: u64,
    /// Records at the end of a file that are not complete; earlier versions did not say it.
    #[serde(default)]
    pub cut: u64,
}

/// What came of a trace that was replayed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// The trace.
    pub trace: Trace,
    /// How it went on a modelled drive.
    #[serde(flatten)]
    pub replayed: Option<Replayed>,
}

/// A replay on a modelled drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replayed {
    /// Reads, writes and trims.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Duration of the trace, s.
    pub recorded_s: f64,
    /// Duration of the replay, s.
    pub replayed_s: f64,
    /// Time in which a request was in flight, s.
    pub busy_s: f64,
    /// Bytes over that time; `null` if it is 0.
    pub bytes_per_busy_s: Option<f64>,
    /// Mean latency, s; `null` without requests.
    pub mean_access_s: Option<f64>,
    /// Mean response of the recorded drives, s; `null` if it was not recorded.
    pub recorded_response_s: Option<f64>,
}
