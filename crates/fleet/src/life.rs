//! A fleet is lived through, slot by slot.
//!
//! Wear grows evenly in each drive, so the next thing that happens to a drive is drawn at once and
//! no month is stepped through: which of its risks comes first (competing risks).

use crate::ending::{Cause, Ending};
use crate::groups::{Failure, Groups, most_within};
use crate::hazard::{Frailty, Hazards, WearOut, weibull};
use crate::histogram::{Histogram, number};
use crate::surface::Surface;
use crate::usage::{Drawing, Use, Written};
use engine::{Stream, narrow};

/// A year of 365 days, s.
pub const YEAR: f64 = 365.0 * 86_400.0;
/// A twelfth of it, s.
pub const MONTH: f64 = YEAR / 12.0;
/// Drives that a slot takes at most: one that fails faster is a mistake of the plan.
const MOST: usize = 10_000;

/// Drives of one kind and what becomes of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// Slots with a drive in each; what fails is replaced.
    pub drives: u32,
    /// Bytes that the flash of a drive takes until the rated cycles are used.
    pub flash_writes: f64,
    /// Write amplification of random writes by how full a drive is, for each of their sizes.
    pub random: Vec<Surface>,
    /// Write amplification of writes in order.
    pub in_order: f64,
    /// What is asked of the drives.
    pub usage: Use,
    /// Why they fail.
    pub hazards: Hazards,
    /// Used cycles over the rated ones at which a drive is replaced.
    pub retire_at: Option<f64>,
    /// Arrays that they are in.
    pub groups: Option<Groups>,
    /// How long it goes on, s.
    pub horizon: f64,
    /// How long it takes until ordered spares are there, s.
    pub lead: f64,
}

/// A month, over all runs; the last one ends with the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Month {
    /// Used cycles over the rated ones of the drives in place at its end.
    pub wear: Histogram,
    /// How many of these are past the rated cycles.
    pub past_rated: u64,
    /// Drives that were gone in it, by [`Cause`].
    pub gone: [u64; Cause::ALL.len()],
}

/// What becomes of a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// By month.
    pub months: Vec<Month>,
    /// Of each run: drives that were gone, by [`Cause`].
    pub gone: Vec<[u32; Cause::ALL.len()]>,
    /// Of each run: the most spares that are needed while an order is on its way.
    pub spares: Vec<u32>,
    /// Of each run: how often an array lost data.
    pub losses: Vec<u32>,
    /// Used cycles over the rated ones of the drives that failed, when they did.
    pub failed_wear: Histogram,
    /// Write amplification of the slots.
    pub amplification: Histogram,
    /// Months until the first drives of the slots take no more writes, should they live: until they
    /// have used their rated cycles, or as many as half of the drives last for where
    /// [`Hazards::wear_out`] says more.
    pub read_only_after: Histogram,
    /// Slots of which drives fail so fast that no more were looked at.
    pub cut: u64,
}

/// What is true of a slot, whatever drive is in it, and of its first drive.
struct Slot {
    /// Share of the rated cycles that its drives use, per s.
    rate: f64,
    /// Factor on the rates of failures of all its drives, and of the first besides.
    rack: f64,
    batch: f64,
    /// How much faster its drives age by their temperature.
    warm: f64,
    /// How long it has been in use at the start, s.
    age: f64,
}

/// Lives through a fleet so many times. The same seed gives the same drives the same use, whatever
/// they are.
pub fn live(fleet: &Fleet, seed: u64, runs: u32) -> Outcome {
    // A part of a month is a month too.
    let months = number((fleet.horizon / MONTH - 1e-9).ceil());
    let mut outcome = Outcome { months: vec![Month::default(); months], ..Outcome::default() };
    for run in 0..runs {
        live_once(fleet, seed_of(seed, run), &mut outcome);
    }
    outcome
}

/// The seed of a run: neighbouring seeds share none.
pub(crate) fn seed_of(seed: u64, run: u32) -> u64 {
    Stream::new(seed, &format!("run/{run}")).bits()
}

fn live_once(fleet: &Fleet, seed: u64, outcome: &mut Outcome) {
    let mut drawing = Drawing::new(&fleet.usage, fleet.groups, seed);
    let mut chance = Stream::new(seed, "chance");
    let (mut all, mut of_group, mut losses) = (Vec::new(), Vec::new(), 0);
    let size = fleet.groups.map_or(u32::MAX, |groups| groups.drives);
    let mut gone = [0; Cause::ALL.len()];
    let mut shared = Shared::default();
    for slot in 0..fleet.drives {
        let drawn = fleet.drawn(slot, seed, drawing.next(), &mut shared, outcome);
        let left = fleet.cycles_of_half() / drawn.rate - drawn.age;
        outcome.read_only_after.add(left.max(0.0) / MONTH);
        let endings = fleet.live_in(&drawn, &mut chance, outcome);
        for ending in endings {
            gone[ending.cause as usize] += 1;
            all.push(ending.at);
            if ending.cause.is_failure() {
                of_group.push(Failure { at: ending.at, slot });
            }
        }
        if (slot + 1) % size == 0 || slot + 1 == fleet.drives {
            losses += fleet.groups.map_or(0, |groups| groups.losses(&mut of_group));
            of_group.clear();
        }
    }
    all.sort_by(f64::total_cmp);
    outcome.gone.push(gone);
    outcome.spares.push(most_within(&all, fleet.lead));
    outcome.losses.push(losses);
}

