//! Arrays and cached volumes of the library.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use library::{Overrides, Scale};
use schemars::JsonSchema;
use serde::Serialize;

/// A system.
#[derive(Serialize, JsonSchema)]
pub struct System {
    /// Its short name.
    slug: String,
    /// Its capacity, B.
    capacity_bytes: u64,
    /// Its drives: `4 x p4510-8tb`.
    drives: Vec<String>,
    /// Other names that find it.
    aliases: Vec<String>,
    /// What it is.
    name: String,
}

impl Row for System {
    const TITLES: &'static [(&'static str, &'static str)] = &[
        ("slug", "Slug"),
        ("capacity_bytes", "Capacity"),
        ("drives", "Drives"),
        ("aliases", "Also called"),
        ("name", "Name"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let system = library::System::named(slug, &[])
            .map_err(|why| Failure::failed(format!("models/system/{slug}.toml: {why}")))?;
        let resolved = system.resolve(Scale::default(), &Overrides::default())?;
        let drives = system.parts().into_iter().map(|(slug, count)| format!("{count} x {slug}"));
        Ok(System {
            slug: slug.to_owned(),
            capacity_bytes: resolved.real_bytes,
            drives: drives.collect(),
            aliases: system.aliases().iter().map(ToString::to_string).collect(),
            name: system.name().to_owned(),
        })
    };
    Shelves::of(library::systems().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
