//! Failures, rebuilds and losses of power of a modelled system.

use super::failure::Failure;
use super::model_target::ModelTarget;
use super::target::{PowerLoss, Ran, Rebuilt, Target, Work};
use engine::{Bandwidth, Duration, whole};
use iopath::volume::raid::Pace;
use simulate::Rig;
use stats::{PhaseKind, Timeline};

/// Windows of a rebuild or resync at its lower limit that one look at it takes.
const WINDOWS: f64 = 4.0;
/// Shortest and longest simulated time of one look, s.
const LOOK_S: (f64, f64) = (1.0, 60.0);
/// Most looks at an array whose pace cannot be seen: one that does not get on is an error.
const MOST_LOOKS: u32 = 100;

/// Part of a rebuild that the first look takes at most where the pace changes on the way.
const PART: f64 = 0.05;

/// An array that got whole again.
struct Recovered {
    /// Time until it was, s, as simulated.
    seconds: f64,
    /// All of it over what was simulated.
    factor: f64,
    /// The load beside it, in the longest look.
    load: Option<Ran>,
}

/// Follows a rebuild or resync from look to look.
struct Follow {
    /// Bytes of each member.
    total: f64,
    /// One pace from the beginning to the end.
    even: bool,
    /// Simulated time of the next look, s, and the least.
    look_s: f64,
    least_s: f64,
}

impl Follow {
    fn begin(rig: &Rig) -> Self {
        let total = rig.member_bytes().unwrap_or(0) as f64;
        let even = !rig.array_has_slc_cache();
        let rate = |limit: Bandwidth| (limit.base() as f64).max(1.0);
        let mut look_s = LOOK_S.0;
        if let Some(policy) = rig.sync_policy() {
            // Some windows at the lower limit.
            let window_s = f64::from(policy.window) / rate(policy.min);
            look_s = ((WINDOWS + 0.5) * window_s).clamp(LOOK_S.0, LOOK_S.1);
            if !even {
                look_s = look_s.min(PART * total / rate(policy.max));
            }
        }
        Follow { total, even, look_s, least_s: look_s }
    }

    /// What is left of it after `done` bytes of each member, s; `None` if one more look is needed,
    /// which is then as long as it should be.
    fn rest(&mut self, done: f64, pace: Pace) -> Option<f64> {
        let rest = (self.total - done) / pace.rate()?;
        if self.even || rest <= 0.0 {
            return Some(rest);
        }
        self.look_s = rest.max(self.least_s);
        None
    }
}

impl ModelTarget {
    /// Takes a drive out.
    pub(super) fn take_out(&mut self, member: u32) -> Result<(), Failure> {
        if self.rig.array().is_none() {
            return Err(Failure::left_out(
                "the target is no array: none of its drives can fail alone",
            ));
        }
        self.rig.fail_member(member as usize);
        Ok(())
    }

    /// Puts a new drive in and lets the array rebuild it.
    pub(super) fn rebuilt(
        &mut self,
        member: u32,
        work: Option<&Work<'_>>,
    ) -> Result<Rebuilt, Failure> {
        self.rig.hold_rebuild();
        self.rig.replace_member(member as usize).map_err(Failure::left_out)?;
        let bytes = self.rig.member_bytes().unwrap_or(0) as f64;
        let recovery = self.recover(work)?;
        let scale = self.scale();
        Ok(Rebuilt {
            seconds: recovery.seconds / scale,
            bytes: bytes / scale,
            floor: self.rig.sync_policy().map(|policy| policy.min.base() as f64),
            load: recovery.load,
        })
    }

    /// Lets an array get whole again, under a load or without. Where the pace is steady it is
    /// simulated for some windows; the rest follows from it and is done without time. Members with
    /// an SLC cache get slower on the way: all of it is simulated. A rebuild is held at its
    /// beginning: what a load meets is what it meets in the first seconds of hours. A load runs
    /// without a break for all windows of a look: between two runs everything comes to rest, the
    /// timers of the array included, and a rebuild rests as long.
    fn recover(&mut self, work: Option<&Work<'_>>) -> Result<Recovered, Failure> {
        let mut follow = Follow::begin(&self.rig);
        let (mut line, mut longest) = (Timeline::new(), None);
        for _ in 0..MOST_LOOKS {
            if self.rig.is_whole() {
                break;
            }
            let look_us = whole(follow.look_s * 1e6);
            match work {
                Some(work) => {
                    let volume = !follow.even;
                    let work = Work { ramp_us: 0, runtime_us: look_us, volume, ..*work };
                    longest = longer(longest, self.run(&work)?);
                }
                None => self.seen = Some(self.rig.idle(Duration::from_us(look_us))),
            }
            let kind = Some(PhaseKind::Rebuild);
            line.append(&self.seen.take().unwrap_or_default(), "rebuild", kind, 1.0, 1.0);
            let Some(seen) = self.rig.array().map(|status| status.recovery) else { break };
            if self.rig.is_whole() {
                break;
            }
            let pace = if work.is_some() { seen.busy } else { seen.idle };
            let Some(rest) = follow.rest(seen.done as f64, pace) else { continue };
            self.rig.finish_recovery();
            // Windows without a load are part of what was simulated, not of what was asked.
            let done = if work.is_some() { pace.time.as_s() } else { seen.time.as_s() };
            // What is not simulated is as what was.
            let whole = line.total().filter(|seen| seen.seconds > 0.0 && rest > 0.0);
            let stretch = whole.map(|whole| whole.scaled(rest / whole.seconds, 1.0));
            stretch.into_iter().for_each(|stretch| line.push(stretch));
            self.seen = Some(line);
            let factor = follow.total / (seen.done as f64).max(1.0);
            return Ok(Recovered { seconds: done + rest, factor, load: longest });
        }
        if !self.rig.is_whole() {
            return Err(Failure::failed("the array does not get whole again"));
        }
        let seconds = self.rig.array().map_or(0.0, |status| status.recovery.time.as_s());
        self.seen = Some(line);
        Ok(Recovered { seconds, factor: 1.0, load: longest })
    }

    /// Cuts the power under a load.
    pub(super) fn cut_power(&mut self, work: &Work<'_>) -> Result<PowerLoss, Failure> {
        let load = work.load.on_devices(self.rig.devices().len());
        let file = load.parse(work.ramp_us, work.runtime_us)?;
        let options = self.options();
        let after = Duration::from_us(work.ramp_us) + Duration::from_us(work.runtime_us);
        let lost = self.rig.cut_power(&file, &options, after)?;
        let moved = |target: &Self| target.rig.moved_bytes() as f64;
        let before = moved(self);
        let mut recovery = Recovered { seconds: 0.0, factor: 1.0, load: None };
        if self.rig.array().is_some() {
            // Power is back, and the array looks at itself.
            self.rig.idle(Duration::from_us(1));
            recovery = self.recover(None)?;
        }
        let scale = self.scale();
        Ok(PowerLoss {
            lost_bytes: lost as f64,
            resync_bytes: (moved(self) - before) * recovery.factor / scale,
            resync_s: recovery.seconds / scale,
        })
    }
}

/// The longer of two runs of one load.
fn longer(one: Option<Ran>, other: Ran) -> Option<Ran> {
    one.filter(|one| one.measured_s >= other.measured_s).or(Some(other))
}
