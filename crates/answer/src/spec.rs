//! The answer of `spec`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A target against the data sheet of a drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spec {
    /// The drive whose sheet it is.
    pub drive: String,
    /// What was measured.
    pub target: String,
    /// The rows of the sheet.
    pub rows: Vec<SpecRow>,
    /// What likely keeps the target from what it is rated for, the likeliest first; empty if
    /// nothing is short, or no cause was seen.
    pub causes: Vec<String>,
}

/// A row of a data sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpecRow {
    /// Its name.
    pub id: String,
    /// Which sheet or review states it.
    pub source: String,
    /// What is run.
    pub test: String,
    /// What is measured.
    pub metric: String,
    /// Base unit of the numbers.
    pub unit: String,
    /// What the sheet rates.
    pub rated: f64,
    /// What was measured; `None` if it was not.
    pub measured: Option<f64>,
    /// Where the true value lies with a probability of 95 %, if the run tells.
    pub interval95: Option<(f64, f64)>,
    /// How the two compare.
    pub verdict: SpecVerdict,
    /// Why it was not measured, or what limited a modelled target.
    pub why: Option<String>,
    /// Remark on the rated number.
    pub note: Option<String>,
}

/// How a target compares with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpecVerdict {
    /// It is as good as rated, or better.
    Met,
    /// It is surely less.
    Short,
    /// The rated number lies within the interval of the measured one.
    Open,
    /// It was not measured.
    NotMeasured,
}

impl SpecVerdict {
    /// As it is shown.
    pub fn word(self) -> &'static str {
        match self {
            SpecVerdict::Met => "met",
            SpecVerdict::Short => "short",
            SpecVerdict::Open => "open",
            SpecVerdict::NotMeasured => "not measured",
        }
    }
}

impl Spec {
    /// Whether anything is surely less than rated.
    pub fn is_short(&self) -> bool {
        self.rows.iter().any(|row| row.verdict == SpecVerdict::Short)
    }
}
