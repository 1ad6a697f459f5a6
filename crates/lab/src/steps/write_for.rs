//! A load that is kept up for a time and not measured.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Keeps up a load for a time of the real drive. On a model, hours are volumes: timed windows say
/// how fast the drive is, and the rest is written without time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFor {
    /// How long; nothing is done where the parameter it names is not given.
    pub time: String,
    /// The job; the uniform one if it is not said.
    pub job: Option<String>,
    /// Parameters put over those of the run.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
    /// Writes in the order and size of `prewrite_pattern` and `prewrite_block`.
    #[serde(default)]
    pub prewrite: bool,
}

impl Action for WriteFor {
    fn said(&self) -> String {
        format!("write_for: {}", self.time)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let seconds = session.seconds(&self.time)?.unwrap_or(0.0);
        if seconds <= 0.0 {
            return Ok(());
        }
        let params = session.with(&self.with)?;
        let text = session.job(self.job.as_deref())?;
        let capacity = session.target.capacity();
        let load = match self.prewrite {
            true => Load::prewrite(text, &params, capacity),
            false => Load::new(text, &params, capacity),
        };
        session.tell(&format!("{:.1} h of load", seconds / 3600.0), 0.0);
        session.target.load_for(&load, seconds, session.options.seed)?;
        let line = session.target.take_timeline().unwrap_or_default();
        let name = if self.prewrite { "prewrite" } else { "load" };
        session.follow_line(name, None, &line);
        session.written = true;
        Ok(())
    }
}
