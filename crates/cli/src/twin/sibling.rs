//! The drive of the library that answers most like a target.

use super::bench::{Bench, Draft};
use super::pages;
use super::plan::Number;
use super::tested::Tested;
use crate::render::Failure;

/// The tests that tell classes of drives apart: quick ones, of each part one.
const TELLING: [&str; 9] = [
    "read-4k",
    "read-64k",
    "depth-16",
    "depth-512",
    "stream-read",
    "stream-write",
    "sync",
    "random-4k",
    "random-64k",
];

/// The drive of the library that answers most like a target, of those whose cells have as many bits
/// as the kinds of pages allow. Those that are named in `not` are left out.
///
/// # Errors
/// An interruption; no drive that is left.
pub fn nearest(bench: &Bench, of: &Tested, not: &[String]) -> Result<String, Failure> {
    let is_telling = |number: &&Number| TELLING.iter().any(|test| number.is_of(test));
    let telling: Vec<&Number> = of.numbers.values().filter(is_telling).collect();
    let single = of.made.get("read-4k");
    let shares = single.map(pages::kind_shares).unwrap_or_default();
    let one_bit = single.is_some_and(pages::are_alike);
    let all: Vec<Draft> = library::flash_drives()
        .filter(|slug| !not.iter().any(|left_out| left_out == slug))
        .map(Draft::of)
        .collect();
    let can_be = |draft: &&Draft| {
        pages::senses(draft).is_some_and(|pages| {
            pages::can_have(pages.len(), &shares) && (pages.len() == 1 || !one_bit)
        })
    };
    let fitting: Vec<Draft> = all.iter().filter(can_be).cloned().collect();
    // Kinds that fit no drive of the library say nothing.
    let drafts = if fitting.is_empty() { all } else { fitting };
    let distances = bench.distances(&drafts, &of.planned, &telling)?;
    let squares = distances.iter().map(|off| off.iter().map(|off| off * off).sum::<f64>());
    let nearest = squares.zip(drafts).min_by(|a, b| a.0.total_cmp(&b.0));
    let (_, nearest) = nearest.ok_or_else(|| Failure::wrong("no drive of the library is left"))?;
    Ok(nearest.slug)
}
