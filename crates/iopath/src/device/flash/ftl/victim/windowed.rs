//! Windowed greedy: the fewest valid units among the w groups closed longest ago (Hu et al. 2009).
//! A window of one is first in, first out; a window over all groups is greedy.

use crate::device::flash::ftl::pool::Pool;
use engine::narrow;

/// The fewest valid of the `window` oldest candidates; the oldest among equals.
pub fn choose(pool: &Pool, lane: u32, window: u32) -> Option<u32> {
    let (first, candidates) = pool.candidates(lane);
    let closed = candidates.iter().enumerate().filter(|&(_, &valid)| valid != u32::MAX);
    let mut by_age: Vec<(u64, u32, u32)> = closed
        .map(|(place, &valid)| (narrow(place), valid))
        .map(|(place, valid)| (pool.closed_at(first + place), valid, place))
        .collect();
    let window = window.max(1) as usize;
    if window < by_age.len() {
        by_age.select_nth_unstable(window - 1);
        by_age.truncate(window);
    }
    let best = by_age.into_iter().min_by_key(|&(closed_at, valid, _)| (valid, closed_at));
    best.map(|(_, _, place)| first + place)
}
