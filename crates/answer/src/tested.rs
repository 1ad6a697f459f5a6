//! The answer of `drivelab test`.

use crate::age::Age;
use crate::measured::Measured;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A method on one or more targets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tested {
    /// The method.
    pub method: String,
    /// The path of its file, if it is the user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its parameters, completed with the defaults.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// What was measured on each target.
    pub targets: Vec<Measured>,
    /// What the drives had been through before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<Age>,
}
