//! Steps that are done only if something holds.

use super::{Action, Step};
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

impl Action for Only {
    fn said(&self) -> String {
        format!("only: if {}", self.when.join(" or "))
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        match session.holds(&self.when) {
            true => self.steps.iter().try_for_each(|step| step.check(session)),
            false => Ok(()),
        }
    }

    fn inner(&self) -> &[Step] {
        &self.steps
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if session.holds(&self.when) { session.steps(&self.steps) } else { Ok(()) }
    }
}
