//! Refresh: rewriting data before it can no longer be read.

use crate::device::flash::cell::retry::Reading;

/// When a group is rewritten. It becomes the next victim of collection; what it still holds is
/// copied like that of any victim and counted as refreshed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RefreshPolicy {
    /// Share of the correctable raw bit error rate, at the best references, above which data is
    /// rewritten.
    pub share: f64,
    /// Reads of a block since its programming after which it is rewritten, if so many are a reason.
    pub reads: Option<f64>,
}

impl RefreshPolicy {
    /// True if a page that reads like this, in a block that was read so often, is to be rewritten.
    pub fn is_due(&self, reading: &Reading, limit: f64, reads: f64) -> bool {
        reading.best > self.share * limit || self.reads.is_some_and(|most| reads >= most)
    }
}