/// What slots of one number share: the factors of a batch and a rack.
#[derive(Default)]
struct Shared {
    batch: Option<(u32, f64)>,
    rack: Option<(u32, f64)>,
}

/// What belongs to a number, kept as long as the number stays.
fn kept(known: &mut Option<(u32, f64)>, number: u32, make: impl FnOnce() -> f64) -> f64 {
    match *known {
        Some((same, value)) if same == number => value,
        _ => {
            let value = make();
            *known = Some((number, value));
            value
        }
    }
}

impl Fleet {
    /// The batch of a slot's first drive: arrays are filled from one batch after another, or from
    /// all in turn.
    fn batch(&self, slot: u32, batch: &Frailty) -> u32 {
        match self.groups {
            Some(Groups { mixed: true, .. }) => slot % self.drives.div_ceil(batch.drives),
            _ => slot / batch.drives,
        }
    }

    /// Write amplification of what a drive is written with.
    pub fn amplification(&self, written: &Written) -> f64 {
        let random = |surface: &Surface| surface.value(written.fill);
        match written.in_order {
            true => self.in_order,
            false => self.random.get(written.block as usize).map_or(1.0, random),
        }
    }

    /// Cycles over the rated ones that half of the drives last for, as far as wear alone goes.
    fn cycles_of_half(&self) -> f64 {
        let median = |flash: WearOut| weibull(flash.life, flash.shape, std::f64::consts::LN_2);
        self.hazards.wear_out.map_or(1.0, median)
    }

    /// What is true of a slot of which the use, the temperature and the age are drawn.
    fn drawn(
        &self,
        slot: u32,
        seed: u64,
        (written, celsius, age): (Written, f64, f64),
        shared: &mut Shared,
        outcome: &mut Outcome,
    ) -> Slot {
        let amplification = self.amplification(&written);
        outcome.amplification.add(amplification);
        let hazards = &self.hazards;
        let batch = hazards.batch.map_or(1.0, |batch| {
            let number = self.batch(slot, &batch);
            kept(&mut shared.batch, number, || batch.factor(seed, "batch", number))
        });
        let rack = hazards.rack.map_or(1.0, |rack| {
            let number = slot / rack.drives;
            kept(&mut shared.rack, number, || rack.factor(seed, "rack", number))
        });
        let warm = hazards.thermal.map_or(1.0, |thermal| thermal.factor(celsius));
        let rate = written.writes * amplification / self.flash_writes;
        Slot { rate, rack, batch, warm, age }
    }

    /// What becomes of the drives in a slot until the horizon. A slot that is in use for long
    /// has lived before: what failed then was replaced, and is not told.
    fn live_in(&self, slot: &Slot, chance: &mut Stream, outcome: &mut Outcome) -> Vec<Ending> {
        let (mut endings, mut now, mut drives) = (Vec::new(), -slot.age, 0);
        // Later drives are of batches of their own.
        let mut frailty = slot.rack * slot.batch;
        loop {
            let ending = self.ending(slot, frailty, chance);
            let end = now + ending.at;
            self.watch(slot.rate, now, end, outcome);
            drives += 1;
            outcome.cut += u64::from(drives == MOST);
            if end >= self.horizon || drives == MOST {
                return endings;
            }
            if end >= 0.0 {
                if let Some(month) = outcome.months.get_mut(number(end / MONTH)) {
                    month.gone[ending.cause as usize] += 1;
                }
                if ending.cause.is_failure() {
                    outcome.failed_wear.add(slot.rate * ending.at);
                }
                endings.push(Ending { at: end, ..ending });
            }
            (now, frailty) = (end, slot.rack);
        }
    }

    /// How a new drive ends, and after how long: the first of what can happen to it.
    fn ending(&self, slot: &Slot, frailty: f64, chance: &mut Stream) -> Ending {
        let hazards = &self.hazards;
        let mut first = Ending { at: f64::INFINITY, cause: Cause::Random };
        let mut or = |at: f64, cause: Cause| {
            if at < first.at {
                first = Ending { at, cause };
            }
        };
        if hazards.random > 0.0 {
            or(chance.exponential() / (hazards.random * frailty * slot.warm), Cause::Random);
        }
        if let Some(infant) = hazards.infant {
            // Heat makes weak drives fail sooner, and no more of them.
            let (weak, draw) = (chance.unit(), chance.exponential());
            if weak < infant.share * frailty {
                or(weibull(infant.time / slot.warm, infant.shape, draw), Cause::Infant);
            }
        }
        if let Some(flash) = hazards.wear_out {
            let life = weibull(flash.life, flash.shape, chance.exponential());
            or(life / slot.rate, Cause::WearOut);
        }
        if let Some(limit) = self.retire_at {
            or(limit / slot.rate, Cause::Retired);
        }
        first
    }

    /// Notes the wear of a drive at the ends of the months in which it is in place.
    fn watch(&self, rate: f64, from: f64, until: f64, outcome: &mut Outcome) {
        let first = number(from.max(0.0) / MONTH);
        for (number, month) in (first..).zip(outcome.months.iter_mut().skip(first)) {
            let at = (f64::from(narrow::<u32>(number) + 1) * MONTH).min(self.horizon);
            if at > until {
                return;
            }
            let wear = rate * (at - from);
            month.wear.add(wear);
            month.past_rated += u64::from(wear > 1.0);
        }
    }
}
