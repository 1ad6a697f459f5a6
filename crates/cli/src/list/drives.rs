//! Drives of the library.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use schemars::JsonSchema;
use serde::Serialize;

/// A drive.
#[derive(Serialize, JsonSchema)]
pub struct Drive {
    /// Its short name.
    slug: String,
    /// Its capacity.
    capacity: String,
    /// Its interface.
    interface: String,
    /// `flash`, `disk` or `xpoint`.
    media: String,
    /// Its flash, if it has any.
    nand: String,
    /// Its mapping unit, of a flash drive.
    unit: String,
    /// Other names that find it.
    aliases: Vec<String>,
    /// What it is.
    name: String,
}

impl Row for Drive {
    const TITLES: &'static [(&'static str, &'static str)] = &[
        ("slug", "Slug"),
        ("capacity", "Capacity"),
        ("interface", "Interface"),
        ("media", "Medium"),
        ("nand", "NAND"),
        ("unit", "Unit"),
        ("aliases", "Also called"),
        ("name", "Name"),
    ];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row = |slug: &str| {
        let text = library::source_text(slug).unwrap_or_default();
        let table: toml::Table = toml::from_str(text)
            .map_err(|error| Failure::failed(format!("models/drive/{slug}.toml: {error}")))?;
        let text = |value: Option<&toml::Value>| {
            value.and_then(toml::Value::as_str).unwrap_or_default().to_owned()
        };
        let value = |section: &str, key: &str| {
            text(table.get(section).and_then(|s| s.get(key)).and_then(|v| v.get("value")))
        };
        let aliases = table.get("aliases").and_then(toml::Value::as_array).into_iter().flatten();
        Ok(Drive {
            slug: slug.to_owned(),
            capacity: value("body", "capacity"),
            interface: value("link", "interface"),
            media: match table.get("media") {
                Some(media) => text(Some(media)),
                None => "flash".to_owned(),
            },
            nand: text(table.get("nand")),
            unit: value("ftl", "unit"),
            aliases: aliases.map(|alias| text(Some(alias))).collect(),
            name: text(table.get("name")),
        })
    };
    Shelves::of(library::drives().map(row).collect::<Result<Vec<_>, Failure>>()?)
}
