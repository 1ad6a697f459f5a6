//! The answer of `drivelab fleet`.

use crate::budget::Budget;
use crate::pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of fleets of drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fleet {
    /// [`Fleet::SCHEMA`].
    pub schema: String,
    /// How long, s.
    pub time: f64,
    /// How often each fleet was lived through.
    pub runs: u32,
    /// The first seed.
    pub seed: u64,
    /// What the plan says of use, hazards, arrays and spares, as it is written there.
    pub inputs: Pairs<String>,
    /// Where the numbers of the hazards come from.
    pub hazard_source: Option<String>,
    /// The work of one simulation.
    pub budget: Budget,
    /// The currency of costs.
    pub currency: Option<String>,
    /// How sure it is that spares do not run out, 0 to 1.
    pub confidence: f64,
    /// Each purchase.
    pub purchases: Vec<Purchase>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

impl Fleet {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/fleet/1";
}

/// Drives that could be bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Purchase {
    /// Its name.
    pub name: String,
    /// Its drive, with what is changed about the model.
    pub drive: String,
    /// How many.
    pub drives: u32,
    /// Capacity of a drive that the host uses, bytes.
    pub usable_capacity: f64,
    /// Bytes that the flash of a drive takes until its rated cycles are used.
    pub flash_writes: f64,
    /// Write amplification of random writes by fill, as simulated; the curve goes through these.
    pub curve: Vec<FillPoint>,
    /// How far a point lies from the curve through the others, at most, as a share.
    pub left_out: Option<f64>,
    /// Fill levels of the fleet that were simulated too.
    pub checks: Vec<FillPoint>,
    /// Write amplification of writes in order, if there are any.
    pub in_order: Option<f64>,
    /// Write amplification of the drives: of half and of 95 % of them at most so much.
    pub amplification: [f64; 2],
    /// By month.
    pub months: Vec<FleetMonth>,
    /// Drives that failed early, failed at random, wore out, were retired, in all the time.
    pub gone: Gone,
    /// Drives that were replaced.
    pub replaced: Chance,
    /// Failures per drive and year.
    pub failure_rate: f64,
    /// Spares that are needed while an order is on its way, in the busiest such time.
    pub spares: u32,
    /// Slots, over all runs, in which drives fail so fast that no more were looked at.
    pub cut: u64,
    /// Losses of data by arrays, if drives are in arrays.
    pub losses: Option<Losses>,
    /// What drives and replacements cost, and the slots.
    pub cost: Option<Chance>,
}

/// Write amplification at a fill level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillPoint {
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: f64,
    /// Write amplification as simulated.
    pub simulated: f64,
    /// Write amplification by the curve.
    pub curve: f64,
}

impl FillPoint {
    /// How far the curve is from the simulation, as a share of that.
    pub fn apart(&self) -> f64 {
        (self.curve / self.simulated - 1.0).abs()
    }
}

/// The end of a month, or of the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetMonth {
    /// Its number, from 1.
    pub month: u32,
    /// Used cycles over the rated ones of the drives in place: what 50, 95, 99 and 99.9 % of them
    /// are below.
    pub wear: [f64; 4],
    /// Share of the drives in place that are past their rated cycles.
    pub past_rated: f64,
    /// Drives that were gone until then, mean of the runs.
    pub gone: Gone,
}

/// Drives that were gone, by why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gone {
    /// Weak ones that failed early.
    pub early: f64,
    /// Those that failed as may happen at any time.
    pub random: f64,
    /// Those whose flash gave out.
    pub worn_out: f64,
    /// Those that were replaced for their wear.
    pub retired: f64,
}

impl Gone {
    /// Those that failed.
    pub fn failed(&self) -> f64 {
        self.early + self.random + self.worn_out
    }
}

/// A number that chance makes different from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chance {
    /// Mean of the runs.
    pub mean: f64,
    /// What 5 % of the runs are below.
    pub p5: f64,
    /// What 95 % of the runs are below.
    pub p95: f64,
}

/// Losses of data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Losses {
    /// Arrays.
    pub arrays: u32,
    /// Losses in all the time, mean of the runs.
    pub mean: f64,
    /// Share of the runs in which an array lost data.
    pub runs: f64,
}
