//! What a translation layer decides by: the part of a drive's configuration that the FTL itself
//! needs.

use super::victim::VictimPolicy;

/// The choices of one FTL. The default is what most drives do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FtlPolicies {
    /// Which group is collected next.
    pub victim: VictimPolicy,
}

impl From<VictimPolicy> for FtlPolicies {
    fn from(victim: VictimPolicy) -> Self {
        FtlPolicies { victim }
    }
}
