//! Block traces: recorded requests to a drive, in various formats. It runs nothing.
//!
//! [`open`] finds out which format a file has and yields its [`Request`]s in order of time, as
//! they are read: no trace is held in memory. [`Summary`] adds them up, [`Placement`] lays the
//! recorded devices out on one target, and [`IologWriter`] writes them for fio. A [`Prepared`]
//! trace has been read once and can be replayed; [`Replays`] keeps those that jobs ask for.

mod binary;
mod detect;
mod device;
mod error;
mod format;
mod lines;
mod notes;
mod number;
mod order;
mod placement;
mod prepared;
mod reader;
mod replays;
mod request;
mod scsi;
mod summary;
mod text;
mod write;

pub use device::Devices;
pub use error::TraceError;
pub use format::Format;
pub use notes::Notes;
pub use placement::{Overflow, Placement, Slot};
pub use prepared::{Prepared, Requests, TraceOptions};
pub use reader::{Reader, open, read};
pub use replays::Replays;
pub use request::{Op, Request};
pub use summary::{DeviceSummary, Summary};
pub use write::IologWriter;

pub use detect::looks_like_a_trace;
