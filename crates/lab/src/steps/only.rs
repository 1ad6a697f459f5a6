//! Steps that are done only if something holds.

use super::Step;
use crate::failure::Failure;
use crate::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;

/// Does steps if one of its conditions holds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Only {
    /// The conditions: `NAME`: the parameter is given and not 0; `NAME = VALUE`: it has this value.
    pub when: Vec<String>,
    /// What is done.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

impl Only {
    pub(super) fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if session.holds(&self.when) { session.steps(&self.steps) } else { Ok(()) }
    }
}
