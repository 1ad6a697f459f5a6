//! Reads that do not succeed at once: retries, lost pages, rebuilding from parity, and the age that
//! leads to them.

use super::Drive;
use super::cells::CellState;
use crate::device::flash::cell::age::Age;
use crate::device::flash::geometry::GroupSpan;
use crate::device::flash::nand::{Fate, PageRead, ReadOwner};
use crate::kernel::Context;
use crate::kernel::command::{CommandId, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Instant, Stream, narrow, whole};

impl<P: Payload> Drive<P> {
    /// Makes the drive as old as `age`: every block has been through it, and its data has lain
    /// since. From now on cells err. Returns false if nothing is known of the drive's cells.
    ///
    /// A drive that refreshes looks at all its data at once, as when it is switched on.
    ///
    /// # Panics
    /// If anything is in flight.
    pub fn set_age(&mut self, age: Age, now: Instant) -> bool {
        assert!(self.is_at_rest(), "a drive is given an age at rest only");
        let Some(cells) = self.config.cells.clone() else { return false };
        let (layout, pool) = (self.ftl.layout(), self.ftl.pool());
        self.health.cycles_at_start = narrow(whole(age.cycles.clamp(0.0, f64::from(u32::MAX))));
        let random = Stream::new(self.seed, &format!("{}/cells", self.config.name));
        let mut state = CellState::new(cells, age, layout, self.config.erase_bytes, pool, random);
        let due = state.patrol(pool, now);
        let slc = self.config.policies.slc.is_some();
        for group in due {
            if !slc || !self.ftl.is_slc(group) {
                self.ftl.ask_refresh(group);
            }
        }
        self.refresh_due = self.ftl.refreshes();
        self.cells = Some(Box::new(state));
        true
    }

    /// Decides what becomes of a read that is about to begin.
    #[inline]
    pub(super) fn judge(&mut self, read: &mut PageRead, now: Instant) {
        let Some(cells) = &mut self.cells else { return };
        let group = self.ftl.layout().group_of(read.unit);
        if cells.read(read, group, now) {
            self.ftl.ask_refresh(group);
            self.refresh_due |= self.ftl.refreshes();
        }
    }

    /// A page read for the host has come. Returns how many bytes of it go to the host now. A lost
    /// page is put together from the other dies of its stripe where that is possible; otherwise
    /// the command fails.
    pub(super) fn settle_fate<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        read: &PageRead,
    ) -> u32 {
        match read.fate {
            Fate::Whole => {}
            Fate::Rebuild => return 0,
            Fate::Lost if self.can_rebuild(read) => {
                context.commands.get_mut(id).remaining += self.rebuild(context, id, read);
            }
            Fate::Lost => {
                self.health.media_errors += 1;
                context.commands.get_mut(id).status = Status::MediaError;
            }
        }
        read.bytes
    }

    /// Dies that protect each other, and the first of those that `die` belongs to.
    fn stripe_of(&self, die: u32) -> (u32, u32) {
        let period = self.config.geometry.parity_period;
        (die / period * period, period)
    }

    fn can_rebuild(&self, read: &PageRead) -> bool {
        let g = &self.config.geometry;
        let asked = self.cells.as_ref().is_some_and(|cells| cells.rebuilds());
        if !asked || g.parity_period == 0 || g.span != GroupSpan::Superblock {
            return false;
        }
        let (first, period) = self.stripe_of(read.die as u32);
        first + period <= g.dies
    }

    /// Reads the same page of the other dies of the stripe. What they hold is taken to be readable:
    /// two lost pages of one stripe are too rare to be modelled. Returns how many reads these are.
    fn rebuild<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        read: &PageRead,
    ) -> u32 {
        let (first, period) = self.stripe_of(read.die as u32);
        for die in (first..first + period).filter(|&die| die != read.die as u32) {
            let other = PageRead {
                owner: ReadOwner::Host(id),
                die: narrow(die),
                retries: 0,
                fate: Fate::Rebuild,
                ..*read
            };
            self.issue(context, other);
        }
        period - 1
    }
}
