//! Whether a label is of the model, method and workload as they are now.

use lab::Run;
use library::{System, Workload};
use prior::of_system;

/// The law by which labels are derived: another law makes others.
const LAW: &str = "1";

/// Keys that say something to a reader, or how sure a value is, and nothing to a simulation.
const PROSE: [&str; 11] = [
    "title",
    "description",
    "provenance",
    "note",
    "source",
    "fitted_on",
    "range",
    "correlated",
    "about",
    "aliases",
    "required",
];

/// A fingerprint of all that a run of a system is made of, and of where its values come from.
/// Remarks, and the words of a source after its first, are no part of it.
pub fn inputs(systems: &[&System], runs: &[Run]) -> String {
    let mut text = LAW.to_owned();
    for system in systems {
        for value in of_system(system) {
            text += &format!("\n{} = {} ({})", value.key, value.text, value.source);
        }
        for said in [&system.text].into_iter().chain(&system.media_texts()) {
            plain(said, &mut text);
        }
    }
    for run in runs {
        text += &format!("\n{}\n", run.params);
        plain(lab::find(&run.method).map_or("", |method| method.text.as_str()), &mut text);
        if let Some(name) = run.params.get("workload").map(ToString::to_string) {
            // A profile of the user's that cannot be read fails where it runs.
            let said = Workload::text_of(&name).unwrap_or_default();
            match name.ends_with(".toml") {
                true => text += &said,
                false => plain(&said, &mut text),
            }
        }
    }
    format!("{:016x}", engine::rng::fnv1a(text.as_bytes()))
}

/// Adds what a text says besides prose, in one spelling.
fn plain(text: &str, to: &mut String) {
    if let Ok(table) = toml::from_str::<toml::Table>(text) {
        let value = without_prose(toml::Value::Table(table));
        *to += &format!("\n{value}");
    }
}

fn without_prose(value: toml::Value) -> toml::Value {
    match value {
        toml::Value::Table(table) => {
            let kept = table.into_iter().filter(|(key, _)| !PROSE.contains(&key.as_str()));
            toml::Value::Table(kept.map(|(key, inner)| (key, without_prose(inner))).collect())
        }
        toml::Value::Array(list) => {
            toml::Value::Array(list.into_iter().map(without_prose).collect())
        }
        other => other,
    }
}
