//! Wear that was not simulated erase by erase: erase counts move on by arithmetic.

use super::Ftl;
use super::pool::Pool;
use crate::kernel::payload::Payload;

impl Pool {
    /// Each group has been erased this many times more; groups that are not listed have not. What
    /// they hold stays.
    fn add_erases(&mut self, more: &[u32]) {
        for (erases, more) in self.erases.iter_mut().zip(more) {
            *erases = erases.saturating_add(*more);
        }
    }
}

impl<P: Payload> Ftl<P> {
    /// Moves the erase counts of the groups on, as a long time of the same writing would. To be
    /// called at rest, and followed by [`crate::device::flash::drive::Drive::resume`]. No block
    /// fails in these erases: a drive whose blocks do ([`super::retire`]) keeps those that it has.
    pub fn add_erases(&mut self, more: &[u32]) {
        self.forget_untimed();
        self.pool.add_erases(more);
    }
}
