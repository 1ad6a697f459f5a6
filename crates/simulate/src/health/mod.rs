//! The health of a modelled drive, as the real drive would report it.
//!
//! A drive simulated at a fraction of its capacity does in a second what the real drive does in a
//! second over the fraction: its rates are those of the real drive, and its volumes are smaller.
//! Here, and only here, the counters of such a drive become those of the real one: bytes, commands
//! and times are divided by the scale; erase counts and shares stay as they are.

mod clock;
mod skipped;
mod snapshot;

pub use clock::Clock;
pub use skipped::Skipped;
pub use snapshot::{About, snapshot};
