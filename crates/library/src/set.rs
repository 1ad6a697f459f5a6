//! Values that the user sets in the text of a model.

use super::diagnose;
use fio::Diagnostic;

/// What the user set: paths of keys and values.
pub(super) type Pairs = Vec<(String, String)>;

/// Sets values in the text of a model. A set value keeps no source of the file; it is the user's
/// assumption.
pub(super) fn apply(
    file: &str,
    text: &str,
    set: &[(String, String)],
) -> Result<String, Diagnostic> {
    changed(file, text, set, |table, path, value| {
        let unknown = || {
            Diagnostic::new(
                &diagnose::place("--set", path, 0),
                format!("the model has no value `{path}`"),
            )
            .with_help("paths are those of the model file, such as `flash.dies`")
        };
        set_value(table, path, value).ok_or_else(unknown)
    })
}

/// A text in which `change` has set each value at its path; the text as it is if there is none.
pub(super) fn changed(
    file: &str,
    text: &str,
    set: &[(String, String)],
    mut change: impl FnMut(&mut toml::Table, &str, &str) -> Result<(), Diagnostic>,
) -> Result<String, Diagnostic> {
    if set.is_empty() {
        return Ok(text.to_owned());
    }
    let mut table: toml::Table =
        toml::from_str(text).map_err(|e| diagnose::toml(file, text, &e, true))?;
    for (path, value) in set {
        change(&mut table, path, value)?;
    }
    toml::to_string(&table)
        .map_err(|e| Diagnostic::new(&diagnose::place("--set", "", 0), e.to_string()))
}

/// Sets the value at a path of keys. `None` if the path leads through a value, or to what is
/// neither a sourced value nor a text.
pub(super) fn set_value(table: &mut toml::Table, path: &str, value: &str) -> Option<()> {
    let mut parts: Vec<&str> = path.split('.').collect();
    let last = parts.pop()?;
    let mut at = table;
    for part in parts {
        // A section that the file leaves out can be begun here; what is in it is checked later.
        at = at.entry(part).or_insert_with(|| toml::Table::new().into()).as_table_mut()?;
    }
    let old = at.entry(last).or_insert_with(|| toml::Table::new().into());
    *old = match old {
        toml::Value::Table(_) => sourced(value),
        toml::Value::String(_) => value.into(),
        // The entries of a list of values, as the sense times of the pages of a word line.
        toml::Value::Array(list) if list.iter().all(|entry| entry.get("value").is_some()) => {
            value.split(", ").map(sourced).collect::<Vec<_>>().into()
        }
        _ => return None,
    };
    Some(())
}

/// A value that the user set.
fn sourced(value: &str) -> toml::Value {
    let mut sourced = toml::Table::new();
    sourced.insert("value".to_owned(), value.into());
    sourced.insert("source".to_owned(), "assumed: set on the command line".into());
    sourced.into()
}
