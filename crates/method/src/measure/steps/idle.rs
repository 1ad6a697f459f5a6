//! Time without I/O.

use crate::measure::session::Session;
use crate::measure::target::Failure;
use serde::Deserialize;

/// Leaves the drive alone for a time of the real drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// How long; nothing is done where the parameter it names is not given.
    pub time: String,
}

/// Parts of the time, so that progress is seen.
const PARTS: u32 = 20;

impl Idle {
    pub(super) fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let seconds = session.seconds(&self.time)?.unwrap_or(0.0);
        if session.target.modelled() {
            session.tell("idle", 0.0);
            return session.target.idle(seconds);
        }
        for part in 0..PARTS {
            session.tell("idle", f64::from(part) / f64::from(PARTS));
            session.target.idle(seconds / f64::from(PARTS))?;
        }
        Ok(())
    }
}
