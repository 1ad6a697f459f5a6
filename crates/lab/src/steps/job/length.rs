//! How long a job is measured, and how long it runs before.

use super::pilot::{Pilot, counts_ios, fills_again};
use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use engine::whole;
use simulate::Enough;

/// Shortest and longest measured time on a model where none is given, in seconds.
const RUNTIME_S: (f64, f64) = (1.0, 60.0);

/// Shortest measured time of a point of a sweep on a model, s.
const POINT_S: f64 = 0.2;

/// Shortest time before a measurement on a model, s.
const LEAST_RAMP_S: f64 = 0.1;

/// Shortest measured time of a brief run on a model, s.
const BRIEF_S: f64 = 0.02;
/// I/Os of a brief run before its measurement, for each in it, and the most as long as write
/// buffers fill: a load that is faster than the flash looks as fast as the buffer until it is full.
const BRIEF_RAMP: f64 = 1.0;
const LONGEST_BRIEF_RAMP: f64 = 8.0;
/// The most I/Os that a brief run measures, for each that is asked for, until a wave of collection
/// is whole.
const LONGEST_BRIEF: f64 = 2.0;
/// The longest ramp of a brief run that writes, s.
const LONGEST_RAMP_S: f64 = 1.0;

/// Least time that stands for a volume, s: less has too few I/Os for a mean. Of what an SLC cache
/// takes in that time the real drive would have to be written for minutes.
const LEAST_VOLUME_S: f64 = 0.5;
const LEAST_CACHED_S: f64 = 0.02;

/// What volume caches hold is written so many times over before anything is measured, in so many
/// seconds at most: until they are full, writes are as fast as they are.
const CACHES: f64 = 4.0;
const LONGEST_FILL_S: f64 = 60.0;
/// Share of a region that writing in order to a filled drive measures at most: the few hundredths
/// that a review writes in its minutes, and more than a superblock at small scales.
const OF_A_PASS: f64 = 0.1;
/// Bytes of flash for a byte of the host's above which an array writes parity or copies as well.
const REDUNDANT: f64 = 1.1;

/// How long a job is measured.
pub struct Length {
    /// Seconds of the target's time, as far as they are known before.
    pub seconds: f64,
    /// I/Os a second where they are known, else 0.
    rate: f64,
    /// The I/Os of a run that is counted in them, and the longest that it may take, s.
    pub counted: Option<(Enough, f64)>,
}

impl Length {
    /// How long to measure. On a model a short pilot run says how fast it is. `many`: more than its
    /// share of the volume in this run would leave another drive to the next.
    ///
    /// # Errors
    /// If the pilot run fails.
    pub fn of(
        session: &mut Session<'_>,
        load: &Load,
        asked: Option<f64>,
        (volume, many): (bool, bool),
        keep_size: bool,
    ) -> Result<Self, Failure> {
        let known = |seconds: f64| Length { seconds, rate: 0.0, counted: None };
        if !session.target.modelled() {
            return Ok(known(asked.unwrap_or(RUNTIME_S.1)));
        }
        if volume {
            // The state moves with what is written: a time means a volume.
            let seconds = asked.unwrap_or(60.0) * session.target.scale();
            // An SLC cache of a part of a drive is full before long.
            let cached = session.target.slc_bytes() > 0.0;
            let least = if cached || many { LEAST_CACHED_S } else { LEAST_VOLUME_S };
            return Ok(known(seconds.clamp(least, seconds.max(RUNTIME_S.1))));
        }
        let Pilot { rate, seconds: seen, flash } = Pilot::run(session, load, keep_size)?;
        let seconds = session.options.ios as f64 / rate;
        let mut longest = asked.unwrap_or(RUNTIME_S.1).min(RUNTIME_S.1);
        if counts_ios(session, load) {
            let counted = Some((enough(session, load, rate), longest));
            return Ok(Length { seconds: seconds.clamp(BRIEF_S, longest), rate, counted });
        }
        // A sweep has many points, and each is the same drive in the same state.
        let shortest = match (session.options.brief, session.at.is_empty()) {
            (true, _) => BRIEF_S,
            (false, true) => RUNTIME_S.0.max(2.0 * seen),
            (false, false) => POINT_S.max(2.0 * seen),
        };
        if fills_again(session, load) {
            longest = longest.min(part_of_a_pass(session, load, keep_size, asked, rate));
            longest = longest.min(part_of_the_spare(session, written_a_second(load, rate), flash));
        }
        Ok(Length { seconds: seconds.clamp(shortest.min(longest), longest), rate, counted: None })
    }

