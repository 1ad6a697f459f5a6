//! Reviews, each with how much of it there is.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use review::Library;
use schemars::JsonSchema;
use serde::Serialize;

/// A review.
#[derive(Serialize, JsonSchema)]
pub struct Review {
    /// Its name.
    name: String,
    /// Its figures.
    figures: usize,
    /// Its claims.
    claims: usize,
    /// On what it measured.
    test_bed: String,
}

impl Row for Review {
    const TITLES: &'static [(&'static str, &'static str)] =
        &[("name", "Name"), ("figures", "Figures"), ("claims", "Claims"), ("test_bed", "Test bed")];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let library = Library::shipped()?;
    let row = |name: &&str| {
        let read = library.select(&[(*name).to_owned()]).map_err(Failure::failed)?;
        let setup = read.setups.first();
        Ok(Review {
            name: (*name).to_owned(),
            figures: read.figures.len(),
            claims: read.claims.len(),
            test_bed: setup.map(|(_, text)| first_sentence(text)).unwrap_or_default(),
        })
    };
    Shelves::of(library.names().iter().map(row).collect::<Result<Vec<_>, Failure>>()?)
}

fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}
