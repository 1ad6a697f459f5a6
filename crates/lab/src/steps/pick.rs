//! One of several results, as a parameter says.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;

/// Gives the numbers of one of several steps another name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The other name.
    #[serde(rename = "as")]
    pub name: String,
    /// Which, from 1: a number or a parameter.
    pub number: String,
    /// The steps.
    pub of: Vec<String>,
}

impl Action for Pick {
    fn said(&self) -> String {
        format!("pick `{}`: number {}", self.name, self.number)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let number = session.count(&self.number)?.unwrap_or(1);
        let name = usize::try_from(number).ok().and_then(|n| self.of.get(n.checked_sub(1)?));
        let values = name.and_then(|name| session.results.get(name)).cloned();
        let values = values.ok_or_else(|| {
            Failure::failed(format!("there is no result {number} of {}", self.of.join(", ")))
        })?;
        session.results.insert(self.name.clone(), values);
        Ok(())
    }
}
