//! What every node of a machine knows: commands, what they carry, time, shared links, the probe.

pub(crate) mod checked;
pub mod command;
mod context;
pub mod data;
mod device;
pub mod galois;
pub mod outgoing;
pub mod payload;
pub mod probe;
pub mod shared;
mod source;
pub mod spread;

pub use context::Context;
pub use device::{Device, Range};
pub use source::Source;

/// Event kind that every parent understands: a command of its own has completed.
pub const COMPLETED: u16 = u16::MAX;

/// The parent of commands that come from outside the machine; the probe is notified when they end.
pub const OUTSIDE: u16 = u16::MAX;
