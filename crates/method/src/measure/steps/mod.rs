//! The closed list of steps of which methods are made.

mod counters;
mod idle;
mod job;
mod life;
mod prepare;
mod rounds;
mod scan;
mod sweep;
mod write_for;

use super::session::Session;
use super::target::Failure;
use serde::Deserialize;
use std::fmt;

/// One step of a method.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Step {
    /// Brings the drive into a state.
    Prepare(prepare::Prepare),
    /// Writes the whole drive once in order, which is not measured.
    Fill(prepare::Fill),
    /// Keeps up a load for a time, which is not measured.
    WriteFor(write_for::WriteFor),
    /// Runs a fio job and measures it.
    Job(job::Job),
    /// Does steps for each value of a parameter.
    Sweep(sweep::Sweep),
    /// Repeats steps until a number is steady.
    RoundsUntilSteady(rounds::Rounds),
    /// Lets time pass without I/O.
    Idle(idle::Idle),
    /// Goes over the whole drive in order and follows the rate.
    Scan(scan::Scan),
    /// Reads the counters of the drive's life.
    Counters(counters::ReadCounters),
    /// Wears the drive to its end.
    Life(life::WearOut),
}

impl Step {
    /// Does it.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        match self {
            Step::Prepare(step) => step.run(session),
            Step::Fill(step) => step.run(session),
            Step::WriteFor(step) => step.run(session),
            Step::Job(step) => step.run(session),
            Step::Sweep(step) => step.run(session),
            Step::RoundsUntilSteady(step) => step.run(session),
            Step::Idle(step) => step.run(session),
            Step::Scan(step) => step.run(session),
            Step::Counters(step) => step.run(session),
            Step::Life(step) => step.run(session),
        }
    }

    /// The name under which its numbers are known; `None` if it gives none.
    pub fn label(&self) -> Option<&str> {
        match self {
            Step::Prepare(_) | Step::Fill(_) | Step::WriteFor(_) | Step::Idle(_) => None,
            Step::Job(step) => Some(&step.name),
            Step::Sweep(step) => Some(&step.name),
            Step::RoundsUntilSteady(step) => Some(&step.name),
            Step::Scan(step) => Some(&step.name),
            Step::Counters(step) => Some(&step.name),
            Step::Life(step) => Some(&step.name),
        }
    }

    /// Steps inside it.
    pub fn inner(&self) -> &[Step] {
        match self {
            Step::Sweep(step) => &step.steps,
            Step::RoundsUntilSteady(step) => &step.steps,
            _ => &[],
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Prepare(step) => write!(f, "prepare: state {}", step.state),
            Step::Fill(_) => write!(f, "fill: the whole drive once in order"),
            Step::WriteFor(step) => write!(f, "write_for: {}", step.time),
            Step::Job(step) => {
                write!(f, "job `{}`", step.name)?;
                let with = step.with.iter().map(|(name, value)| format!("{name} {value}"));
                let with: Vec<String> = with.collect();
                let time = step.time.iter().map(|time| format!("for {time}"));
                let all: Vec<String> = with.into_iter().chain(time).collect();
                if all.is_empty() { Ok(()) } else { write!(f, ": {}", all.join(", ")) }
            }
            Step::Sweep(step) => {
                write!(f, "sweep `{}`: {} over {}", step.name, step.over, step.values.join(", "))
            }
            Step::RoundsUntilSteady(step) => {
                write!(f, "rounds_until_steady `{}`: follows {}", step.name, step.track)
            }
            Step::Idle(step) => write!(f, "idle: {}", step.time),
            Step::Scan(step) => write!(f, "scan `{}`: {}", step.name, step.op),
            Step::Counters(step) => match &step.since {
                None => write!(f, "counters `{}`", step.name),
                Some(since) => write!(f, "counters `{}`: since `{since}`", step.name),
            },
            Step::Life(step) => match &step.reading {
                None => write!(f, "life `{}`", step.name),
                Some(time) => write!(f, "life `{}`: counters read over {time} first", step.name),
            },
        }
    }
}
