//! The answer that a Record keeps.

use crate::comparison::Comparison;
use crate::endurance::Endurance;
use crate::fit::Fitted;
use crate::read::{NotAnAnswer, read};
use crate::reproduction::Reproduction;
use crate::run::Run;
use crate::tested::Tested;
use serde_json::Value;
use stats::{Kind, Outcome};

/// The answer of a command, by the command.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Of `run`, besides fio's report.
    Run(Run),
    /// Of `test`.
    Tested(Tested),
    /// Of `reproduce`.
    Reproduction(Reproduction),
    /// Of `compare`.
    Comparison(Comparison),
    /// Of `fit`.
    Fitted(Fitted),
    /// Of `endurance`, which has no Record.
    Endurance(Endurance),
}

impl Default for Answer {
    fn default() -> Self {
        Self::Run(Run::default())
    }
}

impl Answer {
    /// What an outcome keeps besides fio's report.
    ///
    /// # Errors
    /// If a key that is needed is missing or has a value of the wrong type.
    pub fn of(outcome: &Outcome) -> Result<Self, NotAnAnswer> {
        let data = &outcome.data;
        if data.get("schema").is_some_and(|schema| *schema == Endurance::SCHEMA) {
            return Ok(Self::Endurance(read(data)?));
        }
        Ok(match outcome.kind {
            // fio's own results have nothing besides.
            Kind::FioRun if *data == Value::Null => Self::default(),
            Kind::FioRun => Self::Run(Run::read(data)?),
            Kind::Method => Self::Tested(read(data)?),
            Kind::Reproduction => Self::Reproduction(read(data)?),
            Kind::Comparison => Self::Comparison(read(data)?),
            Kind::Fit => Self::Fitted(read(data)?),
        })
    }
}
