//! The drive of the library that answers most like a target.

use super::bench::{Bench, Draft};
use super::plan::Planned;
use super::stages::Measured;
use super::structure;
use crate::render::Failure;
use std::collections::BTreeMap;

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

/// The drives of the library whose cells have as many bits as the kinds of pages allow, the one
/// that answers most like the numbers first. Those that are named in `not` are left out.
///
/// # Errors
/// An interruption.
pub fn nearest(
    bench: &Bench<'_>,
    of: &Measured<'_>,
    not: &[String],
) -> Result<Vec<String>, Failure> {
    let telling: Vec<&Planned> =
        of.planned.iter().filter(|planned| TELLING.contains(&planned.id.as_str())).collect();
    let shares = of.made.get("read-4k").map(structure::kind_shares).unwrap_or_default();
    let all: Vec<Draft> = library::flash_drives()
        .filter(|slug| !not.iter().any(|left_out| left_out == slug))
        .map(Draft::of)
        .collect();
    let can_be = |draft: &&Draft| {
        structure::senses(draft).is_some_and(|pages| structure::can_have(pages.len(), &shares))
    };
    let fitting: Vec<Draft> = all.iter().filter(can_be).cloned().collect();
    // Kinds that fit no drive of the library say nothing.
    let drafts = if fitting.is_empty() { all } else { fitting };
    let asked: Vec<(&Draft, &lab::Run)> = drafts
        .iter()
        .flat_map(|draft| telling.iter().map(move |planned| (draft, &planned.run)))
        .collect();
    let made = bench.measure(&asked, "which drive of the library is like it")?;
    let mut off: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for ((draft, _), (planned, made)) in asked.iter().zip(telling.iter().cycle().zip(&made)) {
        let seen = match made {
            Ok(made) => planned.numbers(made),
            Err(_) => Vec::new(),
        };
        let sum = off.entry(&draft.slug).or_default();
        for number in of.numbers.values().filter(|number| number.is_of(&planned.id)) {
            let own = seen.iter().find(|own| own.id == number.id);
            let distance = number.distance(own);
            *sum = (sum.0 + distance * distance, sum.1 + 1.0);
        }
    }
    let mut order: Vec<(&str, f64)> =
        off.into_iter().map(|(slug, (squares, count))| (slug, squares / count.max(1.0))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(order.into_iter().map(|(slug, _)| slug.to_owned()).collect())
}
