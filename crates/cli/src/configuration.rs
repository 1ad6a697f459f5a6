//! A model as it was run, as JSON for the Record: its files after what the user set, and what
//! resolving them at the scale gave.

use crate::values::scale_text;
use method::library::{Model, Overrides, Resolved, Scale};
use serde_json::{Map, Value, json};
use stats::Target;

/// The model, resolved, as the Record keeps it.
pub fn target(
    model: &Model,
    overrides: &Overrides,
    scale: Scale,
    resolved: &Resolved,
    state: Value,
) -> Target {
    let config = &resolved.config;
    let geometry = &config.geometry;
    let set: Map<String, Value> =
        overrides.set.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let configuration = json!({
        "kind": "model",
        "model": toml(&model.text),
        "nand": toml(&model.nand_text),
        "set": set,
        "give_up": overrides.give_up.fraction(),
        "power_state": overrides.power_state,
        "scale": scale_text(scale),
        "resolved": {
            "user_bytes": config.user_bytes,
            "real_bytes": resolved.real_bytes,
            "unit_bytes": geometry.unit_bytes,
            "channels": geometry.channels,
            "dies": geometry.dies,
            "planes": geometry.planes,
            "page_bytes": geometry.page_bytes,
            "rows": geometry.rows,
            "groups_per_lane": geometry.groups_per_lane,
            "buffer_units": config.buffer.units,
            "link_down_bytes_s": config.link.down.base(),
            "link_up_bytes_s": config.link.up.base(),
            "host_submit_ps": resolved.host.submit.ps(),
            "host_complete_ps": resolved.host.complete.ps(),
        },
    });
    Target { name: model.slug.clone(), configuration, scale: resolved.scale, state }
}

/// A TOML text as JSON. Models were read before, so that this cannot fail; if it did, the text
/// itself would be kept.
fn toml(text: &str) -> Value {
    let table: Option<toml::Table> = toml::from_str(text).ok();
    table
        .and_then(|table| serde_json::to_value(table).ok())
        .unwrap_or_else(|| Value::String(text.to_owned()))
}
