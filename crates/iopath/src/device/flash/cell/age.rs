//! The age of a drive when a run begins.

/// What every block of a drive has been through before time 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Age {
    /// Program and erase cycles.
    pub cycles: f64,
    /// Hours at 30 C since its data was written ([`super::retention::hours_at_30`]).
    pub hours: f64,
    /// Reads of each block since then.
    pub reads: f64,
}
