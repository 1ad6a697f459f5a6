//! What is asked of drives.

use crate::spread::Spread;

/// How drives are used, each as it is drawn, all its life and by those that take its place; what
/// the host writes to drives of one array and how full they are is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// What the host writes, B/s.
    pub writes: Spread,
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: Spread,
    /// Temperature, degrees Celsius.
    pub temperature: Spread,
    /// How long slots have been in use at the start, s; what failed in them was replaced.
    pub age: Spread,
    /// Share of drives whose writes are in order, 0 to 1.
    pub in_order: f64,
}
