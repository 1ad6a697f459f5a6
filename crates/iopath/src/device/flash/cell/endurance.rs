//! Rated endurance: the cycles after which data is still there at the end of the retention that the
//! drive's class requires (JESD218).

use super::retention::{self, YEAR_HOURS};
use super::{CellModel, Stress};

/// What a drive is sold for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// 12 months at 30 C without power, UBER of 1e-15.
    Client,
    /// 3 months at 40 C without power, UBER of 1e-16.
    Enterprise,
}

impl Class {
    /// Highest uncorrectable bit error rate.
    pub fn uber(self) -> f64 {
        match self {
            Class::Client => 1e-15,
            Class::Enterprise => 1e-16,
        }
    }

    /// Retention without power at the end of life, as hours at 30 C.
    pub fn retention_hours(self) -> f64 {
        match self {
            Class::Client => YEAR_HOURS,
            Class::Enterprise => retention::hours_at_30(YEAR_HOURS / 4.0, 40.0),
        }
    }
}

/// Cycles at which the worst page, after the class's retention and with all retries, reaches what
/// the code can correct at the class's UBER; by bisection, up to a thousand million.
pub fn rated_cycles(cell: &CellModel, class: Class) -> f64 {
    let (hours, limit) = (class.retention_hours(), cell.config().ecc.limit(class.uber()));
    last(|cycles| holds(cell, limit, Stress { cycles, hours, reads: 0.0 }))
}

/// Hours at 30 C without power after which the worst page, with so many cycles behind it and with
/// all retries, reaches what the code can correct at the class's UBER; by bisection, up to a
/// thousand million.
pub fn retention_hours(cell: &CellModel, class: Class, cycles: f64) -> f64 {
    let limit = cell.config().ecc.limit(class.uber());
    last(|hours| holds(cell, limit, Stress { cycles, hours, reads: 0.0 }))
}

/// Whether every page can be read, at most so many of its raw bits being wrong.
fn holds(cell: &CellModel, limit: f64, stress: Stress) -> bool {
    (0..cell.pages()).all(|page| cell.is_within(stress, page, limit))
}

/// The greatest number from 1 to 2^30 up to which something holds, 0 if it does not hold at 0.
fn last(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0f64, 30.0f64);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if holds(libm::exp2(middle)) { low = middle } else { high = middle }
    }
    if holds(0.0) { libm::exp2(low) } else { 0.0 }
}
