//! Parameters as a row gives them.

use super::node::Node;
use fio::Diagnostic;
use metric::{Params, Raw};

/// Reads a table of parameters, each mistake at its own place.
pub(super) fn params_of(node: Option<Node<'_>>) -> Result<Params, Diagnostic> {
    let mut params = Params::default();
    let Some(node) = node else { return Ok(params) };
    for (name, place, value) in node.entries()? {
        let raw = match value.flag() {
            Some(flag) => Raw::Flag(flag),
            None if value.is_str() => Raw::Text(value.str()?),
            None => Raw::Number(value.number()?),
        };
        params.insert(name, raw).map_err(|why| Diagnostic::new(&place, why))?;
    }
    Ok(params)
}
