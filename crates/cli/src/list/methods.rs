//! Review methods.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use lab::FACTS;
use schemars::JsonSchema;
use serde::Serialize;

/// A method.
#[derive(Serialize, JsonSchema)]
pub struct Method {
    /// Its name.
    name: String,
    /// What it does.
    title: String,
}

impl Row for Method {
    const TITLES: &'static [(&'static str, &'static str)] = &[("name", "Name"), ("title", "Title")];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row =
        |method: &lab::Method| Method { name: method.name.clone(), title: method.title.clone() };
    let title = "Values that the model contains; nothing is run".to_owned();
    let facts = Method { name: FACTS.to_owned(), title };
    Shelves::of(lab::methods().iter().map(row).chain([facts]))
}
