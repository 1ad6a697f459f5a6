//! Ways of cooling, the weakest first.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use library::CoolingFile;
use schemars::JsonSchema;
use serde::Serialize;

/// A way of cooling.
#[derive(Serialize, JsonSchema)]
pub struct Cooling {
    /// Its short name.
    slug: String,
    /// What it is.
    name: String,
    /// Speed of its air.
    fan: String,
}

impl Row for Cooling {
    const TITLES: &'static [(&'static str, &'static str)] =
        &[("slug", "Slug"), ("name", "Name"), ("fan", "Fan")];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let file = CoolingFile::named(slug)?;
        let fan = file.fan.speed.get().to_string();
        Ok(Cooling { slug: slug.to_owned(), name: file.name, fan })
    };
    Shelves::of(library::coolings().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
