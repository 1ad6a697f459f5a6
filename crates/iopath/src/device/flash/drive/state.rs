//! States of a drive at rest: taken out, put in, and what a power cut leaves of one.

use super::Drive;
use crate::device::flash::ftl::stream::Source;
use crate::device::flash::ftl::{Ftl, Mark};
use crate::device::health::Health;
use crate::kernel::payload::Payload;
use crate::kernel::spread::Spread;
use engine::{Stream, index, narrow, whole};

/// How a drive is brought into a state without simulating time.
#[derive(Clone, Debug, PartialEq)]
pub enum DriveState {
    /// Nothing was ever written.
    Fresh,
    /// Every logical unit that a namespace holds written once, in order.
    Filled,
    /// The steady state of uniform random writes over this share (0 to 1) of the logical space: of
    /// several namespaces over the first part of each.
    Steady(f64),
    /// The same with writes of this many units each, aligned to them.
    SteadyRuns(f64, u32),
}

impl DriveState {
    /// Units of each of the random writes that lead to it.
    pub fn run(&self) -> u32 {
        match self {
            DriveState::SteadyRuns(_, run) => (*run).max(1),
            DriveState::Fresh | DriveState::Filled | DriveState::Steady(_) => 1,
        }
    }
}

impl<P: Payload> Drive<P> {
    /// Brings a fresh drive into a state.
    pub fn prepare(&mut self, state: &DriveState, stream: &mut Stream) {
        self.prepare_member(state, None, stream);
    }

    /// The same for a member of a volume, whose random writes come down to it as `spread` says.
    /// Returns whether it took next to no time: nothing was written at random.
    pub fn prepare_member(
        &mut self,
        state: &DriveState,
        spread: Option<&Spread>,
        stream: &mut Stream,
    ) -> bool {
        let mut is_quick = true;
        match state {
            DriveState::Fresh => {}
            DriveState::Filled => {
                for (first, units) in self.parts(1.0) {
                    self.ftl.write_in_order(first, units, P::default());
                }
                self.ftl.return_lent();
            }
            DriveState::Steady(share) | DriveState::SteadyRuns(share, _) => {
                match self.parts(*share)[..] {
                    [(0, live)] if self.ftl.has_law(live, state.run(), spread) => {
                        self.ftl.construct_steady(live, state.run(), spread, stream);
                    }
                    ref parts => {
                        is_quick = false;
                        self.write_until_steady(parts, stream);
                    }
                }
            }
        }
        if matches!(state, DriveState::Filled) {
            self.ftl.write_map();
        }
        self.resume();
        is_quick
    }

    /// The first `share` of each namespace that a host could write, in units: first and number.
    /// Namespaces that are the whole drive together are one part.
    fn parts(&self, share: f64) -> Vec<(u32, u32)> {
        let logical = self.ftl.map().logical_units();
        if self.namespaces.gaps().is_empty()
            && (share >= 1.0 || self.namespaces.iter().count() == 1)
        {
            return vec![(0, shared(logical, share))];
        }
        let unit =
            |bytes: u64| -> u32 { narrow((bytes / self.unit_bytes).min(u64::from(logical))) };
        let part = |held: crate::device::flash::drive::Namespace| {
            let units = unit(held.end().next_multiple_of(self.unit_bytes)) - unit(held.start);
            (unit(held.start), shared(units, share))
        };
        self.namespaces.iter().map(|(_, held, _)| part(held)).collect()
    }

