//! Wear levelling: keeping the erase counts of groups together. One file a part.
//!
//! Dynamic levelling chooses among free groups and costs nothing; it cannot reach groups that hold
//! cold data. Static levelling moves such data, so that its groups take their share of the wear; it
//! costs copies, which the ledger counts apart.

mod dynamic;
mod fixed;

pub use dynamic::OpenFirst;
pub(super) use fixed::StaticState;

/// How the wear of groups is kept together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WearLevelling {
    /// Free groups are opened in the order in which they were freed.
    #[default]
    None,
    /// The free group with the fewest erases is opened.
    Dynamic,
    /// Dynamic; and when the erase counts of two groups differ by more than this, the data of the
    /// least erased group moves.
    Static(u32),
}

impl WearLevelling {
    /// What streams of new data and of collection open.
    pub fn open_first(self) -> OpenFirst {
        match self {
            WearLevelling::None => OpenFirst::Oldest,
            WearLevelling::Dynamic | WearLevelling::Static(_) => OpenFirst::LeastErased,
        }
    }
}
