//! The kernel of the laboratory: virtual time, unit types, the event queue, random streams and
//! first-come-first-served resources. It contains nothing about storage.
//!
//! One simulation is one value, single-threaded and deterministic; nothing here is global, so two
//! simulations can run side by side in one test.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod divisor;
pub mod fifo;
pub mod narrow;
pub mod permutation;
pub mod quantiles;
pub mod queue;
pub mod rate_gate;
pub mod repeats;
pub mod rng;
pub mod sampler;
pub mod thermal_units;
pub mod time;
pub mod transfer_time;
pub mod units;

pub use divisor::Divisor;
pub use fifo::{FifoServer, FifoServers};
pub use narrow::{index, low32, low64, narrow, saturated, single, whole, whole_signed, whole_wide};
pub use permutation::Permutation;
pub use quantiles::Quantiles;
pub use queue::{Event, EventQueue, Next, Priority};
pub use rate_gate::RateGate;
pub use repeats::Repeats;
pub use rng::Stream;
pub use sampler::Sampler;
pub use thermal_units::{
    Area, Conductivity, HeatCapacity, HeatTransfer, Length, RotationSpeed, Temperature,
    ThermalResistance,
};
pub use time::{Duration, Instant};
pub use transfer_time::TransferTime;
pub use units::{
    Bandwidth, Bytes, Count, Energy, Power, Quantity, Ratio, Spelling, UnitError, Voltage,
};
