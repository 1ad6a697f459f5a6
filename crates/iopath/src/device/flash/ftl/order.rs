//! Runs of host writes that are in order.
//!
//! A write is in order if it goes on where earlier writes ended, and they have gone on for long
//! enough. A few runs are followed at once, so that writers in order do not hide each other.

use super::Ftl;
use super::stream::WriteStream;
use crate::kernel::payload::Payload;

/// Runs followed at once: a few writers in order.
pub(super) const RUNS: usize = 8;

/// What was written side by side so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The logical unit with which it would go on.
    pub(super) next: u32,
    /// Units written so far.
    pub(super) units: u32,
}

/// The runs of the host's writes, and whether its next units are in order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Units that a run has before what follows is in order.
    after: u32,
    /// The run that was written last comes first.
    pub(super) runs: [Run; RUNS],
    pub(super) now: bool,
}

impl Order {
    pub(super) fn new(after: u32) -> Self {
        let mut runs = [Run { next: u32::MAX, units: 0 }; RUNS];
        // What fills a new drive from its first unit on is in order from there.
        runs[0] = Run { next: 0, units: u32::MAX };
        Order { after, runs, now: false }
    }

    /// Units that are still to be written from `logical` on before what follows is in order.
    fn lacks(&self, logical: u32) -> u32 {
        let found = self.runs.iter().find(|run| run.next == logical);
        self.after.saturating_sub(found.map_or(0, |run| run.units))
    }

    /// The host writes so many units from `logical` on.
    fn note(&mut self, logical: u32, units: u32) {
        let found = self.runs.iter().position(|run| run.next == logical);
        // A new run takes the place of the one that rested longest.
        let at = found.unwrap_or(RUNS - 1);
        let before = found.map_or(0, |at| self.runs[at].units);
        self.runs[..=at].rotate_right(1);
        let next = logical.wrapping_add(units);
        self.runs[0] = Run { next, units: before.saturating_add(units) };
        self.now = self.runs[0].units > self.after;
    }
}

/// The stream of the host's next units, unless a cache or a class takes them: `copies`, which
/// copies leave to what is in order, or `host`.
#[inline]
pub(super) fn stream<'a>(
    order: &Option<Box<Order>>,
    host: &'a mut WriteStream,
    copies: &'a mut WriteStream,
) -> &'a mut WriteStream {
    if is_now(order) { copies } else { host }
}

#[inline]
fn is_now(order: &Option<Box<Order>>) -> bool {
    order.as_ref().is_some_and(|order| order.now)
}

impl<P: Payload> Ftl<P> {
    /// The host's next units are these: decides whether they are in order, where that matters.
    #[inline]
    pub fn note_order(&mut self, logical: u32, units: u32) {
        if let Some(order) = &mut self.order {
            order.note(logical, units);
        }
    }

    /// What comes next is in order or not, whatever came before. Returns whether it was.
    pub(super) fn set_in_order(&mut self, now: bool) -> bool {
        self.order.as_mut().is_some_and(|order| std::mem::replace(&mut order.now, now))
    }

    /// Units from `logical` on that are not in order yet, if all that follows is.
    pub(super) fn units_before_order(&self, logical: u32) -> u32 {
        self.order.as_ref().map_or(0, |order| order.lacks(logical))
    }

    /// True if the host's next units go to the stripe of what is in order.
    #[inline]
    pub(super) fn is_in_order(&self) -> bool {
        is_now(&self.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_in_order_when_the_run_before_it_is_long_enough() {
        let mut order = Order::new(4);
        let mut write = |logical, units| {
            order.note(logical, units);
            order.now
        };
        assert!(write(0, 1) && write(1, 9), "a new drive is filled in order");
        let of_run: Vec<bool> = (20..26).map(|unit| write(unit, 1)).collect();
        assert_eq!(of_run, [false, false, false, false, true, true]);
        assert!(!write(27, 1), "a gap ends the run");
        assert!(write(26, 1), "which goes on when its next unit comes");
        assert!(write(10, 1), "as the first one does");
        assert!(write(100, 5) && !write(200, 4), "what is written at once counts as a whole");
    }

    #[test]
    fn a_few_runs_are_followed_at_once() {
        let last_of = |writers: u32| {
            let mut order = Order::new(4);
            for unit in 0..8 {
                (1..=writers).for_each(|writer| order.note(1000 * writer + unit, 1));
            }
            order.now
        };
        assert!(last_of(RUNS as u32), "one run each");
        assert!(!last_of(RUNS as u32 + 1), "one too many, and each is forgotten in its turn");
    }
}
