//! Prepared states that are kept for the next rig, or the next step of a rig, that starts alike.

use engine::rng::fnv1a;
use iopath::device::flash::drive::DriveState;
use iopath::device::flash::ftl::Ftl;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

/// Bytes of all that is kept.
const ROOM: usize = 512 << 20;

/// The flash of a system in a state, drive by drive.
pub(super) type Flash = Vec<Ftl<()>>;

/// What is kept: the states that were used last, as many as there is room for. A copy of it is the
/// same one.
#[derive(Clone, Default)]
pub struct States(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    kept: VecDeque<Kept>,
    /// Hashes of the keys that were asked for.
    asked: BTreeSet<u64>,
}

struct Kept {
    key: String,
    flash: Arc<Flash>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.flash.iter().map(Ftl::bytes).sum()
    }
}

impl States {
    /// True if a state takes much longer to build than to copy.
    pub(super) fn worth(state: &DriveState) -> bool {
        matches!(state, DriveState::Steady(_) | DriveState::SteadyRuns(..))
    }

    /// The state of a key, if it is still there.
    pub(super) fn find(&self, key: &str) -> Option<Arc<Flash>> {
        let all = &mut self.0.lock().ok()?.kept;
        let place = all.iter().position(|kept| kept.key == key)?;
        let kept = all.remove(place)?;
        let flash = kept.flash.clone();
        all.push_back(kept);
        Some(flash)
    }

    /// Notes that a state was asked for. Returns whether it was before.
    pub(super) fn asked_again(&self, key: &str) -> bool {
        self.0.lock().is_ok_and(|mut all| !all.asked.insert(fnv1a(key.as_bytes())))
    }

    /// Keeps a copy of a state, if there can be room for it: what was not used for longest goes.
    pub(super) fn keep<'a>(&self, key: String, flash: impl Iterator<Item = &'a Ftl<()>> + Clone) {
        self.keep_within(ROOM, key, flash);
    }

    fn keep_within<'a>(
        &self,
        room: usize,
        key: String,
        flash: impl Iterator<Item = &'a Ftl<()>> + Clone,
    ) {
        let bytes: usize = flash.clone().map(Ftl::bytes).sum();
        let Ok(mut all) = self.0.lock() else { return };
        let all = &mut all.kept;
        if bytes > room || all.iter().any(|kept| kept.key == key) {
            return;
        }
        while all.iter().map(Kept::bytes).sum::<usize>() + bytes > room {
            all.pop_front();
        }
        all.push_back(Kept { key, flash: Arc::new(flash.cloned().collect()) });
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.lock().map_or(0, |all| all.kept.len());
        write!(f, "{kept} states")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath::device::flash::ftl::policies::FtlPolicies;
    use iopath::device::flash::geometry::{Geometry, GroupSpan, Layout};

    fn flash() -> Flash {
        let geometry = Geometry {
            channels: 1,
            dies: 1,
            planes: 1,
            page_bytes: 4096,
            pages_per_wl: 1,
            rows: 8,
            unit_bytes: 4096,
            span: GroupSpan::Superblock,
            groups_per_lane: 16,
            parity_period: 0,
        };
        vec![Ftl::new(Layout::new(geometry), 64, FtlPolicies::default(), false)]
    }

    #[test]
    fn a_state_is_known_from_the_second_time_on() {
        let states = States::default();
        let asked = ["a", "b", "a", "a"].map(|key| states.asked_again(key));
        assert_eq!(asked, [false, false, true, true]);
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let (states, flash) = (States::default(), flash());
        let each = flash[0].bytes();
        let keep = |key: &str, room| states.keep_within(room, key.to_owned(), flash.iter());
        ["a", "b"].into_iter().for_each(|key| keep(key, 2 * each));
        assert!(states.find("a").is_some(), "two fit");
        keep("c", 2 * each);
        assert!(states.find("b").is_none() && states.find("a").is_some());
        assert!(states.find("c").is_some());
        keep("d", each - 1);
        assert!(states.find("d").is_none(), "one is larger than all the room");
        assert!(states.find("a").is_some() && states.find("c").is_some(), "and drives out none");
    }
}
