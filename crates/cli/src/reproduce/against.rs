//! `--against`: the verdicts of a reproduction beside those of another result of the same review.

use crate::files;
use crate::render::Failure;
use report::{Agreement, ReportError};
use serde_json::Value;
use std::path::Path;

/// Verdicts that are named in the message.
const SHOWN: usize = 10;

/// Reads the other result: its name and its JSON.
pub fn read(path: &Path) -> Result<(String, Value), Failure> {
    let name = path.display().to_string();
    let help = "`drivelab reproduce --json-file FILE` writes one";
    let text = files::text(path, "a result of a reproduction", help)?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Failure::wrong(format!("{name}: this is no result of a reproduction: {error}"))
            .with_help(help)
    })?;
    // A file that is not a result is refused before anything runs.
    Agreement::of(&value, &value).map_err(|error| wrong(&name, &error))?;
    Ok((name, value))
}

fn wrong(name: &str, error: &ReportError) -> Failure {
    Failure::wrong(format!("{name}: {error}"))
}

/// An error if a verdict is another one in the other result and neither is open.
pub fn agree(name: &str, own: &Value, other: &Value) -> Result<(), Failure> {
    let found = Agreement::of(own, other).map_err(|error| wrong(name, &error))?;
    if found.compared() == 0 {
        return Err(Failure::wrong(format!("{name} has no figure and no claim of these reviews")));
    }
    if found.apart.is_empty() {
        return Ok(());
    }
    let mut message =
        format!("{} of {} verdicts are others in {name}", found.apart.len(), found.compared());
    for apart in found.apart.iter().take(SHOWN) {
        message
            .push_str(&format!("\n  {}: {} here, {} there", apart.id, apart.first, apart.second));
    }
    if found.apart.len() > SHOWN {
        message.push_str(&format!("\n  and {} more", found.apart.len() - SHOWN));
    }
    let help = "less work may leave a verdict open, never turn it round: the intervals are too \
                narrow, or scale and budget change the answer";
    Err(Failure::failed(message).with_help(help))
}
