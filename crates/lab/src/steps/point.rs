//! A point of a sweep by a name of its own.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use metric::{Params, Point};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Gives the numbers of a point of the sweeps before it a name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedPoint {
    /// The name.
    #[serde(rename = "as")]
    pub name: String,
    /// The values of what was swept.
    pub at: BTreeMap<String, String>,
}

impl Action for NamedPoint {
    fn said(&self) -> String {
        let at = self.at.iter().map(|(name, value)| format!("{name} {value}"));
        format!("point `{}`: {}", self.name, at.collect::<Vec<_>>().join(", "))
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let mut wanted = Params::default();
        for (name, value) in &self.at {
            wanted.give(name, value).map_err(Failure::failed)?;
        }
        let known = |(name, value): (&'static str, String)| (name.to_owned(), value);
        let wanted: Vec<(String, String)> = wanted.iter().map(known).collect();
        let is_it = |point: &&Point| wanted.iter().all(|pair| point.at.contains(pair));
        // The last one: that of the round under way.
        let point = session.points.iter().rev().find(is_it);
        let missing = || Failure::failed(format!("no sweep has the point `{}`", self.name));
        let metrics = point.ok_or_else(missing)?.metrics.clone();
        session.results.insert(self.name.clone(), metrics);
        Ok(())
    }
}
