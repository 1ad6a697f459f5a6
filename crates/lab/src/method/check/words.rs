//! Texts in values.

use super::Value;
use toml::de::DeValue;

/// All texts of a value with their places, those in arrays and tables too.
pub(super) fn strings<'a>(value: &'a Value<'_>) -> Vec<(&'a str, usize)> {
    match value.get_ref() {
        DeValue::String(text) => vec![(text, value.span().start)],
        DeValue::Array(list) => list.iter().flat_map(strings).collect(),
        DeValue::Table(table) => table.iter().flat_map(|(_, value)| strings(value)).collect(),
        _ => Vec::new(),
    }
}
