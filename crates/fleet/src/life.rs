//! A fleet is lived through, slot by slot.
//!
//! Wear grows evenly in each drive, so the next thing that happens to a drive is drawn at once and
//! no month is stepped through: which of its risks comes first (competing risks).

use crate::ending::{Cause, Ending};
use crate::groups::{Groups, most_within};
use crate::hazard::{Frailty, Hazards, survive, weibull};
use crate::histogram::Histogram;
use crate::surface::Surface;
use crate::usage::Use;
use engine::{Stream, index, narrow, whole};

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
    /// Write amplification of random writes by how full a drive is.
    pub random: Surface,
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

/// A month, over all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Month {
    /// Used cycles over the rated ones of the drives in place at its end.
    pub wear: Histogram,
    /// How many of these are past the rated cycles.
    pub past_rated: u64,
    /// Drives that were gone in it, by [`Cause`].
    pub gone: [u64; Cause::ALL.len()],
}

/// What becomes of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// By month.
    pub months: Vec<Month>,
    /// Of each run: drives that were gone, by [`Cause`].
    pub gone: Vec<[u32; Cause::ALL.len()]>,
    /// Of each run: the most spares that are needed while an order is on its way.
    pub spares: Vec<u32>,
    /// Of each run: how often an array lost data.
    pub losses: Vec<u32>,
    /// Write amplification of the drives there at the start, a tenth of it.
    pub tenths_of_amplification: Histogram,
}

/// A drive in its slot.
struct Drive {
    /// Share of the rated cycles that it uses, per s.
    rate: f64,
    /// Factor on the rates of its failures.
    frailty: f64,
    /// Its age, s.
    age: f64,
}

/// Lives through a fleet so many times. The same seed gives the same drives the same use, whatever
/// they are.
pub fn live(fleet: &Fleet, seed: u64, runs: u32) -> Outcome {
    let months = index(whole(fleet.horizon / MONTH + 1e-9));
    let mut outcome = Outcome { months: vec![Month::default(); months], ..Outcome::default() };
    for run in 0..runs {
        live_once(fleet, seed.wrapping_add(u64::from(run)), &mut outcome);
    }
    outcome
}

fn live_once(fleet: &Fleet, seed: u64, outcome: &mut Outcome) {
    let (mut usage, mut chance) = (Stream::new(seed, "use"), Stream::new(seed, "chance"));
    let (mut all, mut of_group, mut losses) = (Vec::new(), Vec::new(), 0);
    let size = fleet.groups.map_or(u32::MAX, |groups| groups.drives);
    let mut gone = [0; Cause::ALL.len()];
    let mut shared = Shared::default();
    for slot in 0..fleet.drives {
        let drive = fleet.drawn(slot, seed, &mut usage, &mut shared, outcome);
        let endings = fleet.slot(drive, &mut chance, outcome);
        for ending in endings {
            gone[ending.cause as usize] += 1;
            all.push(ending.at);
            if ending.cause.is_failure() {
                of_group.push(ending.at);
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

/// The factors of the batch and the rack at hand, by their numbers.
#[derive(Default)]
struct Shared {
    batch: Option<(u32, f64)>,
    rack: Option<(u32, f64)>,
}

/// The factor of a number, kept as long as the number stays.
fn kept(known: &mut Option<(u32, f64)>, number: u32, factor: impl FnOnce() -> f64) -> f64 {
    match *known {
        Some((same, factor)) if same == number => factor,
        _ => {
            let factor = factor();
            *known = Some((number, factor));
            factor
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

    /// The drive that is in a slot at the start.
    fn drawn(
        &self,
        slot: u32,
        seed: u64,
        stream: &mut Stream,
        shared: &mut Shared,
        outcome: &mut Outcome,
    ) -> Drive {
        let usage = &self.usage;
        let writes = usage.writes.draw(stream);
        let fill = usage.fill.draw(stream);
        let celsius = usage.temperature.draw(stream);
        let age = usage.age.draw(stream);
        let in_order = stream.unit() < usage.in_order;
        let amplification = if in_order { self.in_order } else { self.random.value(fill) };
        outcome.tenths_of_amplification.add(amplification / 10.0);
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
        let rate = writes * amplification / self.flash_writes;
        Drive { rate, frailty: batch * rack * warm, age }
    }

    /// What becomes of a slot until the horizon.
    fn slot(&self, mut drive: Drive, chance: &mut Stream, outcome: &mut Outcome) -> Vec<Ending> {
        let (mut endings, mut now) = (Vec::new(), 0.0);
        loop {
            let ending = self.ending(&drive, chance);
            let end = now + ending.at;
            self.watch(&drive, now, end, outcome);
            if end >= self.horizon || endings.len() >= MOST {
                return endings;
            }
            let month = index(whole(end / MONTH));
            if let Some(month) = outcome.months.get_mut(month) {
                month.gone[ending.cause as usize] += 1;
            }
            endings.push(Ending { at: end, ..ending });
            (now, drive.age) = (end, 0.0);
        }
    }

    /// How a drive of an age ends, and how long from now: the first of what can happen to it.
    fn ending(&self, drive: &Drive, chance: &mut Stream) -> Ending {
        let hazards = &self.hazards;
        let never = Ending { at: f64::INFINITY, cause: Cause::Random };
        let mut first = never;
        let mut or = |at: f64, cause: Cause| {
            if at < first.at {
                first = Ending { at: at.max(0.0), cause };
            }
        };
        if hazards.random > 0.0 {
            or(chance.exponential() / (hazards.random * drive.frailty), Cause::Random);
        }
        if let Some(infant) = hazards.infant {
            let (weak, draw) = (chance.unit(), chance.exponential());
            // One that has come so far is weak less often than a new one.
            let share = (infant.share * drive.frailty).min(1.0);
            let alive = share * survive(infant.time, infant.shape, drive.age);
            if weak < alive / (alive + 1.0 - share).max(f64::MIN_POSITIVE) {
                let end = weibull(infant.time, infant.shape, drive.age, draw);
                or(end - drive.age, Cause::Infant);
            }
        }
        let wear = drive.rate * drive.age;
        if let Some(flash) = hazards.wear_out {
            let life = weibull(flash.life, flash.shape, wear, chance.exponential());
            or((life - wear) / drive.rate, Cause::WearOut);
        }
        if let Some(limit) = self.retire_at {
            or((limit - wear) / drive.rate, Cause::Retired);
        }
        first
    }

    /// Notes the wear of a drive at the ends of the months in which it is in place.
    fn watch(&self, drive: &Drive, from: f64, until: f64, outcome: &mut Outcome) {
        let first = index(whole(from / MONTH));
        for (number, month) in (first..).zip(outcome.months.iter_mut().skip(first)) {
            let at = f64::from(narrow::<u32>(number) + 1) * MONTH;
            if at > until {
                return;
            }
            let wear = drive.rate * (drive.age + at - from);
            month.wear.add(wear);
            month.past_rated += u64::from(wear > 1.0);
        }
    }
}
