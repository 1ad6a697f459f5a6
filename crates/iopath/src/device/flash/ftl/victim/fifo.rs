//! First in, first out: the group that was closed longest ago.

use crate::device::flash::ftl::pool::Pool;
use engine::narrow;

/// The candidate that was closed first.
pub fn choose(pool: &Pool, lane: u32) -> Option<u32> {
    let (first, candidates) = pool.candidates(lane);
    (0..narrow(candidates.len()))
        .filter(|&i| candidates[i as usize] != u32::MAX)
        .map(|i| first + i)
        .min_by_key(|&group| pool.closed_at(group))
}
