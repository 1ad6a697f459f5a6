//! What health logs say about endurance: volumes, wear, life, cost, each with its bounds.
//!
//! Everything is interval arithmetic on readings of counters: a counter that counts in steps leaves
//! each reading open by one step, and that carries through to the result ([`Interval`]).

mod cost;
mod cycles;
mod life;
mod pair;
mod row;
mod single;
mod time;
mod wear;

pub use cost::Price;
pub use pair::between;
pub use row::{Report, Row, Unit};
pub use single::so_far;

use crate::interval::Interval;
use crate::snapshot::Snapshot;

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;
/// Days of a year, leap years counted in.
const YEAR_DAYS: f64 = 365.25;
/// Years of warranty by default: that of the drives whose wear indicator this was made for.
const WARRANTY_YEARS: f64 = 3.0;

/// A snapshot and the file it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The file, for messages.
    pub file: &'a str,
    /// What it holds.
    pub snapshot: &'a Snapshot,
}

/// What the logs do not contain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Time between the snapshots, seconds, for logs that name no time.
    pub elapsed_s: Option<f64>,
    /// Years of warranty; three if not given.
    pub warranty_years: Option<f64>,
    /// What the drive costs.
    pub price: Option<Price>,
    /// Bytes of flash on the drive.
    pub raw_bytes: Option<f64>,
    /// Program and erase cycles that the flash is rated for.
    pub rated_cycles: Option<f64>,
    /// NAND writes over host writes, where it is known (1 in a purely sequential run).
    pub write_amplification: Option<f64>,
}

impl Options {
    fn warranty(&self) -> f64 {
        self.warranty_years.unwrap_or(WARRANTY_YEARS)
    }
}

/// NAND writes: counted, or from host writes and a known amplification.
fn nand_of(
    counted: Option<Interval>,
    host: Option<Interval>,
    options: &Options,
) -> Option<Interval> {
    counted.or_else(|| Some(host?.times(options.write_amplification?)))
}
