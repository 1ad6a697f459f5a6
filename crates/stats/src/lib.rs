//! Histograms, time windows, steady-state tests and the Record. Knows no model.
//!
//! Everything here takes raw integers whose unit stands in the name (`_ns`, `_ps`, `_ms`,
//! `_bytes`), so that a modelled and a real drive feed the same code. Whatever is accumulated
//! while a run lasts is kept in integers: the result does not depend on the order in which
//! parts were merged, and is the same on every platform.

pub mod bands;
pub mod direction;
pub mod histogram;
pub mod log;
pub mod moments;
pub mod result;

pub use bands::{LatencyBands, Shares};
pub use direction::{
    BandwidthSamples, Direction, DirectionResult, IopsSamples, LatencyResult, LatencyTally,
    PercentileValue, PrioResult,
};
pub use histogram::Histogram;
pub use log::{HistLog, JobLog, LogKind};
pub use moments::Moments;
pub use result::{DiskUtil, JobResult, RunResult, SteadyStateResult, SyncResult};
