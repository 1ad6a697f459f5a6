//! A module of 3D XPoint: dies that are written in place, behind a controller without a buffer.

mod config;

pub use config::{XPOINT_UNIT, XPointConfig, XPointPowerConfig};
