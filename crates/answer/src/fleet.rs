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
    /// What each costs beside the cheapest of them, if costs are known and there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    /// What a field study says of fleets like these, beside what becomes of them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
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
    /// Drives of the fleet of which the whole life was simulated; older answers do not have them.
    #[serde(default)]
    pub sample: Vec<SampledDrive>,
    /// Write amplification of writes in order, if there are any.
    pub in_order: Option<f64>,
    /// Write amplification of the drives: of half and of 95 % of them at most so much.
    pub amplification: [f64; 2],
    /// By month.
    pub months: Vec<FleetMonth>,
    /// Months until 1 %, 10 % and half of the drives that are there at first take no more writes,
    /// should nothing else end them; older answers do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_after: Option<[f64; 3]>,
    /// Drives that failed early, failed at random, wore out, were retired, in all the time.
    pub gone: Gone,
    /// Drives that were replaced.
    pub replaced: Chance,
    /// Failures per drive and year.
    pub failure_rate: f64,
    /// Spares that are needed while an order is on its way, in the busiest such time.
    pub spares: u32,
    /// How worn those were that failed, if any did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_wear: Option<FailedWear>,
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
    /// Size of random writes, bytes; older answers do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<f64>,
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: f64,
    /// Write amplification as simulated.
    pub simulated: f64,
    /// Write amplification by the curve.
    pub curve: f64,
}

/// A drive of the fleet that was worn to its end in a simulation, under its own use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampledDrive {
    /// Its writes are in order.
    pub in_order: bool,
    /// Size of its writes, bytes.
    pub block: f64,
    /// Share of the capacity that holds data, 0 to 1.
    pub fill: f64,
    /// What the host writes, B/s.
    pub writes: f64,
    /// Write amplification over its life as simulated, and by the curve.
    pub amplification: Simulated,
    /// Rated cycles that it uses in a year, 1 for all of them, as simulated and in the fleet.
    pub wear_a_year: Simulated,
}

/// A number as simulated, and as the fleet takes it to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Simulated {
    /// In the simulation.
    pub simulated: f64,
    /// In the fleet.
    pub fleet: f64,
}

impl Simulated {
    /// How far the fleet's number is above the simulated one, as a share of that.
    pub fn apart(&self) -> f64 {
        self.fleet / self.simulated - 1.0
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
    /// Mean of the same; older answers do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear_mean: Option<f64>,
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

/// How worn drives were when they failed: used cycles over the rated ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedWear {
    /// Share of them that had used less than a tenth.
    pub under_tenth: f64,
    /// Share that had used more than nine tenths.
    pub over_nine_tenths: f64,
    /// What half of them are below.
    pub p50: f64,
    /// What three quarters are below.
    pub p75: f64,
    /// What nine tenths are below.
    pub p90: f64,
}

/// A number that a field study gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// The purchase that it is held against.
    pub purchase: String,
    /// What it is about.
    pub what: Observed,
    /// The number that is published, a share.
    pub published: f64,
    /// What the fleet says; `None` if it says nothing of it.
    pub found: Option<f64>,
    /// Whether the plan was made of it.
    pub basis: Basis,
    /// Where it is published.
    pub source: String,
    /// Why it is held against this fleet, or what parts them.
    pub why: Option<String>,
}

/// What a published number is to a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The plan was made of it.
    Input,
    /// The plan does not know it.
    Predicted,
}

/// What can be observed of a fleet; all of them are shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Observed {
    /// Failures per drive and year.
    FailureRate,
    /// Of the failed drives, those that had used less than a tenth of their cycles.
    FailedUnderTenth,
    /// Of the failed drives, those that had used more than nine tenths.
    FailedOverNineTenths,
    /// Used cycles that half of the failed drives are below.
    FailedWearP50,
    /// Used cycles that three quarters of the failed drives are below.
    FailedWearP75,
    /// Used cycles that nine tenths of the failed drives are below.
    FailedWearP90,
    /// Used cycles of the drives in place at the end, their mean.
    WearMean,
    /// Used cycles that half of them are below.
    WearP50,
    /// Used cycles that 95 % of them are below.
    WearP95,
    /// Used cycles that 99 % of them are below.
    WearP99,
    /// Drives in place at the end that are past their rated cycles.
    PastRated,
}

impl Observed {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Observed::FailureRate => "failures per drive and year",
            Observed::FailedUnderTenth => "failed with less than 10 % used",
            Observed::FailedOverNineTenths => "failed with more than 90 % used",
            Observed::FailedWearP50 => "wear of the failed, p50",
            Observed::FailedWearP75 => "wear of the failed, p75",
            Observed::FailedWearP90 => "wear of the failed, p90",
            Observed::WearMean => "wear at the end, mean",
            Observed::WearP50 => "wear at the end, p50",
            Observed::WearP95 => "wear at the end, p95",
            Observed::WearP99 => "wear at the end, p99",
            Observed::PastRated => "past rated cycles at the end",
        }
    }

    /// What a purchase says; `None` if it says nothing of it.
    pub fn of(self, one: &Purchase) -> Option<f64> {
        let end = one.months.last();
        let wear = |place: usize| end.map(|month| month.wear[place]);
        let failed = |of: fn(&FailedWear) -> f64| one.failed_wear.as_ref().map(of);
        match self {
            Observed::FailureRate => Some(one.failure_rate),
            Observed::FailedUnderTenth => failed(|wear| wear.under_tenth),
            Observed::FailedOverNineTenths => failed(|wear| wear.over_nine_tenths),
            Observed::FailedWearP50 => failed(|wear| wear.p50),
            Observed::FailedWearP75 => failed(|wear| wear.p75),
            Observed::FailedWearP90 => failed(|wear| wear.p90),
            Observed::WearMean => end.and_then(|month| month.wear_mean),
            Observed::WearP50 => wear(0),
            Observed::WearP95 => wear(1),
            Observed::WearP99 => wear(2),
            Observed::PastRated => end.map(|month| month.past_rated),
        }
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

/// What a purchase costs beside the cheapest. Both live through the same use, run by run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The purchase.
    pub purchase: String,
    /// The one with the lowest mean cost.
    pub cheapest: String,
    /// What it costs more.
    pub more: Chance,
    /// The mean of that over the mean cost of the cheapest.
    pub share: f64,
    /// Share of the runs in which it costs more.
    pub dearer_in: f64,
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
