//! Room for clients: how many there may be, what they may hold, how long they may keep silent.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::{Duration, Instant};

/// Clients of the control socket, beside those of the drive: the owner is always let in.
pub(super) const MOST_CONTROLS: usize = 64;
/// Descriptors of a process beside those of its clients.
const OTHER_DESCRIPTORS: u64 = 128;
/// What is refused again and again is told so often at most.
const REMIND: Duration = Duration::from_secs(10);
/// A process without free descriptors takes no client for so long.
const PAUSE: Duration = Duration::from_millis(200);

/// What clients are granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Clients of the drive at once.
    pub clients: usize,
    /// Bytes that wait for all clients together. Whoever holds most is dropped beyond it.
    pub held: usize,
    /// Who has not chosen a device by then, or does not take its last answers, is dropped.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { clients: 1024, held: 2 << 30, patience: Duration::from_secs(10) }
    }
}

/// What is left of the limits.
#[derive(Default)]
pub(super) struct Room {
    pub(super) limits: Limits,
    /// Bytes that wait for all clients.
    pub(super) held: usize,
    told: Option<Instant>,
    paused: Option<Instant>,
}

impl Room {
    /// Requests of one client may be answered with so many bytes before more are taken: less when
    /// half of all room is gone.
    pub(super) fn most_owed(&self) -> usize {
        if self.held < self.limits.held / 2 { 64 << 20 } else { 8 << 20 }
    }

    /// Whether it is time to say that clients are refused.
    pub(super) fn tells(&mut self) -> bool {
        let due = self.told.is_none_or(|told| told.elapsed() >= REMIND);
        if due {
            self.told = Some(Instant::now());
        }
        due
    }

    /// No client is taken for a while.
    pub(super) fn pause(&mut self) {
        self.paused = Some(Instant::now());
    }

    /// Whether clients are taken again from now on, after a pause.
    pub(super) fn resumes(&mut self) -> bool {
        let due = self.paused.is_some_and(|since| since.elapsed() >= PAUSE);
        if due {
            self.paused = None;
        }
        due
    }
}

/// Lets this process have a descriptor for each client that [`Limits`] allow, if its hard limit
/// does. Returns how many descriptors it can have, and how many it would need.
pub fn raise_descriptors(limits: &Limits) -> (u64, u64) {
    let clients = u64::try_from(limits.clients + MOST_CONTROLS).unwrap_or(u64::MAX);
    let needed = clients.saturating_add(OTHER_DESCRIPTORS);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` is no limit at all.
    let Some(soft) = current.filter(|soft| *soft < needed) else {
        return (current.unwrap_or(u64::MAX), needed);
    };
    let wanted = maximum.map_or(needed, |hard| hard.min(needed));
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => (wanted, needed),
        Err(_) => (soft, needed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_raised_and_never_lowered() {
        let before = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let (have, needed) = raise_descriptors(&Limits { clients: 8, ..Limits::default() });
        assert!(have >= before && needed == 8 + 64 + 128, "{have} of {needed}, {before} before");
    }

    #[test]
    fn a_refusal_is_told_once_in_a_while() {
        let mut room = Room::default();
        assert!(room.tells() && !room.tells());
    }

    #[test]
    fn a_pause_ends_once() {
        let mut room = Room::default();
        assert!(!room.resumes());
        room.pause();
        assert!(!room.resumes());
        std::thread::sleep(PAUSE);
        assert!(room.resumes() && !room.resumes());
    }
}
