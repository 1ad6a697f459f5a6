//! `--against`: the verdicts of a reproduction beside those of another result of the same review.

use crate::render::Failure;
use answer::Reproduction;
use report::Agreement;

/// Verdicts that are named in the message.
const SHOWN: usize = 10;

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