    /// Time before anything is measured, s: for the buffer to fill, for collection to find its
    /// pace, and for volume caches to fill. Reads that are counted need less.
    pub fn ramp(&self, session: &Session<'_>, load: &Load) -> f64 {
        let least = match (self.counted.is_some(), load.read < 1.0) {
            (true, true) => LONGEST_RAMP_S,
            (true, false) => 0.0,
            (false, _) if session.options.brief => LEAST_RAMP_S.min(self.seconds),
            (false, _) => LEAST_RAMP_S,
        };
        (self.seconds * 0.25).clamp(least, LONGEST_RAMP_S).max(fill_time(session, load, self.rate))
    }

    /// How much of a run with so many seconds before its measurement is in it and before, for each
    /// I/O in it.
    pub fn all(&self, ramp: f64, measured_s: f64) -> f64 {
        let most = self.counted.map_or(f64::INFINITY, |_| BRIEF_RAMP * measured_s);
        1.0 + ramp.min(most) / measured_s.max(1e-9)
    }
}

/// I/Os of a run that is counted in them. A ramp in which volume caches fill is not cut.
fn enough(session: &Session<'_>, load: &Load, rate: f64) -> Enough {
    let ios = session.options.ios;
    let is_cut = fill_time(session, load, rate) == 0.0;
    let part = |of: f64| if is_cut { whole(of * ios as f64) } else { u64::MAX };
    let most_ios = whole(LONGEST_BRIEF * ios as f64);
    Enough { ramp_ios: part(BRIEF_RAMP), most_ramp_ios: part(LONGEST_BRIEF_RAMP), ios, most_ios }
}

/// Time until the volume caches of a model are full, s, at a rate of I/Os a second: each run finds
/// them as they were left at rest.
fn fill_time(session: &Session<'_>, load: &Load, rate: f64) -> f64 {
    let bytes = session.target.cache_bytes() * CACHES;
    let written = written_a_second(load, rate);
    if written > 0.0 { (bytes / written).min(LONGEST_FILL_S) } else { 0.0 }
}

/// Bytes that a load writes a second at a rate of I/Os a second.
fn written_a_second(load: &Load, rate: f64) -> f64 {
    rate * load.block as f64 * (1.0 - load.read)
}

/// Seconds of writing in order that are a small part of a pass over the region, or the time asked
/// for if that is longer on the real drive. On a drive of a fraction of the capacity the same time
/// would be passes: parity that was written more than once takes spare area then, and an array is
/// collected that on real drives is not before hours.
fn part_of_a_pass(
    session: &Session<'_>,
    load: &Load,
    keep_size: bool,
    asked: Option<f64>,
    rate: f64,
) -> f64 {
    let scale = session.target.scale();
    let kept = if keep_size { 1.0 } else { scale };
    let devices = session.target.devices().len().max(1) as f64;
    let each = load.span.unwrap_or_else(|| session.target.capacity()) as f64;
    let region = each * devices * kept;
    let written = written_a_second(load, rate);
    (OF_A_PASS * region / written.max(1.0)).max(asked.unwrap_or(0.0) * scale)
}

/// Seconds of writing in order, so many bytes a second, that use up part of the spare area: parity
/// that is written more than once for a stripe leaves stale copies, up to half of what is written.
/// The turnover before the measurement took one spare area of writes, the measurement takes one
/// more. A real array of terabytes meets no collection in the minutes of a test; a small part of it
/// did in a second, the sooner the smaller it was.
fn part_of_the_spare(session: &Session<'_>, written: f64, flash: f64) -> f64 {
    let array = session.target.members() as usize > session.target.devices().len();
    match session.target.spare_bytes() {
        Some(spare) if array && flash > REDUNDANT && written > 0.0 => spare / (written * flash),
        _ => f64::INFINITY,
    }
}

/// Share of a volume on a part of a drive that is written before the rate is measured. Each run
/// finds the write buffer empty, which holds little of the minutes of a real drive and much of the
/// part of them that is simulated.
const UNMEASURED: f64 = 0.25;

/// Time before anything is measured and measured time, s, of a volume that takes so many seconds.
pub fn in_volume(session: &Session<'_>, seconds: f64) -> (f64, f64) {
    match session.target.scale() < 1.0 {
        true => (seconds * UNMEASURED, seconds * (1.0 - UNMEASURED)),
        false => (0.0, seconds),
    }
}
