//! Padding: pages and word lines that end before they are full.

use super::Ftl;
use super::policies::Padding;
use crate::kernel::payload::Payload;

impl<P: Payload> Ftl<P> {
    /// A command of the host has placed its last unit.
    #[inline]
    pub fn end_command(&mut self) {
        if self.policies.padding == Padding::Page {
            self.pad_page();
            if self.order.is_some() {
                let ready = &mut self.ready;
                let lost = self.copies.pad_page(&self.layout, &mut self.pool, ready);
                self.count_padding(lost);
            }
        }
    }

    /// Ends the page of the host's stripe, which copies may share, and those of its classes.
    pub(super) fn pad_page(&mut self) {
        let mut lost = self.host.pad_page(&self.layout, &mut self.pool, &mut self.ready);
        for stream in self.separated.iter_mut().flat_map(|separated| &mut separated.streams) {
            lost += stream.pad_page(&self.layout, &mut self.pool, &mut self.ready);
        }
        self.count_padding(lost);
    }

    fn count_padding(&mut self, lost: u32) {
        self.space -= lost as i64;
        self.ledger.padding += lost as u64;
    }

    /// Closes the host's unfinished word lines with padding so that they can be programmed.
    pub fn pad_host(&mut self) {
        let mut lost = self.host.pad(&self.layout, &mut self.pool, &mut self.ready);
        if let Some(slc) = &mut self.slc {
            let was_open = slc.stream.is_open();
            lost += slc.stream.pad(&self.layout, &mut self.pool, &mut self.ready);
            if was_open && !slc.stream.is_open() {
                slc.filled();
            }
        }
        for stream in self.separated.iter_mut().flat_map(|separated| &mut separated.streams) {
            lost += stream.pad(&self.layout, &mut self.pool, &mut self.ready);
        }
        if self.order.is_some() {
            lost += self.copies.pad(&self.layout, &mut self.pool, &mut self.ready);
        }
        self.count_padding(lost);
    }
}
