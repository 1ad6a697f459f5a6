//! A model as it was run, as JSON for the Record: its files after what the user set, and what
//! resolving them at the scale gave.

use crate::render::Failure;
use crate::values::scale_text;
use iopath::device::flash::config::DriveConfig;
use lab::BenchOptions;
use library::{Medium, Overrides, ResolvedSystem, Scale, Surroundings, System};
use serde_json::{Map, Value, json};
use stats::{Target, Warning};

/// A model at the scale of the bench, as the Record keeps it.
pub fn of_bench(name: &str, options: &BenchOptions) -> Result<Target, Failure> {
    let (model, overrides) = (crate::target::model(name, &[])?, Overrides::default());
    let resolved = model.resolve(options.simulated(), &overrides)?;
    Ok(target(&model, &overrides, options.simulated(), &resolved, Value::Null))
}

/// The model, resolved, as the Record keeps it.
pub fn target(
    system: &System,
    overrides: &Overrides,
    scale: Scale,
    resolved: &ResolvedSystem,
    state: Value,
) -> Target {
    let set: Map<String, Value> =
        overrides.set.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let mut configuration = json!({
        "kind": if system.lone().is_some() { "model" } else { "system" },
        "model": toml(&system.text),
        "set": set,
        "give_up": overrides.give_up.fraction(),
        "power_state": overrides.power_state,
        "scale": scale_text(scale),
        "resolved": parts(resolved),
    });
    if overrides.surroundings != Surroundings::default() {
        configuration["surroundings"] = surroundings(&overrides.surroundings);
    }
    if let Some(drives) = overrides.drives {
        configuration["drives_side_by_side"] = json!(drives);
    }
    if let Some(namespaces) = &overrides.namespaces {
        configuration["namespaces"] = json!(namespaces.to_string());
    }
    match (system.lone_flash(), system.lone()) {
        (Some(flash), _) => configuration["nand"] = toml(&flash.nand_text),
        (None, Some(_)) => {}
        (None, None) => {
            let media = system.media();
            configuration["drives"] = media.iter().map(|medium| medium_text(medium)).collect();
        }
    }
    Target { name: system.slug.clone(), configuration, scale: resolved.scale, state }
}

/// What one should know of the model as it was resolved.
pub fn warnings(system: &System, resolved: &ResolvedSystem) -> Vec<Warning> {
    let of_system = |told: &String| Warning {
        code: "system".to_owned(),
        message: told.clone(),
        concerns: system.slug.clone(),
    };
    resolved.warnings.iter().map(of_system).collect()
}

/// The model of a drive of a system.
fn medium_text(medium: &Medium) -> Value {
    let mut text = json!({ "name": medium.slug(), "model": toml(medium.text()) });
    if let Medium::Flash(flash) = medium {
        text["nand"] = toml(&flash.nand_text);
    }
    text
}

/// What resolving gave.
fn parts(resolved: &ResolvedSystem) -> Value {
    let mut parts = json!({
        "real_bytes": resolved.real_bytes,
        "host_submit_ps": resolved.host.submit.ps(),
        "host_complete_ps": resolved.host.complete.ps(),
        "host_jitter": resolved.host.jitter.to_string(),
    });
    if resolved.devices.len() > 1 {
        parts["devices"] = json!(resolved.devices);
    }
    let mut flash: Vec<Value> = resolved.spec.flash().map(flash_parts).collect();
    match (&mut flash[..], resolved.spec.nodes.len()) {
        ([one], 1) => {
            if let (Some(parts), Some(one)) = (parts.as_object_mut(), one.as_object_mut()) {
                parts.append(one);
            }
        }
        _ => parts["flash"] = flash.into(),
    }
    parts
}

fn flash_parts(config: &DriveConfig) -> Value {
    let geometry = &config.geometry;
    json!({
        "user_bytes": config.user_bytes,
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
    })
}

/// What cools the drive, where the user said it.
fn surroundings(around: &Surroundings) -> Value {
    json!({
        "cooling": around.cooling,
        "fan": around.fan.map(|fan| fan.to_string()),
        "ambient": around.ambient.map(|air| air.to_string()),
    })
}

/// A TOML text as JSON. Models were read before, so that this cannot fail; if it did, the text
/// itself would be kept.
pub fn toml(text: &str) -> Value {
    let table: Option<toml::Table> = toml::from_str(text).ok();
    table
        .and_then(|table| serde_json::to_value(table).ok())
        .unwrap_or_else(|| Value::String(text.to_owned()))
}
