//! When collection runs besides the foreground: on idle after a delay, between the host's reads,
//! and in bursts.

use super::{Drive, kind};
use crate::device::flash::config::Pace;
use crate::kernel::Context;
use crate::kernel::command::Op;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Event, Instant, Priority, whole_signed};

/// What the drive knows about how busy the host keeps it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Background {
    /// Commands inside that keep background work away.
    busy: u32,
    /// When the last of them ended.
    quiet_since: Instant,
    /// A timer is running.
    timer: bool,
    /// Background work runs.
    active: bool,
    /// Units that it frees beyond the reserve.
    goal: i64,
    /// A burst of foreground collection holds writes back.
    bursting: bool,
    /// Nothing new is begun until the next command: the run is over.
    resting: bool,
    slowing: Slowing,
}

/// Writes that are slowed before the reserve is reached ([`CollectionConfig::slow_units`]): each
/// unit that they take costs a part of a unit that collection has to gain, the more the closer the
/// reserve is.
///
/// [`CollectionConfig::slow_units`]: crate::device::flash::config::CollectionConfig::slow_units
#[derive(Clone, Copy, Debug, Default)]
struct Slowing {
    /// Units placed, gained by collection, and copied, when it was last looked at.
    placed: i64,
    gained: i64,
    copied: i64,
    /// What writes have not paid for yet, in [`PARTS`] of a unit.
    owed: i64,
}

/// Parts of a unit in which what is owed is counted.
const PARTS: i64 = 1024;

/// So many copies count as a unit gained, however little they gain: a drive with no more to gain
/// comes to rest, and the reserve is kept by other means.
const COPIES_FOR_A_UNIT: i64 = 16;

impl Background {
    /// Work may begin again. True if no command is in flight, so that idle time begins now.
    pub(super) fn go_on(&mut self, now: Instant) -> bool {
        self.resting = false;
        let quiet = self.busy == 0;
        if quiet {
            self.quiet_since = now;
        }
        quiet
    }

    /// No work until [`Background::go_on`].
    pub(super) fn rest(&mut self) {
        self.resting = true;
        self.active = false;
        self.goal = 0;
    }
}

impl<P: Payload> Drive<P> {
    /// Units that should be free beyond the reserve.
    #[inline]
    pub(super) fn collection_goal(&self) -> i64 {
        if self.background.bursting {
            self.burst_units()
        } else if self.config.collection.pace != Pace::Paid && !self.background.active {
            // Nothing is collected before the burst begins.
            -self.slack
        } else {
            let slow = i64::from(self.config.collection.slow_units);
            if slow > 0 && self.slowed(self.ftl.debt()).owed > 0 {
                return slow.max(self.background.goal);
            }
            self.background.goal.max(self.lead)
        }
    }

    /// What writes owe now. With a share `u` of the way to the reserve gone, a unit costs `u` units
    /// of gain: at the watermark nothing, at the reserve all that it takes.
    fn slowed(&self, debt: i64) -> Slowing {
        let way = i64::from(self.config.collection.slow_units);
        let gone = debt + way;
        let ledger = self.ftl.ledger();
        let placed = (ledger.host + ledger.padding + ledger.metadata) as i64;
        let moved = ledger.copies + ledger.folding + ledger.levelling + ledger.refresh;
        let (gained, copied) = (placed - debt, moved as i64);
        let last = &self.background.slowing;
        if gone <= 0 {
            return Slowing { placed, gained, copied, owed: 0 };
        }
        let price = gone.min(way) * PARTS / way;
        let effort = (copied - last.copied) * PARTS / COPIES_FOR_A_UNIT;
        let paid = ((gained - last.gained) * PARTS).max(effort);
        let owed = last.owed + (placed - last.placed) * price - paid;
        // What collection gains beyond its due, or cannot gain, does not add up.
        let most = 2 * self.slack * PARTS;
        Slowing { placed, gained, copied, owed: owed.clamp(-most, most) }
    }

    /// True if a write has to wait although the reserve is not reached.
    fn is_too_fast(&mut self, debt: i64) -> bool {
        self.background.slowing = self.slowed(debt);
        self.background.slowing.owed >= self.slack * PARTS && self.ftl.victims() > 0
    }

    fn burst_units(&self) -> i64 {
        match self.config.collection.pace {
            Pace::Paid => 0,
            Pace::Burst { stripes } => {
                stripes as i64 * self.ftl.layout().stripe_data_units() as i64
            }
        }
    }

    /// True if writes must wait for collection or folding.
    #[inline]
    pub(super) fn is_behind(&mut self) -> bool {
        let debt = self.ftl.debt();
        if self.config.collection.pace == Pace::Paid {
            return debt >= self.slack
                || self.ftl.fold_debt() >= self.slack
                || self.config.collection.slow_units > 0 && self.is_too_fast(debt);
        }
        self.background.bursting = if self.background.bursting {
            debt + self.burst_units() > 0
        } else {
            debt >= self.slack
        };
        self.background.bursting || self.ftl.fold_debt() >= self.slack
    }

    /// True if a burst holds writes back.
    pub(super) fn is_bursting(&self) -> bool {
        self.background.bursting
    }

    /// Nothing more can be gained: a burst that has not reached its end ends here.
    pub(super) fn give_up_burst(&mut self) {
        self.background.bursting = false;
    }

    /// True if what collection does now is not for the sake of writes that wait.
    pub(super) fn in_background(&self) -> bool {
        self.background.active && self.ftl.debt() <= 0
    }

    fn keeps_away(&self, op: Op) -> bool {
        let during_reads = self.config.collection.background.is_some_and(|b| b.during_reads);
        op != Op::Read || !during_reads
    }

    /// A command has come in.
    #[inline]
    pub(super) fn note_arrival<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: Op) {
        if !self.watched {
            return;
        }
        self.feel(context.queue.now());
        if self.config.collection.background.is_none() {
            return;
        }
        self.background.resting = false;
        if self.keeps_away(op) {
            self.background.busy += 1;
            if self.background.active {
                self.background.active = false;
                self.background.goal = 0;
                self.ftl.set_idle(false);
            }
        } else {
            self.set_timer(context);
        }
    }

    /// A command has been answered.
    #[inline]
    pub(super) fn note_answer<O: Probe<P>>(&mut self, context: &mut Context<P, O>, op: Op) {
        if self.config.collection.background.is_some() && self.keeps_away(op) {
            self.background.busy = self.background.busy.saturating_sub(1);
            if self.background.busy == 0 {
                self.background.quiet_since = context.queue.now();
                self.set_timer(context);
            }
        }
    }

    pub(super) fn set_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let Some(config) = self.config.collection.background else { return };
        if self.background.timer || self.background.active {
            return;
        }
        self.background.timer = true;
        let after = self.own_time.of_waiting(config.after);
        let at = (self.background.quiet_since + after).max(context.queue.now());
        let event = Event { node: self.node, kind: kind::IDLE, argument: 0 };
        context.queue.push(at, Priority::Timer, event);
    }

    /// The timer has run out.
    pub(super) fn on_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let Some(config) = self.config.collection.background else { return };
        self.background.timer = false;
        if self.background.busy > 0 || self.background.resting {
            return;
        }
        let after = self.own_time.of_waiting(config.after);
        if context.queue.now() < self.background.quiet_since + after {
            return self.set_timer(context);
        }
        self.background.active = true;
        let spare = self.ftl.spare_units() as f64;
        self.background.goal = whole_signed(spare * config.target.fraction());
        self.ftl.set_idle(true);
        self.go_on(context);
    }
}
