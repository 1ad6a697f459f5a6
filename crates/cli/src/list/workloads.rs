//! Workload profiles and what they ask of each drive.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use library::SizeMix;
use schemars::JsonSchema;
use serde::Serialize;

/// A workload profile.
#[derive(Serialize, JsonSchema)]
pub struct Workload {
    /// Its name.
    name: String,
    /// What it is.
    title: String,
    /// Reads of all I/Os, %.
    read_percent: u32,
    /// Sizes of its reads; `-` without any.
    read_sizes: String,
    /// Sizes of its writes; `-` without any.
    write_sizes: String,
    /// I/Os in flight on each drive.
    outstanding: u64,
    /// How it is known.
    provenance: Option<String>,
}

impl Row for Workload {
    const TITLES: &'static [(&'static str, &'static str)] = &[
        ("name", "Name"),
        ("title", "Title"),
        ("read_percent", "Reads %"),
        ("read_sizes", "Sizes of reads"),
        ("write_sizes", "Sizes of writes"),
        ("outstanding", "In flight"),
        ("provenance", "Provenance"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |name: &str| {
        let workload = library::Workload::named(name)?;
        let read = workload.read_percent();
        let sizes = |some: bool, sizes: SizeMix| match some {
            true => sizes.to_string(),
            false => "-".to_owned(),
        };
        Ok(Workload {
            name: name.to_owned(),
            read_percent: read,
            read_sizes: sizes(read > 0, workload.read_sizes()),
            write_sizes: sizes(read < 100, workload.write_sizes()),
            outstanding: workload.outstanding(),
            provenance: workload.provenance.split(':').next().map(str::to_owned),
            title: workload.title,
        })
    };
    Shelves::of(library::workloads().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
