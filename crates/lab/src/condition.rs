//! Conditions under which a parameter or a step counts.

use metric::Params;

/// `NAME`: it is given and not 0; `NAME = VALUE`: it has this value.
pub fn holds(condition: &str, params: &Params) -> bool {
    match condition.split_once('=') {
        Some((name, value)) => {
            params.get(name.trim()).is_some_and(|known| known.to_string() == value.trim())
        }
        None => params.get(condition.trim()).is_some_and(|value| !value.is_zero()),
    }
}
