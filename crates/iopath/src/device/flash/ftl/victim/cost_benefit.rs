//! Cost and benefit, as the log-structured file system weighs them: the space that comes free times
//! how long it will stay free, over the cost of reading the group and writing what is valid,
//! (1 - u) age / (1 + u) (Rosenblum and Ousterhout 1992). Groups of cold data are taken while they
//! are still quite full, those of hot data are left to empty themselves.
//!
//! The age of a group is the number of groups closed since it was closed. The source takes the time
//! since its youngest block was written, which is when the group was closed; counting closings
//! instead of seconds makes the choice the same whether the host is fast or slow.

use crate::device::flash::ftl::pool::Pool;
use engine::narrow;

/// The candidate with the most benefit for its cost; `full` is what a group can hold.
pub fn choose(pool: &Pool, lane: u32, full: u32) -> Option<u32> {
    let (first, candidates) = pool.candidates(lane);
    let now = pool.closings();
    let mut best: Option<(u128, u128, u32)> = None;
    for (place, &valid) in candidates.iter().enumerate() {
        if valid == u32::MAX {
            continue;
        }
        let group = first + narrow::<u32>(place);
        let age = (now - pool.closed_at(group)) as u128;
        let benefit = (full - valid) as u128 * age;
        let cost = (full + valid) as u128;
        // Products instead of quotients: exact, and the same everywhere.
        if best.is_none_or(|(most, of, _)| benefit * of > most * cost) {
            best = Some((benefit, cost, group));
        }
    }
    best.map(|(_, _, group)| group)
}
