//! `drivelab list capacities`: what the dies of each drive of the library hold, against what its
//! capacity, its static SLC cache and its parity take of them.

use crate::render::Failure;
use crate::shelves::Shelves;
use library::{self, Model};
use serde_json::json;

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let titles = vec![
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
    let row = |slug: &str| {
        let model = Model::named(slug, &[]).map_err(Failure::failed)?;
        let raw = model.raw_flash();
        let bytes = |value: f64| json!(value.round() as u64);
        let used = (raw.used_with_parity() * 1000.0).round() / 10.0;
        Ok(vec![
            json!(slug),
            json!(raw.dies),
            json!(model.nand.die_capacity.get().to_string()),
            bytes(raw.held),
            bytes(raw.pool),
            bytes(raw.cache),
            bytes(raw.parity),
            json!(used),
            json!(model.rated_cycles().map(|cycles| cycles.round() as u64)),
            json!(model.warnings()),
        ])
    };
    let rows = library::flash_drives().map(row).collect::<Result<_, Failure>>()?;
    Ok(Shelves { titles, rows })
}
