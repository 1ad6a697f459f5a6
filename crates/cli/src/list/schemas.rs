//! Kinds of files and answers that have a schema.

use crate::render::Failure;
use crate::schemas::KINDS;
use crate::shelves::{Row, Shelves};
use schemars::JsonSchema;
use serde::Serialize;

/// A kind of file or answer.
#[derive(Serialize, JsonSchema)]
pub struct Schema {
    /// Its name.
    name: &'static str,
    /// What it is.
    what: &'static str,
}

impl Row for Schema {
    const TITLES: &'static [(&'static str, &'static str)] = &[("name", "Name"), ("what", "What")];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    Shelves::of(KINDS.iter().map(|kind| Schema { name: kind.name, what: kind.what }))
}
