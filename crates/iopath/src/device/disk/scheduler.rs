//! The choice of what the arm does next: what can be reached first, unless something has waited too
//! long.

use engine::{Duration, Instant};

/// Something that waits for the arm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate<K> {
    /// Its name.
    pub key: K,
    /// When it began to wait.
    pub since: Instant,
    /// When the head could be over it.
    pub begin: Instant,
}

/// The one that is done next: the one that has waited longest if it has waited longer than `limit`
/// or there is no reordering, or the one that the head can be over first. Equals go in the order
/// given. `None` if there is none.
pub fn choose<K: Copy>(
    candidates: impl Iterator<Item = Candidate<K>>,
    now: Instant,
    reorder: bool,
    limit: Duration,
) -> Option<K> {
    let (mut oldest, mut nearest): (Option<Candidate<K>>, Option<Candidate<K>>) = (None, None);
    for candidate in candidates {
        if oldest.is_none_or(|best| candidate.since < best.since) {
            oldest = Some(candidate);
        }
        if nearest.is_none_or(|best| candidate.begin < best.begin) {
            nearest = Some(candidate);
        }
    }
    let oldest = oldest?;
    let aged = !reorder || now.since(oldest.since) > limit;
    if aged { Some(oldest.key) } else { nearest.map(|candidate| candidate.key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_goes_first_until_one_has_waited_too_long() {
        let at = |ms| Instant::ZERO + Duration::from_ms(ms);
        let candidates = [
            Candidate { key: 'a', since: at(0), begin: at(320) },
            Candidate { key: 'b', since: at(100), begin: at(305) },
            Candidate { key: 'c', since: at(200), begin: at(305) },
        ];
        let choose =
            |now, reorder| choose(candidates.into_iter(), at(now), reorder, Duration::from_ms(300));
        assert_eq!(choose(300, true), Some('b'), "the first of two equals, at the limit");
        assert_eq!(choose(301, true), Some('a'), "past the limit");
        assert_eq!(choose(210, false), Some('a'), "in order of arrival");
        let none: [Candidate<char>; 0] = [];
        assert_eq!(super::choose(none.into_iter(), at(0), true, Duration::ZERO), None);
    }
}
