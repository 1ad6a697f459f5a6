//! The closed list of steps of which methods are made.

mod array;
mod counters;
mod files;
mod format;
mod idle;
mod job;
mod life;
mod load_curve;
mod neighbours;
mod oltp;
mod only;
mod pick;
mod precondition;
mod prepare;
mod repeat;
mod rounds;
mod scan;
mod soak;
mod sweep;
mod test_file;
mod traces;
mod verdict;
mod write_for;
mod write_pressure;

use super::failure::Failure;
use super::session::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

/// One step of a method.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Step {
    /// Writes for hours what a review tests a part of.
    Precondition(precondition::Precondition),
    /// Brings the drive into a state.
    Prepare(prepare::Prepare),
    /// Writes the whole drive once in order, which is not measured.
    Fill(prepare::Fill),
    /// Formats one device of the target, or all.
    Format(format::Format),
    /// Keeps up a load for a time, which is not measured.
    WriteFor(write_for::WriteFor),
    /// Runs a fio job and measures it.
    Job(job::Job),
    /// Does steps for each value of a parameter.
    Sweep(sweep::Sweep),
    /// Repeats steps until a number is steady.
    RoundsUntilSteady(rounds::Rounds),
    /// Follows the latency over the rate of a workload profile.
    LoadCurve(load_curve::LoadCurve),
    /// Lets time pass without I/O.
    Idle(idle::Idle),
    /// Goes over the whole drive in order and follows the rate.
    Scan(scan::Scan),
    /// Keeps a load up and follows the temperature.
    Soak(soak::Soak),
    /// Reads the counters of the drive's life.
    Counters(counters::ReadCounters),
    /// Wears the drive to its end.
    Life(life::WearOut),
    /// Does steps if something holds.
    Only(only::Only),
    /// Does steps several times and keeps mean and extremes.
    Repeat(repeat::Repeat),
    /// Writes or reads a test file once.
    File(test_file::TestFile),
    /// Reads many files one after the other.
    Files(files::Files),
    /// Plays stand-ins for recorded traces.
    Traces(traces::Traces),
    /// Runs transactions of a database.
    Oltp(oltp::Oltp),
    /// Gives one of several results another name.
    Pick(pick::Pick),
    /// Switches the target off and on.
    Restart(array::Restart),
    /// Counts the drives of an array.
    Members(array::Members),
    /// Takes a drive out of an array.
    FailMember(array::FailMember),
    /// Makes an array whole again.
    Rebuild(array::Rebuild),
    /// Loses power under a load.
    PowerCut(array::PowerCut),
    /// Reads beside writes at a set rate.
    WritePressure(write_pressure::WritePressure),
    /// Reads in namespaces beside others under a mixed load.
    Neighbours(neighbours::Neighbours),
    /// Holds a number against what is asked.
    Verdict(verdict::Verdict),
}

/// Does the same with the step of every kind.
macro_rules! each {
    ($step:expr, $one:ident => $what:expr) => {
        match $step {
            Step::Precondition($one) => $what,
            Step::Prepare($one) => $what,
            Step::LoadCurve($one) => $what,
            Step::Fill($one) => $what,
            Step::Format($one) => $what,
            Step::WriteFor($one) => $what,
            Step::Job($one) => $what,
            Step::Sweep($one) => $what,
            Step::RoundsUntilSteady($one) => $what,
            Step::Idle($one) => $what,
            Step::Scan($one) => $what,
            Step::Soak($one) => $what,
            Step::Counters($one) => $what,
            Step::Life($one) => $what,
            Step::Only($one) => $what,
            Step::Repeat($one) => $what,
            Step::File($one) => $what,
            Step::Files($one) => $what,
            Step::Traces($one) => $what,
            Step::Oltp($one) => $what,
            Step::Pick($one) => $what,
            Step::Restart($one) => $what,
            Step::Members($one) => $what,
            Step::FailMember($one) => $what,
            Step::Rebuild($one) => $what,
            Step::PowerCut($one) => $what,
            Step::WritePressure($one) => $what,
            Step::Neighbours($one) => $what,
            Step::Verdict($one) => $what,
        }
    };
}

impl Session<'_> {
    /// Does all steps of a method.
    ///
    /// # Errors
    /// That of the first step that failed.
    pub fn run(&mut self, steps: &[Step]) -> Result<(), Failure> {
        steps.iter().try_for_each(|step| step.check(self))?;
        if self.target.scale() < 1.0 {
            let factor = 1.0 / self.target.scale();
            self.warn(format!("simulated at 1/{factor:.0} of the capacity"));
        }
        self.steps(steps)?;
        self.cut.warning().into_iter().for_each(|text| self.warn(text));
        Ok(())
    }

    /// Does some steps, which share the part that is under way.
    ///
    /// # Errors
    /// That of the first step that failed.
    pub fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        let (from, to) = self.part;
        let width = (to - from) / steps.len().max(1) as f64;
        for (i, step) in steps.iter().enumerate() {
            self.part = (from + width * i as f64, from + width * (i + 1) as f64);
            step.run(self)?;
        }
        self.part = (from, to);
        Ok(())
    }
}

