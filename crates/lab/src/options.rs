//! How measurements are made.

use iopath::device::flash::cell::age::AgeSpec;
use library::Scale;

/// The condition of an array under the loads of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrayCondition {
    /// All its drives work; so does what is no array.
    #[default]
    Healthy,
    /// Its first drive has failed.
    Degraded,
    /// Its first drive was replaced, and is filled from the others.
    Rebuilding,
}

impl ArrayCondition {
    /// All, the best first.
    pub const ALL: [Self; 3] = [Self::Healthy, Self::Degraded, Self::Rebuilding];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Rebuilding => "rebuilding",
        }
    }
}

/// How measurements are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// How much of a drive is simulated; `None` if nobody chose it: then it is that of the method,
    /// or [`USUAL_SCALE`], and more where the load needs more.
    pub scale: Option<Scale>,
    /// I/Os that a measurement asks for, where its time is not given.
    pub ios: u64,
    /// Age of a modelled drive after it was brought into a state; `None`: its cells never err.
    pub age: Option<AgeSpec>,
    /// A small number of I/Os is really small: runs are counted in I/Os, and neither the least time
    /// nor the look ahead that a value needs is taken. What comes before they are measured lasts
    /// until the drives keep up with the load.
    pub brief: bool,
    /// A scale that somebody chose and that is too small for a load is raised to what the load
    /// needs.
    pub grows: bool,
    /// The condition of a target that is an array with redundancy.
    pub array: ArrayCondition,
    /// Jobs of a file draw other numbers with every seed, also those that repeat theirs
    /// (`randrepeat`).
    pub reseed: bool,
}

/// How much of a drive is simulated unless somebody chose it, or the method has a scale of its own.
pub const USUAL_SCALE: Scale = Scale::Units(16 << 20);

impl BenchOptions {
    /// How much of a drive is simulated, if neither method nor load want it otherwise.
    pub fn simulated(&self) -> Scale {
        self.scale.unwrap_or(USUAL_SCALE)
    }
}

impl Default for BenchOptions {
    /// Four million I/Os at the usual scale.
    fn default() -> Self {
        BenchOptions {
            seed: 1,
            scale: None,
            ios: 4_000_000,
            age: None,
            brief: false,
            grows: false,
            array: ArrayCondition::Healthy,
            reseed: false,
        }
    }
}
