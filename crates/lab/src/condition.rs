//! Conditions under which a parameter or a step counts.

use metric::Params;

/// The name of a parameter, and the value that it should have if one is written.
pub fn parts(condition: &str) -> (&str, Option<&str>) {
    match condition.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (condition.trim(), None),
    }
}

/// `NAME`: it is given and not 0; `NAME = VALUE`: it has this value.
pub fn holds(condition: &str, params: &Params) -> bool {
    let (name, wanted) = parts(condition);
    params.get(name).is_some_and(|value| match wanted {
        Some(wanted) => value.to_string() == wanted,
        None => !value.is_zero(),
    })
}
