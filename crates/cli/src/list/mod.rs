//! `drivelab list`: what is in the library.

mod args;
pub mod capacities;
pub mod coolings;
pub mod drives;
pub mod methods;
pub mod metrics;
pub mod nands;
pub mod reviews;
pub mod schemas;
pub mod systems;
pub mod workloads;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::render::Failure;
use crate::shelves::{Row, Shelves};
pub use args::{ListArgs, Shelf};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

/// Something that can be listed.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// Its name, as for `list`.
    kind: String,
    /// What it is.
    what: String,
}

impl Row for Listed {
    const TITLES: &'static [(&'static str, &'static str)] = &[("kind", "Kind"), ("what", "What")];
}

/// Runs the command.
pub fn command(args: &ListArgs) -> Result<(), Failure> {
    let shelves = args.shelf.map_or_else(kinds, shelves)?;
    if args.json {
        return files::print(&json_text(shelves.to_json())?);
    }
    if shelves.is_empty() {
        Console::new(false).note("there are none in this version");
        return Ok(());
    }
    files::print(&shelves.to_table().to_text())
}

/// What can be listed.
fn kinds() -> Result<Shelves, Failure> {
    let row = |shelf: &Shelf| {
        let value = shelf.to_possible_value()?;
        let what = value.get_help().map(ToString::to_string).unwrap_or_default();
        Some(Listed { kind: value.get_name().to_owned(), what })
    };
    Shelves::of(Shelf::value_variants().iter().filter_map(row))
}

/// The entries of a kind.
pub fn shelves(shelf: Shelf) -> Result<Shelves, Failure> {
    match shelf {
        Shelf::Drives => drives::shelves(),
        Shelf::Capacities => capacities::shelves(),
        Shelf::Systems => systems::shelves(),
        Shelf::Nands => nands::shelves(),
        Shelf::Methods => methods::shelves(),
        Shelf::Metrics => metrics::shelves(),
        Shelf::Reviews => reviews::shelves(),
        Shelf::Coolings => coolings::shelves(),
        Shelf::Workloads => workloads::shelves(),
        Shelf::Schemas => schemas::shelves(),
    }
}