impl Step {
    /// Does it.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        each!(self, step => step.run(session))
    }

    /// Finds before anything runs what the parameters ask that cannot be.
    pub fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        match self {
            Step::WritePressure(step) => step.check(session)?,
            Step::Neighbours(step) => step.check(session)?,
            Step::Job(step) => step.check(session)?,
            Step::LoadCurve(step) => step.check(session)?,
            Step::Only(step) if !session.holds(&step.when) => return Ok(()),
            // It leaves out what cannot be, and its steps are known at each of its values only.
            Step::Sweep(_) => return Ok(()),
            _ => {}
        }
        self.inner().iter().try_for_each(|step| step.check(session))
    }

    /// The name under which its numbers are known; `None` if it gives none.
    pub fn label(&self) -> Option<&str> {
        match self {
            Step::Prepare(_) | Step::Fill(_) | Step::Format(_) => None,
            Step::WriteFor(_) | Step::Idle(_) => None,
            Step::Precondition(_) => None,
            Step::Only(_) | Step::Restart(_) | Step::FailMember(_) => None,
            Step::Job(step) => Some(&step.name),
            Step::Sweep(step) => Some(&step.name),
            Step::RoundsUntilSteady(step) => Some(&step.name),
            Step::LoadCurve(step) => Some(&step.name),
            Step::Scan(step) => Some(&step.name),
            Step::Soak(step) => Some(&step.name),
            Step::Counters(step) => Some(&step.name),
            Step::Life(step) => Some(&step.name),
            Step::Repeat(step) => Some(&step.name),
            Step::File(step) => step.name.as_deref(),
            Step::Files(step) => Some(&step.name),
            Step::Traces(step) => Some(&step.name),
            Step::Oltp(step) => Some(&step.name),
            Step::Pick(step) => Some(&step.name),
            Step::Members(step) => Some(&step.name),
            Step::Rebuild(step) => Some(&step.name),
            Step::PowerCut(step) => Some(&step.name),
            Step::WritePressure(step) => Some(&step.name),
            Step::Neighbours(step) => Some(&step.name),
            Step::Verdict(step) => Some(&step.name),
        }
    }

    /// Steps inside it.
    pub fn inner(&self) -> &[Step] {
        match self {
            Step::Sweep(step) => &step.steps,
            Step::RoundsUntilSteady(step) => &step.steps,
            Step::Only(step) => &step.steps,
            Step::Repeat(step) => &step.steps,
            _ => &[],
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Prepare(step) => write!(f, "prepare: state {}", step.state),
            Step::Precondition(step) => write!(
                f,
                "precondition: purge, fill in {0}, {1} more, {2} at random on the tested part",
                step.block, step.sequential, step.random
            ),
            Step::LoadCurve(step) => {
                write!(f, "load_curve `{}`: {} rates of {}", step.name, step.points, step.workload)
            }
            Step::Fill(_) => write!(f, "fill: the whole drive once in order"),
            Step::Format(step) => match &step.device {
                None => write!(f, "format: every device"),
                Some(device) => write!(f, "format: device {device}"),
            },
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
            Step::Soak(step) => write!(f, "soak `{}`: {}", step.name, step.time),
            Step::Counters(step) => match &step.since {
                None => write!(f, "counters `{}`", step.name),
                Some(since) => write!(f, "counters `{}`: since `{since}`", step.name),
            },
            Step::Life(step) => match &step.reading {
                None => write!(f, "life `{}`", step.name),
                Some(time) => write!(f, "life `{}`: counters read over {time} first", step.name),
            },
            Step::Only(step) => write!(f, "only: if {}", step.when.join(" or ")),
            Step::Repeat(step) => {
                write!(f, "repeat `{}`: {} times", step.name, step.times)?;
                if step.discard > 0 {
                    write!(f, " after {} not counted", step.discard)?;
                }
                if step.when.is_empty() {
                    Ok(())
                } else {
                    write!(f, ", if {}", step.when.join(" or "))
                }
            }
            Step::File(step) => write!(f, "file: {} {} once in order", step.op, step.size),
            Step::Files(step) => write!(f, "files `{}`: {} one by one", step.name, step.files),
            Step::Traces(step) => {
                let names: Vec<&str> =
                    step.traces.iter().map(|trace| trace.name.as_str()).collect();
                write!(f, "traces `{}`: {}", step.name, names.join(", "))
            }
            Step::Oltp(step) => write!(f, "oltp `{}`: transactions of sysbench", step.name),
            Step::Pick(step) => write!(f, "pick `{}`: number {}", step.name, step.number),
            Step::Restart(_) => write!(f, "restart: off and on"),
            Step::Members(step) => write!(f, "members `{}`", step.name),
            Step::FailMember(step) => write!(f, "fail_member: {}", step.member),
            Step::Rebuild(step) => write!(f, "rebuild `{}`: member {}", step.name, step.member),
            Step::PowerCut(step) => write!(f, "power_cut `{}`: after {}", step.name, step.time),
            Step::WritePressure(step) => {
                write!(
                    f,
                    "write_pressure `{}`: at the rate, or {}",
                    step.name,
                    step.rates.join(", ")
                )
            }
            Step::Neighbours(step) => write!(f, "neighbours `{}`", step.name),
            Step::Verdict(step) => {
                write!(f, "verdict `{}`: {} at least {}", step.name, step.value, step.least)
            }
        }
    }
}
