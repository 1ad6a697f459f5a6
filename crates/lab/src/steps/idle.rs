//! Time without I/O.

use super::Action;
use crate::failure::Failure;
use crate::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use stats::{PhaseKind, Stretch, Timeline};

/// Leaves the drive alone for a time of the real drive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// How long; nothing is done where the parameter it names is not given.
    pub time: String,
}

/// Parts of the time, so that progress is seen.
const PARTS: u32 = 20;

impl Action for Idle {
    fn said(&self) -> String {
        format!("idle: {}", self.time)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let seconds = session.seconds(&self.time)?.unwrap_or(0.0);
        if session.target.modelled() {
            session.tell("idle", 0.0);
            session.target.idle(seconds)?;
            session.follow_as("idle", Some(PhaseKind::Idle), None, true);
            return Ok(());
        }
        for part in 0..PARTS {
            session.tell("idle", f64::from(part) / f64::from(PARTS));
            session.target.idle(seconds / f64::from(PARTS))?;
        }
        let mut line = Timeline::new();
        line.begin("idle", Some(PhaseKind::Idle));
        line.push(Stretch { seconds, ..Stretch::default() });
        session.follow_line("idle", Some(PhaseKind::Idle), &line);
        Ok(())
    }
}
