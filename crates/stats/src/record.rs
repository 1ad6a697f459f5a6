//! The Record: all that is needed to run something again, and what came out, in one JSON.

use crate::canonical;
use crate::ledger::Ledger;
use crate::little::{LittleCheck, Utilisation};
use crate::result::RunResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use crate::canonical::to_canonical_json;

/// The schema that this version writes and reads.
pub const SCHEMA: &str = "drivelab/record/1";

/// What a Record is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A fio job file on one target.
    #[default]
    FioRun,
    /// A review method on one or more targets.
    Method,
    /// Published figures against models.
    Reproduction,
    /// Several targets under the same loads, with the uncertainty of their differences.
    Comparison,
    /// A model fitted to measured figures.
    Fit,
}

/// The drive, array or volume that was put to the test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Target {
    /// Name in the library, or the path of a real one.
    pub name: String,
    /// The model as resolved; of a real drive what is known of it (model, firmware, serial).
    pub configuration: Value,
    /// Simulated share of the capacity: 1 is unscaled.
    pub scale: f64,
    /// State at the start (fresh, preconditioned, aged, ...).
    pub state: Value,
}

impl Default for Target {
    fn default() -> Self {
        Self { name: String::new(), configuration: Value::Null, scale: 1.0, state: Value::Null }
    }
}

/// Something that can be wrong with a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Warning {
    /// What kind, for programs: lower case with hyphens, e.g. `too-few-samples`.
    pub code: String,
    /// What it means and what to do, for readers.
    pub message: String,
    /// What it concerns: a job, an option, a percentile; may be empty.
    pub concerns: String,
}

/// Laws that the run was held against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Checks {
    /// Little's law, one entry a window.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub little: Vec<LittleCheck>,
    /// Work against time, one entry a resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub utilisation: Vec<Utilisation>,
    /// Bytes by cause, one entry a layer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ledgers: Vec<Ledger>,
}

impl Checks {
    /// What does not hold, a sentence each; empty if all is well.
    pub fn failures(&self) -> Vec<String> {
        let little = self.little.iter().filter(|check| !check.holds()).map(|check| {
            let (integral, sum) = (check.outstanding_integral, check.residence_sum);
            format!("Little's law: {integral} command-ps outstanding, {sum} by residence")
        });
        let utilisation = self.utilisation.iter().filter(|check| !check.holds()).map(|check| {
            let (name, busy, window) = (&check.name, check.busy_ps, check.window_ps);
            format!("{name}: {busy} ps of work in a window of {window} ps")
        });
        let ledgers = self.ledgers.iter().filter_map(|ledger| ledger.check().err());
        little.chain(utilisation).chain(ledgers.map(|error| error.to_string())).collect()
    }
}

/// The hashed part of a [`Record`]: equal inputs yield equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Outcome {
    /// What this is.
    pub kind: Kind,
    /// Version of drivelab that ran it.
    pub version: String,
    /// What was tested.
    pub targets: Vec<Target>,
    /// The seed of all random streams; `None` if nothing was simulated.
    pub seed: Option<u64>,
    /// How much simulation was allowed, as resolved (a number of events, a span of time).
    pub budget: Value,
    /// The job file as resolved, or the method's; `None` if there was none.
    pub job_text: Option<String>,
    /// The outcome of a job file.
    pub run: Option<RunResult>,
    /// The outcome of anything else.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// Laws that were checked.
    pub checks: Checks,
    /// What to keep in mind when reading the numbers.
    pub warnings: Vec<Warning>,
}

/// What the run cost on the machine at hand; not hashed, since it never repeats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cost {
    /// Time on the wall, s.
    pub wall_s: f64,
    /// Processor time, s.
    pub cpu_s: f64,
    /// Simulated events.
    pub events: u64,
    /// Simulated I/Os.
    pub ios: u64,
}

/// How a result came to be: enough to make it again. Not hashed, since a date never repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Made {
    /// When, in UTC.
    pub date: String,
    /// The command line, without the name of the program.
    pub command: Vec<String>,
    /// Files that the command read, by the names in the command line.
    pub inputs: BTreeMap<String, Input>,
    /// Environment variables that a job file used.
    pub variables: BTreeMap<String, String>,
}

/// A file that a command read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Input {
    /// A text, as it was.
    Text(String),
    /// SHA-256 of a file that is too large to be kept, in hexadecimal.
    Sha256(String),
}

/// A result with its hash. Fields are read through methods, so that the two cannot part.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(with = "Written<'static>")]
pub struct Record {
    result: Outcome,
    hash: String,
    /// What the run cost; not hashed.
    pub cost: Cost,
    /// How it came to be; not hashed.
    pub made: Made,
}

