//! Which group is collected next. One file a policy; a policy sees the candidates of one lane and
//! names one of them. It must not change anything.

mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;
mod windowed;

use super::pool::Pool;
use engine::Stream;

/// The choice of the next group to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VictimPolicy {
    /// The group with the fewest valid units (Bux and Iliadis 2010).
    #[default]
    Greedy,
    /// The group that was closed first (Menon 1995; Robinson 1996).
    Fifo,
    /// The fewest valid units of this many groups drawn at random (Van Houdt 2013).
    DChoices(u32),
    /// The most (1 - u) age / (1 + u) (Rosenblum and Ousterhout 1992).
    CostBenefit,
    /// The fewest valid units of this many groups that were closed first (Hu et al. 2009).
    Windowed(u32),
}

/// A policy as model files name it.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The word.
    pub word: &'static str,
    /// A usual number of groups, and the most that makes sense, if a number goes with the word.
    pub groups: Option<(u32, u32)>,
    /// The policy with that number.
    pub policy: fn(u32) -> VictimPolicy,
}

/// All policies by their words.
pub const NAMED: &[Named] = &[
    Named { word: "greedy", groups: None, policy: |_| VictimPolicy::Greedy },
    Named { word: "fifo", groups: None, policy: |_| VictimPolicy::Fifo },
    Named { word: "cost-benefit", groups: None, policy: |_| VictimPolicy::CostBenefit },
    Named { word: "d-choices", groups: Some((5, 1000)), policy: VictimPolicy::DChoices },
    Named { word: "windowed", groups: Some((64, 1 << 20)), policy: VictimPolicy::Windowed },
];

/// What a policy may look at besides the groups themselves.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Units that a full group holds.
    pub full: u32,
    /// Seed of the draws of this one choice.
    pub seed: u64,
}

impl VictimPolicy {
    /// The group of `lane` to collect, or `None` if none is closed.
    pub fn choose(self, pool: &Pool, lane: u32, about: Circumstances) -> Option<u32> {
        match self {
            VictimPolicy::Greedy => greedy::choose(pool, lane),
            VictimPolicy::Fifo => fifo::choose(pool, lane),
            VictimPolicy::DChoices(d) => {
                let draws = Stream::new(about.seed, "ftl/victim");
                d_choices::choose(pool, lane, d, draws)
            }
            VictimPolicy::CostBenefit => cost_benefit::choose(pool, lane, about.full),
            VictimPolicy::Windowed(w) => windowed::choose(pool, lane, w),
        }
    }

    /// True if a choice of a full group says that no group of the lane has anything to gain. The
    /// other policies have to move a full group now and then to get past it.
    pub fn sees_all(self) -> bool {
        matches!(self, VictimPolicy::Greedy | VictimPolicy::CostBenefit)
    }
}