    /// Uniform random writes of one unit over some parts of the space until amplification has
    /// settled. Theory (gc_theory: transient after a sequential fill) needs 0.3 drive writes with 7
    /// % of spare and 2.2 with 72 %: three times the spare, and half a drive write. With more spare
    /// than data a group holds next to nothing when its turn comes, so one turn and a little are
    /// enough.
    fn write_until_steady(&mut self, parts: &[(u32, u32)], stream: &mut Stream) {
        for &(first, units) in parts {
            self.ftl.write_in_order(first, units, P::default());
        }
        let spare = self.ftl.spare_units().max(0) as u64 / self.ftl.full_size() as u64;
        let live: u64 = parts.iter().map(|&(_, units)| u64::from(units)).sum();
        if live == 0 {
            return;
        }
        let mut left = spare + 2 * spare.min(live) + live / 2;
        let mut ahead = [0; AHEAD];
        while left > 0 {
            let batch = &mut ahead[..index(left.min(AHEAD as u64))];
            for unit in &mut *batch {
                *unit = pick(parts, stream.below(live));
                self.ftl.map().prefetch(*unit);
            }
            for &unit in &*batch {
                self.ftl.write(unit, P::default());
                self.ftl.end_command();
            }
            left -= batch.len() as u64;
        }
    }

    /// Deallocates every unit that is wholly inside a range of the drive, in zero time; call
    /// [`Drive::resume`] before time continues.
    pub fn deallocate(&mut self, start: u64, len: u64) {
        let logical = u64::from(self.ftl.map().logical_units());
        let (first, end) = (start.div_ceil(self.unit_bytes), (start + len) / self.unit_bytes);
        for unit in first..end.min(logical) {
            self.ftl.trim(narrow(unit));
        }
    }

    /// The FTL, to change in zero time; call [`Drive::resume`] before time continues.
    pub fn ftl_mut(&mut self) -> &mut Ftl<P> {
        self.ftl.set_stored(self.ftl.full_size());
        &mut self.ftl
    }

    /// Puts a state in that was taken from a drive of the same configuration.
    ///
    /// # Panics
    /// If anything is in flight, or the layouts differ.
    pub fn set_ftl(&mut self, ftl: Ftl<P>) {
        assert!(self.is_at_rest(), "a state is put in at rest only");
        assert_eq!(ftl.layout().geometry, self.config.geometry, "the state of another drive");
        self.ftl = ftl;
        self.ftl.set_seed(self.ftl_seed);
        self.resume();
    }

    /// Puts the counters of an earlier life in.
    pub fn set_health(&mut self, health: Health) {
        self.health = health;
    }

    /// Marks what the flash holds, to come back to it.
    pub fn mark(&mut self) -> Mark<P> {
        self.ftl.mark()
    }

    /// Makes the flash hold what it held at the last mark.
    ///
    /// # Panics
    /// If anything is in flight, or there is no mark.
    pub fn go_back(&mut self, mark: &Mark<P>) {
        assert!(self.is_at_rest(), "a state is put in at rest only");
        self.ftl.go_back(mark);
        self.resume();
    }

    /// Makes the timed part agree with an FTL that was changed in zero time: what is in unfinished
    /// word lines is in the buffer, everything else on the flash.
    pub fn resume(&mut self) {
        self.ftl.forget_untimed();
        if let Some(ahead) = &mut self.read_ahead {
            ahead.forget();
        }
        let layout = self.ftl.layout().clone();
        self.stripes = super::stripes::Stripes::new(&layout);
        for stream in self.ftl.streams().filter(|stream| stream.is_open()) {
            let rows = (0..layout.geometry.dies).map(|die| stream.finished_rows(die));
            self.stripes.open(stream.groups(), stream.lines(), rows);
        }
        self.buffer.hold(self.ftl.unfinished_units(Source::Host));
        self.copies.hold(self.ftl.unfinished_units(Source::Copy));
        if let Some(cells) = &mut self.cells {
            cells.catch_up(self.ftl.pool());
        }
    }
}

/// Random writes that are drawn ahead, so that none waits for its entry of the map.
const AHEAD: usize = 8;

/// A share of `units`, one at least.
fn shared(units: u32, share: f64) -> u32 {
    narrow(whole(f64::from(units) * share).clamp(1, u64::from(units.max(1))))
}

/// The unit of a number among those of all parts.
fn pick(parts: &[(u32, u32)], number: u64) -> u32 {
    let mut left = number;
    for &(first, units) in parts {
        if left < u64::from(units) {
            return first + narrow::<u32>(left);
        }
        left -= u64::from(units);
    }
    unreachable!("a number beyond all parts")
}
