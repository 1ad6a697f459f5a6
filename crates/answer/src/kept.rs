//! The answer that a Record keeps.

use crate::choice::Choice;
use crate::comparison::Comparison;
use crate::endurance::Endurance;
use crate::fit::Fitted;
use crate::fleet::Fleet;
use crate::read::{NotAnAnswer, read};
use crate::reproduction::Reproduction;
use crate::run::Run;
use crate::sweep::Sweep;
use crate::tested::Tested;
use crate::twin::{Blind, Twin};
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
    /// Of `sweep`, which has a journal.
    Sweep(Box<Sweep>),
    /// Of `choose`.
    Choice(Box<Choice>),
    /// Of `fleet`.
    Fleet(Box<Fleet>),
    /// Of `twin`, whose result is a model.
    Twin(Box<Twin>),
    /// Of `twin --blind`.
    Blind(Box<Blind>),
}

impl Default for Answer {
    fn default() -> Self {
        Self::Run(Run::default())
    }
}

/// Reads an answer of one form.
type Reader = fn(&Value) -> Result<Answer, NotAnAnswer>;

/// Forms of answers that no Record keeps: each names itself.
const OWN: [(&str, Reader); 6] = [
    (Endurance::SCHEMA, |data| read(data).map(Answer::Endurance)),
    (Sweep::SCHEMA, |data| read(data).map(Answer::Sweep)),
    (Choice::SCHEMA, |data| read(data).map(Answer::Choice)),
    (Fleet::SCHEMA, |data| read(data).map(Answer::Fleet)),
    (Twin::SCHEMA, |data| read(data).map(Answer::Twin)),
    (Blind::SCHEMA, |data| read(data).map(Answer::Blind)),
];

fn own(data: &Value) -> Option<Reader> {
    let schema = data.get("schema")?.as_str()?;
    OWN.iter().find(|(own, _)| *own == schema).map(|(_, reader)| *reader)
}

impl Answer {
    /// Whether this is an answer by itself, and not a Record.
    pub fn is_own(data: &Value) -> bool {
        own(data).is_some()
    }

    /// What an outcome keeps besides fio's report.
    ///
    /// # Errors
    /// If a key that is needed is missing or has a value of the wrong type.
    pub fn of(outcome: &Outcome) -> Result<Self, NotAnAnswer> {
        let data = &outcome.data;
        if let Some(reader) = own(data) {
            return reader(data);
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
