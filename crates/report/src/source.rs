//! What a report is made of: results, each with the name of its file.

use answer::{Answer, NotAnAnswer, Origin};
use serde_json::Value;
use stats::{Cost, Outcome, Record};

/// Codes of the warnings that a source itself can have: its file is less than a whole Record.
pub mod code {
    /// There is no hash: whether the numbers are drivelab's is unknown.
    pub const UNPROVEN: &str = "unproven";
    /// The hash is another one: the numbers were changed after they were saved.
    pub const EDITED: &str = "edited";
    /// The file holds several results, and this is the last.
    pub const LAST_OF_SEVERAL: &str = "last-of-several";
    /// It has a metric that is unknown here; the warning concerns that metric.
    pub const UNKNOWN_METRIC: &str = "unknown-metric";
    /// fio itself had something to say beside its result.
    pub const FIO_SAID: &str = "fio-said";

    /// All of them.
    pub const ALL: [&str; 5] = [UNPROVEN, EDITED, LAST_OF_SEVERAL, UNKNOWN_METRIC, FIO_SAID];
}

/// One result: a Record, or what the installed fio wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// File name as the user wrote it; sources of one report have different names.
    pub name: String,
    /// What was run. Warnings about the file itself (see [`code`]) are among its warnings; its
    /// data are in `answer`.
    pub outcome: Outcome,
    /// What came out, besides fio's report.
    pub answer: Answer,
    /// SHA-256 of the outcome, in hexadecimal; `None` where it is not a proven Record.
    pub hash: Option<String>,
    /// What the run cost; zeros if unknown.
    pub cost: Cost,
    /// When it was run, in UTC; empty if unknown.
    pub date: String,
}

impl Source {
    /// An outcome by the name of its file, without a proof.
    ///
    /// # Errors
    /// If its data are not those of its kind.
    pub fn of_outcome(name: &str, mut outcome: Outcome) -> Result<Self, NotAnAnswer> {
        let answer = Answer::of(&outcome)?;
        outcome.data = Value::Null;
        Ok(Self { name: name.to_owned(), outcome, answer, ..Self::default() })
    }

    /// A Record by the name of its file.
    ///
    /// # Errors
    /// As [`Source::of_outcome`].
    pub fn of_record(name: &str, record: Record) -> Result<Self, NotAnAnswer> {
        let (hash, cost) = (Some(record.hash().to_owned()), record.cost.clone());
        let date = record.made.date.clone();
        Ok(Self { hash, cost, date, ..Self::of_outcome(name, record.into_result())? })
    }

    /// Whether the installed fio wrote it, not drivelab.
    pub fn is_fio(&self) -> bool {
        self.outcome.version.starts_with("fio-")
    }

    /// Whether the numbers of one of its targets were measured or come out of a model; `said` is
    /// what the result itself says of it.
    pub fn origin(&self, target: &str, said: Option<Origin>) -> Origin {
        let known = || self.outcome.targets.iter().find(|known| known.name == target);
        match said {
            Some(said) => said,
            None if self.is_fio() => Origin::Measured,
            // A run on several real paths may not tell which of them a job used.
            None if target.is_empty() && !self.outcome.targets.is_empty() => Origin::of_real(
                self.outcome.targets.iter().map(Origin::of_target).all(|o| o == Origin::Measured),
            ),
            None => known().map_or_else(|| Origin::of_name(target), Origin::of_target),
        }
    }

    /// The same of a run of a job file, of all its jobs, of a drive whose health was read, and of
    /// one that has a twin.
    pub fn run_origin(&self) -> Origin {
        match &self.answer {
            Answer::Endurance(endurance) => endurance.origin(),
            Answer::Twin(twin) => Origin::of_name(&twin.target),
            Answer::Choice(_) | Answer::Fleet(_) | Answer::Sweep(_) | Answer::Blind(_) => {
                Origin::Modelled
            }
            _ => self.origin("", None),
        }
    }

    /// Whether scale and state are known; they are not where the file holds only results.
    pub fn tells_scale(&self) -> bool {
        let unproven = |warning: &stats::Warning| warning.code == code::UNPROVEN;
        !self.is_fio() && !self.outcome.warnings.iter().any(unproven)
    }

    /// Warnings about the file, see [`code`], rather than about the run.
    pub fn file_warnings(&self) -> impl Iterator<Item = &str> {
        let all = self.outcome.warnings.iter();
        all.filter(|w| code::ALL.contains(&w.code.as_str())).map(|w| w.message.as_str())
    }

    /// Warnings that concern all of the source: those of the run and of the file.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let all = self.outcome.warnings.iter();
        all.filter(|warning| warning.concerns.is_empty()).map(|warning| warning.message.as_str())
    }
}
