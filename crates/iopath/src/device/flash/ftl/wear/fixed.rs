//! Static wear levelling: when the spread of erase counts passes a limit, the least erased group
//! that holds data is collected, however full it is. Its data goes through a write stream of its
//! own into the most erased free group: mixed with other copies it would make collection move it
//! again and again (theory: static data mixed and separated). The group itself is opened before
//! any other.
//!
//! Moving a full group frees nothing, so levelling takes only every eighth victim at most: the
//! host is slowed, never stopped.

use crate::device::flash::ftl::pool::{GroupState, Pool};
use crate::device::flash::ftl::stream::WriteStream;
use crate::device::flash::ftl::wear::{OpenFirst, WearLevelling};

/// Of this many freed groups one may be freed for levelling.
const PACE: u64 = 8;

/// State of static wear levelling.
#[derive(Clone, Debug)]
pub(crate) struct StaticState {
    limit: u32,
    /// Where the moved data goes.
    pub(crate) stream: WriteStream,
    /// Groups freed in all when levelling took its last one.
    pub(crate) last: u64,
    /// The group that is being moved, until it is freed.
    pub(crate) group: Option<u32>,
}

impl StaticState {
    /// `None` unless the policy is static levelling.
    pub(crate) fn new(wear: WearLevelling, stream: WriteStream) -> Option<Box<Self>> {
        let WearLevelling::Static(limit) = wear else { return None };
        let stream = stream.opening(OpenFirst::MostErased);
        Some(Box::new(StaticState { limit, stream, last: 0, group: None }))
    }

    /// The group to move now, if any.
    pub(crate) fn choose(&self, pool: &Pool, released: u64) -> Option<u32> {
        if self.group.is_some() || released < self.last + PACE {
            return None;
        }
        let erases = pool.erases();
        let most = erases.iter().copied().max()?;
        let coldest = (0..pool.groups())
            .filter(|&g| pool.state(g) == GroupState::Closed && pool.is_candidate(g))
            .min_by_key(|&g| erases[g as usize])?;
        (most - erases[coldest as usize] > self.limit).then_some(coldest)
    }
}
