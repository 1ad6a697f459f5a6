//! A short run that says how fast a load is.

use crate::failure::Failure;
use crate::load::Load;
use crate::session::Session;
use crate::target::Work;
use engine::{Duration, whole};
use metric::{Pattern, State};
use simulate::Enough;

/// Superblocks that a pilot run writes at least, and the shortest and longest, in microseconds.
const LEAST_SUPERBLOCKS: f64 = 6.0;
const SHORTEST_PILOT_US: u64 = 50_000;
const LONGEST_PILOT_US: u64 = 6_400_000;
/// Spare areas that writing in order uses up before it is measured, and the longest run that does,
/// in microseconds.
const SPARES: f64 = 1.2;
const LONGEST_TURNOVER_US: u64 = 30_000_000;
/// What the pilot run of a run that is counted in I/Os takes at most, as a part of them, and I/Os
/// in its ramp and behind it that give any rate.
const BRIEF_PILOT: u64 = 8;
const LEAST_PILOT_IOS: u64 = 128;

/// What a short run tells of a load.
pub struct Pilot {
    /// I/Os a second.
    pub rate: f64,
    /// How long it was, s.
    pub seconds: f64,
    /// Bytes of flash for a byte of the host's.
    pub flash: f64,
}

impl Pilot {
    /// A short run. In a steady state collection comes in waves as long as it takes to write a
    /// superblock: a run that writes less than a few says nothing of the mean. Writes in order to a
    /// filled drive meet no collection before its spare area is used up once, so that much is
    /// written first. A run that is counted in I/Os needs its rate for no more than a guess.
    ///
    /// # Errors
    /// If the run fails.
    pub fn run(session: &mut Session<'_>, load: &Load, keep_size: bool) -> Result<Self, Failure> {
        let window = Duration::from_s(1);
        let (mut us, mut programmed) = (SHORTEST_PILOT_US, 0.0);
        let half = (session.options.ios / BRIEF_PILOT / 2).max(LEAST_PILOT_IOS);
        let enough = Enough { ramp_ios: half, most_ramp_ios: half, ios: half, most_ios: half };
        let enough = counts_ios(session, load).then_some(enough);
        loop {
            let (ramp_us, runtime_us) = (us, us);
            let timed = Work { ramp_us, runtime_us, keep_size, ..Work::pass(load, window) };
            let pilot = Work { pilot: true, enough, ..timed };
            let ran = session.target.run(&pilot)?;
            let ios: u64 = ran.run.jobs.iter().map(|j| j.total_ios()).sum();
            let rate = (ios as f64 / ran.measured_s.max(1e-9)).max(1.0);
            let written: u64 = ran.run.jobs.iter().map(|j| j.write().io_bytes).sum();
            let amplification = ran.write_amplification.unwrap_or(1.0);
            let flash = written as f64 * amplification;
            programmed += 2.0 * flash;
            let told = |us: u64| Pilot { rate, seconds: us as f64 / 1e6, flash: amplification };
            if load.read == 1.0 || session.state == State::Fresh || enough.is_some() {
                return Ok(told(us));
            }
            if fills_again(session, load) {
                let missing = session.target.spare_bytes().unwrap_or(0.0) * SPARES - programmed;
                if flash == 0.0 || missing <= 0.0 {
                    return Ok(told(SHORTEST_PILOT_US));
                }
                us = whole(missing / flash * us as f64 / 2.0)
                    .clamp(SHORTEST_PILOT_US, LONGEST_TURNOVER_US);
                continue;
            }
            let least = LEAST_SUPERBLOCKS * session.target.superblock_bytes().unwrap_or(0.0);
            if session.state != State::Steady || flash >= least || us >= LONGEST_PILOT_US {
                return Ok(told(us));
            }
            us *= 2;
        }
    }
}

/// Whether a run is so brief that it is counted in I/Os: the rate that its pilot run sees may be
/// that of an empty write buffer, and a time by that rate be over before the buffer is full.
pub fn counts_ios(session: &Session<'_>, load: &Load) -> bool {
    session.options.brief && !fills_again(session, load)
}

/// Whether a load writes in order over what a filled drive holds.
pub fn fills_again(session: &Session<'_>, load: &Load) -> bool {
    session.state == State::Filled && load.read < 1.0 && load.pattern == Pattern::Sequential
}
