//! The closed list of steps of which methods are made.

mod array;
mod choose;
mod counters;
mod endurance;
mod files;
mod format;
mod highest;
mod idle;
mod job;
mod job_file;
mod life;
mod load_curve;
mod neighbours;
mod oltp;
mod only;
mod pick;
mod point;
mod precondition;
mod prepare;
mod reach;
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
use super::values::Values;
use metric::{Dimension, Point, show};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;

/// What a kind of step does. Each is a struct with the keys of its table, in a file of its own.
pub(super) trait Action {
    /// What it does, for people.
    fn said(&self) -> String;

    /// The name under which its numbers are known; `None` if it gives none.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Steps inside it.
    fn inner(&self) -> &[Step] {
        &[]
    }

    /// Finds before anything runs what the parameters ask that cannot be.
    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        self.inner().iter().try_for_each(|step| step.check(session))
    }

    /// Does it.
    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure>;
}

/// Makes the type of a step of the list of all kinds.
macro_rules! steps {
    ($( $(#[$doc:meta])* $name:ident: $module:ident::$kind:ident, )*) => {
        /// One step of a method.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(tag = "do", rename_all = "snake_case")]
        pub enum Step {
            $( $(#[$doc])* $name($module::$kind), )*
        }

        impl Step {
            fn action(&self) -> &dyn Action {
                match self {
                    $( Step::$name(step) => step, )*
                }
            }
        }
    };
}

steps! {
    /// Writes for hours what a review tests a part of.
    Precondition: precondition::Precondition,
    /// Brings the drive into a state.
    Prepare: prepare::Prepare,
    /// Writes the whole drive once in order, which is not measured.
    Fill: prepare::Fill,
    /// Formats one device of the target, or all.
    Format: format::Format,
    /// Keeps up a load for a time, which is not measured.
    WriteFor: write_for::WriteFor,
    /// Runs a fio job and measures it.
    Job: job::Job,
    /// Runs a whole fio job file as it is written.
    JobFile: job_file::JobFile,
    /// Does steps for each value of a parameter.
    Sweep: sweep::Sweep,
    /// Finds the highest value of a parameter at which a limit holds.
    Highest: highest::Highest,
    /// Repeats steps until a number is steady.
    RoundsUntilSteady: rounds::Rounds,
    /// Follows the latency over the rate of a workload profile.
    LoadCurve: load_curve::LoadCurve,
    /// Lets time pass without I/O.
    Idle: idle::Idle,
    /// Goes over the whole drive in order and follows the rate.
    Scan: scan::Scan,
    /// Keeps a load up and follows the temperature.
    Soak: soak::Soak,
    /// Reads the counters of the drive's life.
    Counters: counters::ReadCounters,
    /// Does the arithmetic of an endurance rating.
    EnduranceRating: endurance::Rating,
    /// Wears the drive to its end.
    Life: life::WearOut,
    /// Does steps if something holds.
    Only: only::Only,
    /// Does steps several times and keeps mean and extremes.
    Repeat: repeat::Repeat,
    /// Writes or reads a test file once.
    File: test_file::TestFile,
    /// Reads many files one after the other.
    Files: files::Files,
    /// Plays stand-ins for recorded traces.
    Traces: traces::Traces,
    /// Runs transactions of a database.
    Oltp: oltp::Oltp,
    /// Gives one of several results another name.
    Pick: pick::Pick,
    /// Gives a point of a sweep a name.
    Point: point::NamedPoint,
    /// Chooses a point of a sweep and does steps there.
    Choose: choose::Choose,
    /// Says when the turns of a repetition reach a level.
    Reach: reach::Reach,
    /// Switches the target off and on.
    Restart: array::Restart,
    /// Counts the drives of an array.
    Members: array::Members,
    /// Takes a drive out of an array.
    FailMember: array::FailMember,
    /// Makes an array whole again.
    Rebuild: array::Rebuild,
    /// Loses power under a load.
    PowerCut: array::PowerCut,
    /// Reads beside writes at a set rate.
    WritePressure: write_pressure::WritePressure,
    /// Reads in namespaces beside others under a mixed load.
    Neighbours: neighbours::Neighbours,
    /// Holds a number against what is asked.
    Verdict: verdict::Verdict,
}

/// That a part of devices of these sizes is simulated, B.
fn scaled(scale: f64, devices: &[u64]) -> String {
    let real: f64 = devices.iter().map(|bytes| *bytes as f64).sum();
    let [part, whole] = [real * scale, real].map(|bytes| show(Dimension::Bytes, bytes));
    format!("simulated at 1/{:.0} of the capacity: {part} of {whole}", 1.0 / scale)
}

impl Session<'_> {
    /// Does all steps of a method.
    ///
    /// # Errors
    /// That of the first step that failed.
    pub fn run(&mut self, steps: &[Step]) -> Result<(), Failure> {
        steps.iter().try_for_each(|step| step.check(self))?;
        if self.target.scale() < 1.0 {
            self.warn(scaled(self.target.scale(), &self.target.devices()));
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

    /// Does some steps at a value of a parameter, and keeps a point of it; those of sweeps inside
    /// have points of their own.
    ///
    /// # Errors
    /// That of the first step that failed.
    fn steps_at(&mut self, over: &str, value: String, steps: &[Step]) -> Result<(), Failure> {
        self.at.push((over.to_owned(), value));
        self.line.pause();
        let done = self.steps(steps);
        self.line.resume();
        if done.is_ok() && !steps.iter().any(|step| matches!(step, Step::Sweep(_))) {
            let metrics = self.numbers_of(steps);
            self.points.push(Point { at: self.at.clone(), metrics });
        }
        self.at.pop();
        done
    }

    /// The numbers of some steps: those of an only one as they are, those of several with its name.
    fn numbers_of(&self, steps: &[Step]) -> Values {
        let labels: BTreeSet<&str> = steps.iter().flat_map(Step::labels).collect();
        let mut all = Values::new();
        for label in &labels {
            let Some(values) = self.results.get(*label) else { continue };
            for (name, value) in values {
                let name = if labels.len() > 1 { format!("{label}.{name}") } else { name.clone() };
                all.insert(name, *value);
            }
        }
        all
    }
}

impl Step {
    /// Does it.
    ///
    /// # Errors
    /// What the target cannot do, or did not.
    pub fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        self.action().run(session)
    }

    /// Finds before anything runs what the parameters ask that cannot be.
    ///
    /// # Errors
    /// The first of that.
    pub fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        self.action().check(session)
    }

    /// The name under which its numbers are known; `None` if it gives none.
    pub fn label(&self) -> Option<&str> {
        self.action().name()
    }

    /// The names under which its numbers are known: of steps that are done only if something holds,
    /// theirs.
    fn labels(&self) -> Vec<&str> {
        match self {
            Step::Only(only) => only.inner().iter().flat_map(Step::labels).collect(),
            step => step.label().into_iter().collect(),
        }
    }

    /// Steps inside it.
    pub fn inner(&self) -> &[Step] {
        self.action().inner()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.action().said())
    }
}
