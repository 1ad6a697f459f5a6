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
    let mut known: BTreeMap<Vec<usize>, Pace> = BTreeMap::new();
    let (mut joules, mut bytes, mut changes) = (0.0, 0.0, 0);
    let (mut moments, mut first) = (Vec::new(), None);
    for part in 0..MOMENTS {
        let mut left = seconds / f64::from(MOMENTS);
        let (mut done, joules_before) = (None::<Stretch>, joules);
        let end_s = seconds * f64::from(part + 1) / f64::from(MOMENTS);
        loop {
            let levels: Vec<usize> = heats.iter().map(Heat::level).collect();
            if first.is_none() && levels.iter().any(|level| *level > 0) {
                first = Some((end_s - left, bytes));
            }
            let pace = match known.get(&levels) {
                Some(pace) => pace,
                None => {
                    let pace = measure(heats)?;
                    known.entry(levels).or_insert(pace)
                }
            };
            let each = || heats.iter().zip(&pace.powers_w);
            let next = each().filter_map(|(heat, power)| heat.next_change(*power, left));
            let step = next.map(|(at, _)| at).reduce(f64::min);
            let time = step.unwrap_or(left);
            joules += pace.powers_w.iter().sum::<f64>() * time;
            bytes += pace.bytes_per_s * time;
            let here = pace.second.scaled(time, 1.0);
            done = Some(done.map_or(here, |done| done.then(here)));
            for (heat, power) in heats.iter_mut().zip(&pace.powers_w) {
                heat.advance(*power, time);
            }
            left -= time;
            if step.is_none() {
                break;
            }
            changes += 1;
            if changes > CHANGES {
                let why = "throttling swings too fast: enter and leave it further apart";
                return Err(Failure::failed(why));
            }
        }
        let celsius = heats.iter().map(Heat::celsius).fold(f64::MIN, f64::max);
        let stretch = Stretch {
            seconds: seconds / f64::from(MOMENTS),
            joules: Some(joules - joules_before),
            celsius: Some(celsius),
            ..done.unwrap_or_default()
        };
        moments.push(Moment { time_s: end_s, bytes, celsius, stretch });
    }
    let unthrottled = vec![0; heats.len()];
    let sum = |part: fn(&Heat) -> f64| heats.iter().map(part).sum::<f64>();
    let all_s = sum(|heat| heat.log().seconds).max(1e-12);
    Ok(Soaked {
        moments,
        peak_c: heats.iter().map(|heat| heat.log().peak_c).fold(f64::MIN, f64::max),
        full_bytes_per_s: known.get(&unthrottled).map_or(0.0, |pace| pace.bytes_per_s),
        first,
        throttled_share: sum(|heat| heat.log().all_throttled_s()) / all_s,
        transitions: heats.iter().flat_map(|heat| &heat.log().transitions).sum(),
        power_w: joules / seconds.max(1e-12),
        resistance_k_w: heats
            .iter()
            .map(|heat| heat.config().network.resistance())
            .fold(0.0, f64::max),
    })
}
