//! Greedy: fewest valid units; the lowest number among equals.

use crate::device::flash::ftl::pool::Pool;
use engine::narrow;

/// The candidate with the fewest valid units.
pub fn choose(pool: &Pool, lane: u32) -> Option<u32> {
    let (first, candidates) = pool.candidates(lane);
    // Two passes: a plain minimum is vectorised, a minimum with its place is not.
    let fewest = *candidates.iter().min()?;
    if fewest == u32::MAX {
        return None;
    }
    let place = candidates.iter().position(|&v| v == fewest)?;
    Some(first + narrow::<u32>(place))
}
