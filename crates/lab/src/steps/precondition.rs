//! The preconditioning of a part of a drive, for hours.

use super::Action;
use crate::failure::Failure;
use crate::load;
use crate::preconditioning::Preconditioning;
use crate::session::Session;
use crate::target::Work;
use engine::Duration;
use metric::State;
use schemars::JsonSchema;
use serde::Deserialize;

/// Purges, fills each device in order, writes it in order for a time, and then its tested part at
/// random in 4 KiB.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precondition {
    /// Transfer size of the writes in order.
    pub block: String,
    /// How long the whole is written in order after the fill.
    pub sequential: String,
    /// How long the tested part is written at random after that.
    pub random: String,
}

/// Transfer size of the random writes, bytes.
const RANDOM_BLOCK: u64 = 4096;

impl Action for Precondition {
    fn said(&self) -> String {
        format!(
            "precondition: purge, fill in {0}, {1} more, {2} at random on the tested part",
            self.block, self.sequential, self.random
        )
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let devices = session.target.devices();
        let first = devices.first().copied().unwrap_or(0).max(1);
        let span = load::span_of(&session.params, first).unwrap_or(first);
        let asked = Preconditioning {
            block: session.bytes(&self.block)?.unwrap_or(64 << 10),
            sequential_s: session.seconds(&self.sequential)?.unwrap_or(0.0),
            random_s: session.seconds(&self.random)?.unwrap_or(0.0),
            random_block: RANDOM_BLOCK,
            share: (span as f64 / first as f64).min(1.0),
            seed: session.options.seed,
        };
        session.tell("preconditioning", 0.0);
        if !session.target.precondition(&asked)? {
            second_by_second(session, &asked, &devices)?;
        }
        session.line.mark("precondition");
        let random = asked.random_s > 0.0;
        session.state = if random { State::Steady } else { State::Filled };
        session.written = false;
        Ok(())
    }
}

/// The plain way: everything that the review did.
fn second_by_second(
    session: &mut Session<'_>,
    asked: &Preconditioning,
    devices: &[u64],
) -> Result<(), Failure> {
    session.target.prepare(State::Fresh, 1.0)?;
    if session.target.modelled() {
        session.target.fill(128 << 10)?;
    } else {
        let load = asked.pass(devices);
        let window = Duration::from_s(1);
        let work = Work { pilot: true, ..Work::pass(&load, window) };
        session.target.run(&work)?;
    }
    let seed = asked.seed;
    if asked.sequential_s > 0.0 {
        session.tell("writing in order", 0.2);
        session.target.load_for(&asked.sequential(devices), asked.sequential_s, seed)?;
    }
    if asked.random_s > 0.0 {
        session.tell("writing at random", 0.6);
        session.target.load_for(&asked.random(devices), asked.random_s, seed)?;
    }
    Ok(())
}
