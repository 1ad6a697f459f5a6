//! Minutes and hours of a load that warms drives up, without simulating every second of them.
//!
//! A short timed window says what a load comes to, and what each drive draws, at the present levels
//! of throttling. Between two changes of level that power is constant, so temperatures follow in
//! closed form, and the next change is known to the instant. Each combination of levels is measured
//! once: the load is taken to be the same whenever the drives are back at it. That holds for reads
//! and for steady states; a cache that fills in the meantime is not seen.

use super::failure::Failure;
use super::load::Load;
use iopath::device::heat::Heat;
use library::Surroundings;
use stats::Stretch;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A time of load that is asked for.
pub struct SoakAsked<'a> {
    /// The load.
    pub load: &'a Load,
    /// Time of the real drive, s.
    pub seconds: f64,
    /// What cools the drives; they begin as cool as the air.
    pub around: Surroundings,
}

/// What a load comes to while the levels of throttling stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Mean power of each drive, W.
    pub powers_w: Vec<f64>,
    /// What is done in a second; its energy and temperature are not looked at.
    pub second: Stretch,
}

/// How the drives were at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since the beginning.
    pub time_s: f64,
    /// Bytes moved by then.
    pub bytes: f64,
    /// Temperature of the warmest drive, degrees Celsius.
    pub celsius: f64,
    /// What was done since the moment before.
    pub stretch: Stretch,
}

/// A time of load.
#[derive(Clone, Debug, PartialEq)]
pub struct Soaked {
    /// Its moments in order, evenly spaced; the last is the end.
    pub moments: Vec<Moment>,
    /// Highest temperature of any drive, degrees Celsius.
    pub peak_c: f64,
    /// Rate before anything throttles, bytes a second.
    pub full_bytes_per_s: f64,
    /// When a drive first throttled, s, and bytes moved by then.
    pub first: Option<(f64, f64)>,
    /// Share of all drives' time that was throttled.
    pub throttled_share: f64,
    /// Times that a drive began to throttle or throttled more.
    pub transitions: u64,
    /// Mean power of all drives together, W.
    pub power_w: f64,
    /// Highest resistance from a drive's sensor to the air, K/W.
    pub resistance_k_w: f64,
}

/// Moments that are kept.
const MOMENTS: u32 = 240;
/// Changes of level after which the drives swing too fast to be followed.
const CHANGES: u32 = 200_000;

/// Lets a load act for some seconds. `measure` is asked what it comes to at levels that were not
/// met before.
pub fn walk(
    heats: &mut [Heat],
    seconds: f64,
    measure: &mut dyn FnMut(&[Heat]) -> Result<Pace, Failure>,
) -> Result<Soaked, Failure> {
    let paces = Paces { known: BTreeMap::new(), measure };
    let mut walk = Walk { heats, paces, joules: 0.0, bytes: 0.0, changes: 0, first: None };
    let mut moments = Vec::new();
    for part in 0..MOMENTS {
        let length = seconds / f64::from(MOMENTS);
        let end_s = seconds * f64::from(part + 1) / f64::from(MOMENTS);
        moments.push(walk.moment(length, end_s)?);
    }
    Ok(walk.soaked(moments, seconds))
}

/// What a load comes to by the levels of the drives.
struct Paces<'a> {
    known: BTreeMap<Vec<usize>, Pace>,
    measure: &'a mut dyn FnMut(&[Heat]) -> Result<Pace, Failure>,
}

impl Paces<'_> {
    /// At the present levels; measured when they are met first.
    fn at(&mut self, heats: &[Heat]) -> Result<&Pace, Failure> {
        match self.known.entry(heats.iter().map(Heat::level).collect()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => Ok(free.insert((self.measure)(heats)?)),
        }
    }

    /// Bytes a second before anything throttles.
    fn full_bytes_per_s(&self, drives: usize) -> f64 {
        self.known.get(&vec![0; drives]).map_or(0.0, |pace| pace.bytes_per_s)
    }
}

/// How far the drives have come.
struct Walk<'a> {
    heats: &'a mut [Heat],
    paces: Paces<'a>,
    /// Energy of all drives.
    joules: f64,
    /// Bytes moved.
    bytes: f64,
    /// Changes of level.
    changes: u32,
    /// When a drive first throttled, s, and bytes moved by then.
    first: Option<(f64, f64)>,
}

impl Walk<'_> {
    /// Walks a part of the time, from one change of level to the next.
    fn moment(&mut self, length: f64, end_s: f64) -> Result<Moment, Failure> {
        let mut left = length;
        let (mut done, joules_before) = (None::<Stretch>, self.joules);
        loop {
            if self.first.is_none() && self.heats.iter().any(|heat| heat.level() > 0) {
                self.first = Some((end_s - left, self.bytes));
            }
            let (time, here, changes) = self.step(left)?;
            done = Some(done.map_or(here, |done| done.then(here)));
            left -= time;
            if !changes {
                break;
            }
            self.changes += 1;
            if self.changes > CHANGES {
                let why = "throttling swings too fast: enter and leave it further apart";
                return Err(Failure::failed(why));
            }
        }
        let celsius = self.heats.iter().map(Heat::celsius).fold(f64::MIN, f64::max);
        let stretch = Stretch {
            seconds: length,
            joules: Some(self.joules - joules_before),
            celsius: Some(celsius),
            ..done.unwrap_or_default()
        };
        Ok(Moment { time_s: end_s, bytes: self.bytes, celsius, stretch })
    }

    /// Walks to the next change of level, or over all that is left: the time that this took, what
    /// was done in it, and whether a level changed.
    fn step(&mut self, left: f64) -> Result<(f64, Stretch, bool), Failure> {
        let pace = self.paces.at(self.heats)?;
        let each = self.heats.iter().zip(&pace.powers_w);
        let next = each.filter_map(|(heat, power)| heat.next_change(*power, left));
        let change = next.map(|(at, _)| at).reduce(f64::min);
        let time = change.unwrap_or(left);
        self.joules += pace.powers_w.iter().sum::<f64>() * time;
        self.bytes += pace.bytes_per_s * time;
        for (heat, power) in self.heats.iter_mut().zip(&pace.powers_w) {
            heat.advance(*power, time);
        }
        Ok((time, pace.second.scaled(time, 1.0), change.is_some()))
    }

    /// All of it.
    fn soaked(self, moments: Vec<Moment>, seconds: f64) -> Soaked {
        let heats = &*self.heats;
        let sum = |part: fn(&Heat) -> f64| heats.iter().map(part).sum::<f64>();
        let all_s = sum(|heat| heat.log().seconds).max(1e-12);
        let resistances = heats.iter().map(|heat| heat.config().network.resistance());
        Soaked {
            moments,
            peak_c: heats.iter().map(|heat| heat.log().peak_c).fold(f64::MIN, f64::max),
            full_bytes_per_s: self.paces.full_bytes_per_s(heats.len()),
            first: self.first,
            throttled_share: sum(|heat| heat.log().all_throttled_s()) / all_s,
            transitions: heats.iter().flat_map(|heat| &heat.log().transitions).sum(),
            power_w: self.joules / seconds.max(1e-12),
            resistance_k_w: resistances.fold(0.0, f64::max),
        }
    }
}
