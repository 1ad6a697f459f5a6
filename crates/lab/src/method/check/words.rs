//! Texts in values, and the names of parameters in them.

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

/// The names in `${NAME}`.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}
