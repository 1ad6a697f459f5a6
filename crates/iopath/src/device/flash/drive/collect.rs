//! Collection in the foreground: pages of victims are read as the flash has time for them and their
//! valid units move on. Host writes are admitted at the pace at which space is freed, so that
//! neither side waits for a whole group.

use super::Drive;
use super::kind;
use crate::device::flash::config::Pace;
use crate::device::flash::nand::ReadOwner;
use crate::kernel::Context;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Duration, Event, Priority};

/// Programs of a die that the victims hold together, at least: some 10 ms of copying, as long as an
/// erase takes.
const LEAST_PROGRAMS: u32 = 6;

/// Units that are copied, on their way through memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Copies {
    buffered: u32,
    /// Page reads for them in flight.
    reads: u32,
    /// The cores are at a batch.
    in_batch: bool,
}

impl Copies {
    /// Units in memory or on the way there.
    pub(super) fn buffered(&self) -> u32 {
        self.buffered
    }

    /// Page reads in flight.
    pub(super) fn reads(&self) -> u32 {
        self.reads
    }

    /// Units have gone to the flash, or need not be kept.
    #[inline]
    pub(super) fn leave(&mut self, units: u32) {
        self.buffered -= units;
    }

    /// Holds `units`, as after a change in zero time.
    pub(super) fn hold(&mut self, units: u32) {
        self.buffered = units;
    }

    /// No read is in flight: the power has failed.
    pub(super) fn forget_reads(&mut self) {
        self.reads = 0;
        self.in_batch = false;
    }
}

impl<P: Payload> Drive<P> {
    /// Asks the flash for the next pages to collect, if that is wanted, as far as buffer and depth
    /// allow.
    #[inline]
    pub(super) fn collect<O: Probe<P>>(&mut self, context: &mut Context<P, O>, wanted: bool) {
        if self.copies.in_batch {
            return;
        }
        let now = context.queue.now();
        let depth = self.collection_depth();
        let (mut asked, mut wanted) = (0, Some(wanted));
        while wanted.take().unwrap_or_else(|| self.wants_copies(asked)) {
            if self.copies.reads >= depth
                || self.copies.buffered + self.slots() > self.config.buffer.copy_units
            {
                break;
            }
            let Some((first, bits)) = self.ftl.next_page() else {
                if self.ftl.victims() < self.most_victims()
                    && self.ftl.start_victim(self.collection_goal())
                {
                    // A group that held nothing is free already.
                    let moving = self.ftl.victims() > 0 && !self.in_background();
                    self.nand.set_collecting(&mut context.queue, now, moving);
                    continue;
                }
                if self.copies.reads == 0 {
                    // Nothing more will come to fill a page, and nothing more can be gained.
                    if self.ftl.holds_copies() {
                        self.copies.leave(self.ftl.release_held());
                        self.after_placing(context);
                        continue;
                    }
                    if self.ftl.victims() == 0 {
                        self.give_up_burst();
                    }
                }
                break;
            };
            self.ask_copies(context, first, bits);
            asked += bits.count_ones();
        }
        if self.ftl.victims() == 0 || self.has_paused() {
            self.nand.set_collecting(&mut context.queue, now, false);
        }
        self.serve_batch(context, asked);
    }

    /// Collects in zero time what it would be ahead of its reserve after earlier writes: a state
    /// that was built or written in zero time has the reserve alone.
    pub fn collect_ahead(&mut self) {
        if self.config.collection.pace == Pace::Paid && self.lead > 0 {
            self.ftl.collect_ahead(self.lead);
        }
    }

    /// True if nothing of the victims is left to be read and nothing is wanted. Copies that wait
    /// for others to fill a page may wait for long.
    fn has_paused(&self) -> bool {
        let has_read = self.copies.reads == 0 && !self.ftl.has_page();
        has_read && !self.ftl.wants_collection(self.collection_goal())
    }

