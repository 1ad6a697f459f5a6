//! `--against`: the verdicts of a reproduction beside those of another result of the same review.

use crate::files;
use crate::render::Failure;
use answer::Reproduction;
use report::Agreement;
use serde_json::Value;
use std::path::Path;

/// Verdicts that are named in the message.
const SHOWN: usize = 10;

/// Reads the other result, with its name: a file that is none is refused before anything runs.
pub fn read(path: &Path) -> Result<(String, Reproduction), Failure> {
    let name = path.display().to_string();
    let help = "`drivelab reproduce --json-file FILE` writes one";
    let text = files::text(path, "a result of a reproduction", help)?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Failure::wrong(format!("{name}: this is no result of a reproduction: {error}"))
            .with_help(help)
    })?;
    let result =
        answer::read(&value).map_err(|error| Failure::wrong(format!("{name}: {error}")))?;
    Ok((name, result))
}

/// An error if a verdict is another one in the other result and neither is open.
pub fn agree(name: &str, own: &Reproduction, other: &Reproduction) -> Result<(), Failure> {
    let found = Agreement::of(own, other);
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
