//! `drivelab list capacities`: what the dies of each drive of the library hold, against what its
//! capacity, its static SLC cache and its parity take of them; how much can be written until their
//! cycles are used; and the most power that its maker states.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use lab::{BenchOptions, ModelBench};
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
    /// Random writes over the whole drive until these cycles are used, B, by the law of greedy
    /// collection (docs/theory.md); `null` if they are not known or pages are padded or compressed.
    tbw_bytes: Option<u64>,
    /// The most power of the first power state as the maker states it, W; `null` if it is not
    /// known.
    rated_power_w: Option<f64>,
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
        ("tbw_bytes", "Random TBW"),
        ("rated_power_w", "Most W"),
        ("warnings", "Warnings"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let bench = ModelBench::new(BenchOptions::default());
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
            tbw_bytes: bench.fact(slug, "tbw_random").map(bytes),
            rated_power_w: bench.fact(slug, "power_ps0"),
            warnings: model.warnings(),
        })
    };
    Shelves::of(library::flash_drives().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