/// Why a Record could not be made, saved or loaded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file ends too early.
    #[error("{path}: the file is incomplete; it ends inside the JSON. Run it again")]
    Truncated {
        /// Which file.
        path: PathBuf,
    },
    /// The file is not JSON, or not that of a Record.
    #[error("{path}: this is not a Record: {reason}")]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another version wrote it.
    #[error("{path}: its schema is `{found}`; this version of drivelab reads `{SCHEMA}`")]
    OtherSchema {
        /// Which file.
        path: PathBuf,
        /// The schema it names.
        found: String,
    },
    /// The result is not the one that was hashed.
    #[error("{path}: its hash is {stored}, but its result hashes to {computed}: it was edited")]
    WrongHash {
        /// Which file.
        path: PathBuf,
        /// The hash in the file.
        stored: String,
        /// The hash of the result in the file.
        computed: String,
    },
    /// JSON cannot hold the result, e.g. a number that is not finite.
    #[error("this result has no JSON form: {0}")]
    Unrepresentable(String),
}

impl Record {
    /// Hashes a result.
    ///
    /// # Errors
    /// If JSON cannot represent the result or the cost (infinite or undefined numbers).
    pub fn new(result: Outcome, cost: Cost) -> Result<Self, RecordError> {
        let unrepresentable =
            |error: serde_json::Error| RecordError::Unrepresentable(error.to_string());
        let value = serde_json::to_value(&result).map_err(unrepresentable)?;
        let hash = hash_of(&value);
        // JSON turns NaN into null without a word. Better to fail now than when it is loaded.
        serde_json::from_value::<Outcome>(value).map_err(unrepresentable)?;
        for (name, seconds) in [("wall_s", cost.wall_s), ("cpu_s", cost.cpu_s)] {
            if !seconds.is_finite() {
                return Err(RecordError::Unrepresentable(format!("cost.{name} is {seconds}")));
            }
        }
        Ok(Self { result, hash, cost, made: Made::default() })
    }

    /// The hashed part.
    pub fn result(&self) -> &Outcome {
        &self.result
    }

    /// The hashed part, taken out.
    pub fn into_result(self) -> Outcome {
        self.result
    }

    /// SHA-256 of the canonical JSON of the result, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The whole Record as canonical JSON.
    ///
    /// # Errors
    /// If JSON cannot represent the Record.
    pub fn to_canonical_json(&self) -> Result<String, RecordError> {
        let whole = Written {
            schema: SCHEMA,
            result: &self.result,
            hash: &self.hash,
            cost: &self.cost,
            made: &self.made,
        };
        let whole = serde_json::to_value(whole)
            .map_err(|error| RecordError::Unrepresentable(error.to_string()))?;
        let mut text = String::new();
        canonical::write(&whole, &mut text);
        Ok(text)
    }

    /// Reads a Record from text; `path` is only named in errors.
    ///
    /// # Errors
    /// If the text is cut off, is not a Record of this schema, or does not match its hash.
    pub fn from_json(text: &str, path: &Path) -> Result<Self, RecordError> {
        let path = path.to_path_buf();
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) if error.is_eof() => return Err(RecordError::Truncated { path }),
            Err(error) => {
                return Err(RecordError::Malformed { path, reason: error.to_string() });
            }
        };
        let found = match &value["schema"] {
            Value::String(found) => found.clone(),
            _ => {
                let reason = "it has no `schema`".to_owned();
                return Err(RecordError::Malformed { path, reason });
            }
        };
        if found != SCHEMA {
            return Err(RecordError::OtherSchema { path, found });
        }
        let whole: Whole = match serde_json::from_value(value) {
            Ok(whole) => whole,
            Err(error) => {
                return Err(RecordError::Malformed { path, reason: error.to_string() });
            }
        };
        let computed = hash_of(&whole.result);
        if computed != whole.hash {
            return Err(RecordError::WrongHash { path, stored: whole.hash, computed });
        }
        match serde_json::from_value(whole.result) {
            Ok(result) => Ok(Self { result, hash: computed, cost: whole.cost, made: whole.made }),
            Err(error) => Err(RecordError::Malformed { path, reason: error.to_string() }),
        }
    }

    /// Reads a Record from a file and checks its hash.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`Record::from_json`].
    pub fn load(path: &Path) -> Result<Self, RecordError> {
        let text = fs::read_to_string(path)
            .map_err(|source| RecordError::Io { path: path.to_path_buf(), source })?;
        Self::from_json(&text, path)
    }
}

/// The file as it is written.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Written<'a> {
    /// The version of this format; another one is refused.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'a str,
    /// What was measured; equal inputs yield an equal result.
    result: &'a Outcome,
    /// SHA-256 of the canonical JSON of the result, in hexadecimal.
    #[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
    hash: &'a str,
    /// What the run cost; not hashed.
    cost: &'a Cost,
    /// How it came to be; not hashed.
    made: &'a Made,
}

/// The file before the result is understood: the hash is of what is written, not of what this
/// version makes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(rename = "schema")]
    _schema: String,
    result: Value,
    hash: String,
    cost: Cost,
    #[serde(default)]
    made: Made,
}

fn hash_of(result: &Value) -> String {
    let mut text = String::new();
    canonical::write(result, &mut text);
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
