//! The age of a drive when a run begins: as the user states it, and as its cells take it.

use super::retention::hours_at_30;
use super::{CellConfig, CellModel};
use serde::{Deserialize, Serialize};

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

/// Cycles that a drive has behind it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CyclesUsed {
    /// So many.
    Count(f64),
    /// A share of what its cells are rated for.
    Share(f64),
}

/// An age. A drive of the default age has cells that err, but has seen nothing yet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgeSpec {
    /// Program and erase cycles of every block.
    pub cycles: CyclesUsed,
    /// Time since its data was written, without power, hours.
    pub shelf_hours: f64,
    /// Temperature in that time, Celsius.
    pub celsius: f64,
    /// Reads of every block since its data was written.
    pub reads: f64,
}

impl Default for AgeSpec {
    fn default() -> Self {
        AgeSpec { cycles: CyclesUsed::Count(0.0), shelf_hours: 0.0, celsius: 30.0, reads: 0.0 }
    }
}

impl AgeSpec {
    /// The age of cells of this kind.
    pub fn resolve(&self, cell: &CellConfig) -> Age {
        let cycles = match self.cycles {
            CyclesUsed::Count(cycles) => cycles,
            CyclesUsed::Share(share) => share * CellModel::new(cell.clone()).rated_cycles(),
        };
        Age { cycles, hours: hours_at_30(self.shelf_hours, self.celsius), reads: self.reads }
    }
}
