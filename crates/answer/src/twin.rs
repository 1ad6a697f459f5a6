//! The answer of `twin`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model made from tests of a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Twin {
    /// [`Twin::SCHEMA`].
    pub schema: String,
    /// What was tested.
    pub target: String,
    /// The drive of the library that answers the tests most like it, from which the model begins.
    pub sibling: String,
    /// What the tests say of the values of the model.
    pub values: Vec<TwinValue>,
    /// The numbers of the tests, and what the model gives.
    pub tests: Vec<TwinTest>,
    /// Median of the distances between the two, as a share.
    pub median_off: f64,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

impl Twin {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/twin/1";
}

/// A value of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwinValue {
    /// Its path in the model file.
    pub key: String,
    /// The value with its unit; of a list all.
    pub value: String,
    /// Least and largest with a probability of 90 %, if the tests fix it.
    pub interval90: Option<(String, String)>,
    /// How it is known.
    pub known: TwinKnown,
    /// From what, or why not.
    pub why: String,
}

/// How a value of a twin is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TwinKnown {
    /// The tests fix it.
    Measured,
    /// The tests choose it among the few that are possible.
    Chosen,
    /// The tests do not tell it from others; it is one that agrees with them.
    Agreeing,
}

impl TwinKnown {
    /// As it is shown.
    pub fn word(self) -> &'static str {
        match self {
            TwinKnown::Measured => "measured",
            TwinKnown::Chosen => "chosen",
            TwinKnown::Agreeing => "agrees",
        }
    }
}

/// A number of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwinTest {
    /// `TEST.METRIC`.
    pub id: String,
    /// What is run.
    pub test: String,
    /// What is measured.
    pub metric: String,
    /// Base unit of the numbers.
    pub unit: String,
    /// What the drive gives.
    pub measured: f64,
    /// What the twin gives.
    pub twin: f64,
}

impl TwinTest {
    /// How far the twin is off, as a share.
    pub fn off(&self) -> f64 {
        self.twin / self.measured - 1.0
    }
}

/// Drives that were hidden and found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Blind {
    /// [`Blind::SCHEMA`].
    pub schema: String,
    /// Seed of the draws.
    pub seed: u64,
    /// How many drives are drawn; not all of them need be here yet.
    pub draws: u16,
    /// The drives, by their numbers.
    pub drives: Vec<BlindDrive>,
    /// Over all drives, by the name of a value.
    pub values: Vec<BlindValue>,
    /// Median distance of what the twins say of tests that they never saw, as a share.
    pub unseen_off: f64,
}

impl Blind {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/twin-blind/2";
}

/// A hidden drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlindDrive {
    /// Which of the drawn drives it is, from 1.
    pub number: u16,
    /// The drive of the library that was drawn anew.
    pub parent: String,
    /// From which its twin began; `None` if none could be made.
    pub sibling: Option<String>,
    /// True values and found ones.
    pub truths: Vec<Truth>,
    /// Tests that the twin never saw.
    pub unseen: Vec<TwinTest>,
    /// Tests that it was made from.
    pub seen: Vec<TwinTest>,
    /// Median distance of the tests that it saw, as a share.
    pub seen_off: f64,
    /// What was left out.
    pub notes: Vec<String>,
}

impl BlindDrive {
    /// Its name among so many.
    pub fn name(&self) -> String {
        format!("{}: {}", self.number, self.parent)
    }
}

/// A value of a hidden drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Truth {
    /// Its path.
    pub key: String,
    /// The true value.
    pub truth: String,
    /// The found one.
    pub found: String,
    /// Found over true, less 1; of flash over capacity of what is spare. `None` of words.
    pub off: Option<f64>,
    /// How it is known.
    pub known: TwinKnown,
    /// Whether the interval holds the true value; `None` if there is none.
    pub covered: Option<bool>,
}

/// A value over all hidden drives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlindValue {
    /// Its path.
    pub key: String,
    /// Drives of which it is measured or chosen.
    pub told: usize,
    /// Drives of which it only agrees with the tests.
    pub agreeing: usize,
    /// Of those told: median distance, as a share.
    pub median_off: f64,
    /// Of those told: within a tenth of the true value, or the same word.
    pub within_tenth: usize,
    /// Of those with an interval: it holds the true value.
    pub covered: usize,
    /// Those with an interval.
    pub intervals: usize,
}
