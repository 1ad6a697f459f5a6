//! Separation by the time since a unit was written last.
//!
//! The rule: a write is hot if the host has written less than `window` times the logical capacity
//! since it wrote this unit before. A unit that is rewritten soon is likely to be rewritten soon
//! again; the interval between updates is the measure by which Chiang, Lee and Chang (1999)
//! cluster data and from which Stoica and Ailamaki (2013) estimate the frequency of updates. A
//! unit that was never written is cold.
//!
//! The memory is 16 bits a unit: an epoch of one 64th of the window. The epochs repeat after 1024
//! windows, so a unit that was left alone for just so long passes for hot once; that costs one
//! misplaced unit and nothing else.

use engine::whole;

/// Epochs of one window.
const EPOCHS: u64 = 64;

/// When each unit was written last.
#[derive(Clone)]
pub(crate) struct Recency {
    /// Epoch of the last write of each unit; 0 for never.
    pub(crate) last: Vec<u16>,
    /// Host units written.
    pub(crate) written: u64,
    epoch_units: u64,
}

impl Recency {
    pub(super) fn new(logical: u32, window: f64) -> Self {
        let epoch_units = whole(logical as f64 * window / EPOCHS as f64);
        Recency { last: vec![0; logical as usize], written: 0, epoch_units: epoch_units.max(1) }
    }

    /// Notes a write and says whether it is hot.
    pub(super) fn is_hot(&mut self, logical: u32) -> bool {
        // Epochs run from 1 to 65535, so that 0 is left for "never".
        let epoch = (self.written / self.epoch_units % 65535) as u16 + 1;
        self.written += 1;
        let Some(last) = self.last.get_mut(logical as usize) else { return false };
        let before = std::mem::replace(last, epoch);
        let since = (u64::from(epoch) + 65535 - u64::from(before)) % 65535;
        before != 0 && since < EPOCHS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_is_what_was_written_within_the_window() {
        // 6400 units, a window of a tenth: 640 units, epochs of 10.
        let mut recency = Recency::new(6400, 0.1);
        assert!(!recency.is_hot(5), "never written before");
        assert!(recency.is_hot(5), "written just now");
        (0..637).for_each(|unit| assert!(!recency.is_hot(100 + unit)));
        // 638 writes since: still in the 64th epoch.
        assert!(recency.is_hot(5));
        (0..650).for_each(|unit| assert!(!recency.is_hot(1000 + unit)));
        assert!(!recency.is_hot(5), "more than a window ago");
    }

    #[test]
    fn the_epochs_wrap_without_a_stumble() {
        let mut recency = Recency::new(64, 1.0);
        (0..70_000).for_each(|_| {
            recency.is_hot(1);
        });
        assert!(recency.is_hot(1));
        assert!(!recency.is_hot(2), "never written, however often the epochs wrapped");
    }
}
