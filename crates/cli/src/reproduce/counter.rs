//! `reproduce --counter`: checks of claims on models that contradict them, of which none may hold.

use crate::render::Failure;
use answer::reproduction::{Claim, Said};
use review::ReviewFile;
use std::collections::BTreeSet;

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

/// An error if a check did not fail with any of its counters, with all of those.
pub fn all_failed(claims: &[Claim]) -> Result<(), Failure> {
    let all: BTreeSet<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    let failed = claims.iter().filter(|claim| claim.said() == Said::Failed);
    let failed: BTreeSet<&str> = failed.map(|claim| claim.id.as_str()).collect();
    let held: Vec<&str> = all.difference(&failed).copied().collect();
    match held.is_empty() {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "{} of {} checks do not fail on models that contradict them: {}",
            held.len(),
            all.len(),
            held.join(", ")
        ))
        .with_help("more work (--budget, --seeds) may decide what is open; see Claims")),
    }
}
