//! Of d groups drawn at random, the one with the fewest valid units (Van Houdt 2013). One choice is
//! a random group, many are greedy; firmware that cannot keep all groups sorted draws a few.

use crate::device::flash::ftl::pool::Pool;
use engine::{Stream, index, narrow};

/// Draws that may miss before the candidates are counted: in a drive at work nearly every group
/// is a candidate.
const TRIES: u32 = 16;

/// The fewest valid of `d` candidates drawn with replacement; the first drawn among equals.
pub fn choose(pool: &Pool, lane: u32, d: u32, mut draws: Stream) -> Option<u32> {
    let (first, candidates) = pool.candidates(lane);
    let mut best: Option<(u32, u32)> = None;
    for _ in 0..d.max(1) {
        let place = draw(candidates, &mut draws)?;
        let valid = candidates[place as usize];
        if best.is_none_or(|(fewest, _)| valid < fewest) {
            best = Some((valid, place));
        }
    }
    best.map(|(_, place)| first + place)
}

/// One candidate, each equally likely, or `None` if there is none.
fn draw(candidates: &[u32], draws: &mut Stream) -> Option<u32> {
    for _ in 0..TRIES {
        let place = index(draws.below(candidates.len() as u64));
        if candidates[place] != u32::MAX {
            return Some(narrow(place));
        }
    }
    let there = candidates.iter().filter(|&&v| v != u32::MAX).count() as u64;
    if there == 0 {
        return None;
    }
    let skip = index(draws.below(there));
    let mut places = (0..candidates.len()).filter(|&i| candidates[i] != u32::MAX);
    places.nth(skip).map(narrow)
}
