//! The drive's state before a measurement.

use super::Action;
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use crate::target::Work;
use engine::Duration;
use metric::{Params, Pattern, State};
use schemars::JsonSchema;
use serde::Deserialize;

/// Brings the drive into a state: `fresh` (purged), `filled` or `steady`; or leaves it as it is,
/// `kept`, if it is real.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prepare {
    /// The state; that of parameter `state` as a rule.
    pub state: String,
    /// Size of the random writes that lead to a steady state: a mapping unit if it is not said.
    pub block: Option<String>,
}

impl Action for Prepare {
    fn said(&self) -> String {
        format!("prepare: state {}", self.state)
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let wanted = session.text(&self.state).unwrap_or_else(|| "steady".to_owned());
        let mut params = Params::default();
        params.give("state", &wanted).map_err(Failure::failed)?;
        let state = state_for(params.state(), &session.params);
        session.tell(&format!("preparing: {wanted}"), 0.0);
        // A part of the space that is addressed alone has a steady state of its own.
        let capacity = session.target.capacity();
        let span = crate::load::span_of(&session.params, capacity);
        let share = span.map_or(1.0, |span| span as f64 / capacity.max(1) as f64);
        let block = match &self.block {
            Some(written) => session.bytes(written)?.unwrap_or(0),
            None => 0,
        };
        session.target.prepare_in(state, share.min(1.0), block)?;
        session.line.mark(state.word());
        session.state = state;
        session.written = false;
        session.host_written = 0.0;
        session.ends.clear();
        Ok(())
    }
}

/// The state a load begins in.
fn state_for(wanted: Option<State>, params: &Params) -> State {
    let reads_only = params.read_share() == Some(1.0);
    let sequential = params.pattern() == Some(Pattern::Sequential);
    match wanted {
        Some(State::Fresh) => State::Fresh,
        Some(State::Filled) => State::Filled,
        Some(State::Kept) => State::Kept,
        // Sequential overwriting leaves nothing to copy, so its steady state is a filled drive.
        _ if reads_only || sequential => State::Filled,
        _ => State::Steady,
    }
}

/// Writes every byte of the drive once, in order, or of the part of it that the method addresses
/// (`span`, `partition`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// How often; 1 if it is not said.
    #[serde(default)]
    pub times: Option<String>,
    /// Size of the writes; 128 KiB if it is not said.
    #[serde(default)]
    pub block: Option<String>,
}

/// Size of the writes of a fill, and how many are outstanding.
const BLOCK: u64 = 128 << 10;
const DEPTH: u64 = 32;

impl Action for Fill {
    fn said(&self) -> String {
        let times = self.times.as_ref().map_or("once".to_owned(), |times| format!("{times} times"));
        let block = self.block.iter().map(|block| format!(", {block} at a time"));
        format!("fill: the whole drive {times} in order{}", block.collect::<String>())
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let times = match &self.times {
            Some(written) => session.count(written)?.unwrap_or(1),
            None => 1,
        };
        let block = match &self.block {
            Some(written) => session.bytes(written)?.unwrap_or(BLOCK),
            None => BLOCK,
        };
        let span = crate::load::span_of(&session.params, session.target.capacity());
        for pass in 0..times {
            session.tell("filling the drive", pass as f64 / times as f64);
            match span {
                Some(span) => fill_part(session, span / block * block, block)?,
                None => session.target.fill(block)?,
            }
        }
        session.line.mark("fill");
        // What a fill leaves is the state `filled`, whatever the drive was before.
        session.state = State::Filled;
        Ok(())
    }
}

/// Writes the first bytes of each device once in order.
fn fill_part(session: &mut Session<'_>, span: u64, block: u64) -> Result<(), Failure> {
    let load = Load::file(false, span.max(block), block, DEPTH, &session.params);
    session.target.run(&Work::pass(&load, Duration::from_s(1)))?;
    session.target.take_timeline();
    Ok(())
}
