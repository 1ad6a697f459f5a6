//! `reproduce --counter`: claims on models that contradict them, of which none may hold.

use crate::render::Failure;
use answer::reproduction::{Claim, Said};
use review::ReviewFile;

/// The claims that name a counter.
pub fn rows(rows: ReviewFile) -> Result<ReviewFile, Failure> {
    let rows = rows.contradicted();
    match rows.claims.is_empty() {
        false => Ok(rows),
        true => Err(Failure::wrong("none of these claims names a counter".to_owned()).with_help(
            "counter = { \"drive\" = \"another\" } in a [[claim]]; see reviews/README.md",
        )),
    }
}

/// An error if a claim did not fail, with all of those.
pub fn all_failed(claims: &[Claim]) -> Result<(), Failure> {
    let held: Vec<&str> = (claims.iter())
        .filter(|claim| claim.said() != Said::Failed)
        .map(|claim| claim.id.as_str())
        .collect();
    match held.is_empty() {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "{} of {} claims do not fail on models that contradict them: {}",
            held.len(),
            claims.len(),
            held.join(", ")
        ))
        .with_help("more work (--budget, --seeds) may decide what is open; see Claims")),
    }
}
