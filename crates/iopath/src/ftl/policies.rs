//! What a translation layer decides by: the part of a drive's configuration that the FTL itself
//! needs.

use super::slc::SlcPolicy;
use super::victim::VictimPolicy;

/// The choices of one FTL. The default is what most drives do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FtlPolicies {
    /// Which group is collected next.
    pub victim: VictimPolicy,
    /// Where host data and copies go.
    pub write_points: WritePoints,
    /// What becomes of the rest of a page when a command of the host ends inside it.
    pub padding: Padding,
    /// Writing into cells that hold one bit each; `None` if the drive does not.
    pub slc: Option<SlcPolicy>,
}

/// Where host data and copies go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WritePoints {
    /// Each has a stripe of its own, so that old and new data do not mix.
    #[default]
    Separate,
    /// Both fill the same stripe.
    Shared,
}

/// What becomes of the rest of a page when a command of the host ends inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// The next command goes on there: the buffer gathers whole pages.
    #[default]
    None,
    /// It is given up: the drive keeps no user data in memory and programs what it has.
    Page,
}

impl FtlPolicies {
    /// True if the state that uniform random writes lead to is the one that
    /// [`super::Ftl::construct_steady`] builds: every unit of a closed group was data once.
    pub fn fills_groups(&self) -> bool {
        self.padding == Padding::None
    }
}

impl From<VictimPolicy> for FtlPolicies {
    fn from(victim: VictimPolicy) -> Self {
        FtlPolicies { victim, ..FtlPolicies::default() }
    }
}