    /// True if more is to be copied after so many units of a batch. Where copies cost the cores
    /// time, a batch that was begun is filled.
    #[inline]
    fn wants_copies(&self, asked: u32) -> bool {
        let controller = &self.config.controller;
        if controller.copy_cost == Duration::ZERO {
            return self.ftl.wants_collection(self.collection_goal());
        }
        match asked {
            0 => self.ftl.wants_collection(self.collection_goal()),
            _ => asked < controller.copy_batch && self.ftl.victims() > 0,
        }
    }

    /// The cores set up the copies of so many units; commands wait for the end of it.
    fn serve_batch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, units: u32) {
        let cost = self.config.controller.copy_cost * u64::from(units);
        if cost == Duration::ZERO {
            return;
        }
        // The cores' time is that at which commands known now begin.
        let begin = context.queue.now() + self.config.link.command_latency;
        let end = self.cores.serve(begin, cost);
        self.copies.in_batch = true;
        let event = Event { node: self.node, kind: kind::COPIES, argument: 0 };
        context.queue.push(end, Priority::Normal, event);
    }

    /// The cores have set up a batch of copies.
    pub(super) fn on_batch<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.copies.in_batch = false;
        self.go_on(context);
    }

    fn slots(&self) -> u32 {
        self.ftl.layout().slots
    }

    /// Page reads for collection in flight at once: enough to keep every plane supplied.
    fn collection_depth(&self) -> u32 {
        4 * self.config.geometry.dies
    }

    /// Victims at once: one a lane, two at least, and together a few programs of each die. A die
    /// that erases holds up the last pages of its victims; short blocks would leave nothing else to
    /// read meanwhile, which long ones do.
    fn most_victims(&self) -> usize {
        let geometry = &self.config.geometry;
        let programs = geometry.programs();
        let least = LEAST_PROGRAMS.div_ceil(programs).max(2);
        self.ftl.layout().lanes.max(least) as usize
    }

    /// Reads the valid units of one page for collection.
    fn ask_copies<O: Probe<P>>(&mut self, context: &mut Context<P, O>, first: u32, bits: u32) {
        self.copies.buffered += self.ftl.units_in(first, bits);
        if self.stripes.in_buffer(self.ftl.layout(), first) {
            // Its word line still waits for the flash: the data is here.
            self.take_copies(context, first, bits);
            return;
        }
        self.copies.reads += 1;
        let (mut pending, mut left) = (None, bits);
        let owner = ReadOwner::Copy(bits);
        if self.ftl.layout().unit_planes > 1 {
            // The planes of a large unit sense and move together as one operation.
            let all = self.part(owner, first, 0, self.unit_bytes);
            self.issue(context, all.read);
            return;
        }
        while left != 0 {
            let unit = first + left.trailing_zeros();
            left &= left - 1;
            let bytes = self.stored_bytes(unit);
            self.ask(context, owner, unit, 0, bytes, &mut pending);
        }
        if let Some(mut last) = pending {
            last.read.unit = first;
            self.issue(context, last.read);
        }
        for slot in 0..self.slots() {
            if bits >> slot & 1 == 1 {
                self.ftl.prefetch_move(first + slot);
            }
        }
    }

    /// A page for collection has arrived.
    #[inline]
    pub(super) fn copied<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        first: u32,
        bits: u32,
    ) {
        self.copies.reads -= 1;
        self.take_copies(context, first, bits);
        self.go_on(context);
    }

    /// Moves the units of a page that are still valid.
    fn take_copies<O: Probe<P>>(&mut self, context: &mut Context<P, O>, first: u32, bits: u32) {
        let mut left = bits;
        while left != 0 {
            let unit = first + left.trailing_zeros();
            left &= left - 1;
            // What was overwritten meanwhile need not be kept.
            self.copies.leave(self.ftl.move_unit(unit));
        }
        self.after_placing(context);
    }

    /// Units have been placed: stripes may have been opened, word lines may be full.
    fn after_placing<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.ftl.has_opened() {
            self.track_opened(context.queue.now());
        }
        if self.ftl.has_ready() {
            self.send_ready(context);
        }
    }
}
