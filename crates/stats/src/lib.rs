//! Histograms, time windows, steady-state tests and the Record. It is independent of the models.
//!
//! Everything here takes raw integers whose unit is part of the name (`_ns`, `_ps`, `_ms`,
//! `_bytes`), so that a modelled and a real drive feed the same code. Whatever is accumulated while
//! a run lasts is kept in integers: the result does not depend on the order in which parts were
//! merged, and is the same on every platform.

pub mod bands;
pub mod canonical;
pub mod convergence;
mod decimal;
pub mod difference;
pub mod direction;
pub mod gate;
pub mod histogram;
pub mod ledger;
pub mod limit;
pub mod little;
pub mod log;
mod median;
pub mod moments;
pub mod named_histogram;
pub mod percentile;
pub mod record;
pub mod result;
pub mod series;
pub mod steady;
pub mod stretch;
pub mod student;
pub mod timeline;
pub mod window;

pub use bands::{LatencyBands, Shares};
pub use convergence::{ByRound, Convergence, Tracked};
pub use difference::{Difference, Pairing};
pub use direction::{
    BandwidthSamples, Direction, DirectionResult, IopsSamples, LatencyResult, LatencyTally,
    PercentileValue, PrioResult,
};
pub use gate::{Gate, GateTotal, Judged};
pub use histogram::Histogram;
pub use ledger::{Cause, Imbalance, Ledger};
pub use limit::{Limit, LimitedBy, stretches};
pub use little::{LittleCheck, Residence, Utilisation};
pub use log::{HistLog, HistRow, JobLog, LogKind, LogRow};
pub use median::median;
pub use moments::Moments;
pub use named_histogram::NamedHistogram;
pub use percentile::{PercentileEstimate, enough_samples};
pub use record::{Checks, Cost, Input, Kind, Made, Outcome, Record, RecordError, Target, Warning};
pub use result::{
    DiskCounters, DiskUtil, JobResult, PercentileKinds, RunResult, SteadyStateResult, SyncResult,
    Unified,
};
pub use series::{PhaseKind, Series, SeriesPhase};
pub use steady::{FioCriterion, FioVerdict, SniaCriterion, SniaVerdict, correlation_with_order};
pub use stretch::{Stretch, StretchFlash, StretchIos};
pub use timeline::Timeline;
pub use window::Windows;
