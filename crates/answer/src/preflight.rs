//! The answer of `preflight`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was seen before a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Preflight {
    /// The targets.
    pub targets: Vec<PreflightTarget>,
    /// What was heard of the machine while nothing was tested.
    pub machine: Vec<Finding>,
}

/// One target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreflightTarget {
    /// Its path or paths.
    pub target: String,
    /// Why it may be tested; `None` if it may not.
    pub permitted: Option<String>,
    /// Why it may not be tested; `None` if it may.
    pub refused: Option<String>,
    /// What was seen of its drives.
    pub findings: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What was looked at.
    pub what: String,
    /// What was seen.
    pub found: String,
    /// What should be changed before a test, or said with its result; `None` if nothing is wrong.
    pub concern: Option<String>,
}

impl Preflight {
    /// Whether nothing stands against a test.
    pub fn is_clear(&self) -> bool {
        let of_targets = self.targets.iter().flat_map(|target| &target.findings);
        let mut findings = of_targets.chain(&self.machine);
        self.targets.iter().all(|target| target.refused.is_none())
            && findings.all(|finding| finding.concern.is_none())
    }
}
