//! `drivelab list capacities`: what the dies of each drive of the library hold, against what its
//! capacity, its static SLC cache and its parity take of them.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use library::{self, Model};
use schemars::JsonSchema;
use serde::Serialize;

/// The flash of a drive.
#[derive(Serialize, JsonSchema)]
pub struct Capacity {
    /// Name of the drive.
    slug: String,
    /// Its dies.
    dies: u32,
    /// What each holds.
    die: String,
    /// What all hold, B.
    held_bytes: u64,
    /// The capacity with the spare area that collection needs, B.
    pool_bytes: u64,
    /// The static SLC cache, B.
    cache_bytes: u64,
    /// Parity inside the drive, B.
    parity_bytes: u64,
    /// The last three over what the dies hold, %.
    used_percent: f64,
    /// Rated program and erase cycles; `null` if they are not known.
    cycles: Option<u64>,
    /// What contradicts itself.
    warnings: Vec<String>,
}

impl Row for Capacity {
    const TITLES: &'static [(&'static str, &'static str)] = &[
        ("slug", "Slug"),
        ("dies", "Dies"),
        ("die", "Each"),
        ("held_bytes", "Hold"),
        ("pool_bytes", "Capacity x alpha"),
        ("cache_bytes", "SLC cache"),
        ("parity_bytes", "Parity"),
        ("used_percent", "Used %"),
        ("cycles", "Cycles"),
        ("warnings", "Warnings"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let model = Model::named(slug, &[]).map_err(Failure::failed)?;
        let raw = model.raw_flash();
        let bytes = |value: f64| value.round() as u64;
        Ok(Capacity {
            slug: slug.to_owned(),
            dies: raw.dies,
            die: model.nand.die_capacity.get().to_string(),
            held_bytes: bytes(raw.held),
            pool_bytes: bytes(raw.pool),
            cache_bytes: bytes(raw.cache),
            parity_bytes: bytes(raw.parity),
            used_percent: (raw.used_with_parity() * 1000.0).round() / 10.0,
            cycles: model.rated_cycles().map(bytes),
            warnings: model.warnings(),
        })
    };
    Shelves::of(library::flash_drives().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
