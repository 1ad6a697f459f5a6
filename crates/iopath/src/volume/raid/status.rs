//! What an array reports about itself, and what an untimed write reaches.

use super::Raid;
use crate::kernel::payload::Payload;
use engine::{Duration, Ratio, narrow};

/// The state of an array in one word, the worst that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaidHealth {
    /// All members are present and agree.
    Clean,
    /// All members are present; writes are in flight, or were a moment ago.
    Dirty,
    /// Redundancy is being made to agree with the data after an unclean stop.
    Resyncing,
    /// A member is being rebuilt.
    Rebuilding,
    /// A member is missing.
    Degraded,
    /// Too many members are missing: data is lost.
    Failed,
}

/// What was done of each member, from the end of one window to that of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pace {
    /// Bytes.
    pub bytes: u64,
    /// The time between the ends.
    pub time: Duration,
}

impl Pace {
    /// Bytes a second; `None` before a second window has ended.
    pub fn rate(&self) -> Option<f64> {
        let seconds = self.time.as_s();
        (self.bytes > 0 && seconds > 0.0).then(|| self.bytes as f64 / seconds)
    }
}

/// How far the present or last rebuild or resync is, and how fast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recovery {
    /// Bytes of each member that agree.
    pub done: u64,
    /// Time that this took, rests not counted.
    pub time: Duration,
    /// The pace while commands came from above.
    pub busy: Pace,
    /// The pace while none came.
    pub idle: Pace,
}

/// The state of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaidStatus {
    /// In one word.
    pub health: RaidHealth,
    /// Slots without a member.
    pub missing: u32,
    /// Members may differ if power fails now.
    pub dirty: bool,
    /// Share of the rows that a rebuild has done.
    pub rebuilt: Option<Ratio>,
    /// Share of the rows that a resync has done.
    pub resynced: Option<Ratio>,
    /// How fast the present or last rebuild or resync is.
    pub recovery: Recovery,
    /// Bytes of the volume whose redundancy may be wrong while a member is missing: the write hole.
    pub at_risk: u64,
}

impl<P: Payload> Raid<P> {
    /// The state of the array.
    pub fn status(&self) -> RaidStatus {
        let missing = self.members.missing().count_ones();
        let share = |done: u64| {
            let total = self.layout.member_bytes().max(1);
            Ratio::from_base(narrow(done as u128 * 1_000_000 / total as u128))
        };
        let sync = self.sync.as_ref();
        let rebuilt = sync.filter(|s| s.slot.is_some()).map(|_| share(self.members.rebuilt()));
        let resynced = sync.filter(|s| s.slot.is_none()).map(|s| share(s.done));
        let dirty = self.regions.is_dirty();
        let health = match () {
            () if self.lost || self.gone => RaidHealth::Failed,
            () if missing > 0 && rebuilt.is_none() => RaidHealth::Degraded,
            () if rebuilt.is_some() => RaidHealth::Rebuilding,
            () if resynced.is_some() => RaidHealth::Resyncing,
            () if dirty => RaidHealth::Dirty,
            () => RaidHealth::Clean,
        };
        let (recovery, at_risk) = (self.follow.seen(), self.at_risk);
        RaidStatus { health, missing, dirty, rebuilt, resynced, recovery, at_risk }
    }
}
