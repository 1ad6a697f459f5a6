//! The answer of `drivelab reproduce`.

mod basis;
mod claim;
mod figure;
mod summary;
mod verdict;

pub use basis::{Basis, Carrier};
pub use claim::{Claim, Said};
pub use figure::Figure;
pub use summary::{BasisSummary, Informative, Summary};
pub use verdict::Verdict;

use crate::budget::Budget;
use crate::measured::Measured;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Published figures and claims against the models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// Every figure, in the order of the files.
    pub figures: Vec<Figure>,
    /// Every claim, in the order of the files.
    pub claims: Vec<Claim>,
    /// Errors and counts.
    pub summary: Summary,
    /// What must be known of the reviews as a whole.
    #[serde(default)]
    pub remarks: Vec<Remark>,
    /// The work of each measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// In Records: what each run gave with the first seed. Earlier versions did not keep it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Measured>,
}

/// Where a review contradicts itself, and what it leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// The review.
    pub review: String,
    /// What is said, and how it is read here.
    pub text: String,
}
