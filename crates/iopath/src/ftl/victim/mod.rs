//! Which group is collected next. One file a policy; a policy sees the candidates of one lane and
//! names one of them. It must not change anything.

mod fifo;
mod greedy;

use super::pool::Pool;

/// The choice of the next group to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VictimPolicy {
    /// The group with the fewest valid units (Bux and Iliadis 2010).
    #[default]
    Greedy,
    /// The group that was closed first (Menon 1995; Robinson 1996).
    Fifo,
}

impl VictimPolicy {
    /// The group of `lane` to collect, or `None` if none is closed.
    pub fn choose(self, pool: &Pool, lane: u32) -> Option<u32> {
        match self {
            VictimPolicy::Greedy => greedy::choose(pool, lane),
            VictimPolicy::Fifo => fifo::choose(pool, lane),
        }
    }
}
