//! Flash, with the cells it is made of.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use schemars::JsonSchema;
use serde::Serialize;

/// A flash die.
#[derive(Serialize, JsonSchema)]
pub struct Nand {
    /// Its short name.
    slug: String,
    /// Bits in a cell.
    bits_per_cell: String,
    /// Its planes.
    planes: String,
    /// Size of a page.
    page: String,
    /// Time of a program.
    program: String,
    /// Time of an erase.
    erase: String,
    /// What it is.
    name: String,
}

impl Row for Nand {
    const TITLES: &'static [(&'static str, &'static str)] = &[
        ("slug", "Slug"),
        ("bits_per_cell", "Cell"),
        ("planes", "Planes"),
        ("page", "Page"),
        ("program", "Program"),
        ("erase", "Erase"),
        ("name", "Name"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let text = library::nand_text(slug).map_err(Failure::failed)?;
        let table: toml::Table = toml::from_str(text)
            .map_err(|error| Failure::failed(format!("models/nand/{slug}.toml: {error}")))?;
        let value = |key: &str| {
            let value = table.get(key).map(|entry| entry.get("value").unwrap_or(entry));
            value.and_then(toml::Value::as_str).unwrap_or_default().to_owned()
        };
        Ok(Nand {
            slug: slug.to_owned(),
            bits_per_cell: value("bits_per_cell"),
            planes: value("planes"),
            page: value("page"),
            program: value("program"),
            erase: value("erase"),
            name: value("name"),
        })
    };
    Shelves::of(library::nands().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
