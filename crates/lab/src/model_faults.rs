//! Failures, rebuilds and losses of power of a modelled system.

use super::failure::Failure;
use super::model_target::ModelTarget;
use super::target::{PowerLoss, Ran, Rebuilt, Target, Work};
use engine::{Duration, whole};
use stats::{PhaseKind, Timeline};

/// Windows of a rebuild or resync at its lower limit that one look at it takes.
const WINDOWS: f64 = 4.0;
/// Shortest and longest simulated time of one look, s.
const LOOK_S: (f64, f64) = (1.0, 60.0);
/// Most looks at an array whose pace cannot be seen: one that does not get on is an error.
const MOST_LOOKS: u32 = 100;

/// An array that got whole again.
struct Recovered {
    /// Time until it was, s, as simulated.
    seconds: f64,
    /// All of it over what was simulated.
    factor: f64,
    /// What a load got in the first look.
    load: Option<Ran>,
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

    /// Lets an array get whole again, under a load or without. The pace is steady, so that it is
    /// simulated for some windows; the rest follows from it and is done without time. A load runs
    /// without a break for all of these windows: between two runs everything comes to rest, the
    /// timers of the array included, and a rebuild rests as long.
    fn recover(&mut self, work: Option<&Work<'_>>) -> Result<Recovered, Failure> {
        let (mut load, mut looks) = (None, 0);
        let (mut line, kind) = (Timeline::new(), Some(PhaseKind::Rebuild));
        let look_s = self.rig.sync_policy().map_or(LOOK_S.0, |policy| {
            let window_s = f64::from(policy.window) / (policy.min.base() as f64).max(1.0);
            ((WINDOWS + 0.5) * window_s).clamp(LOOK_S.0, LOOK_S.1)
        });
        let look_us = whole(look_s * 1e6);
        while !self.rig.is_whole() {
            match work {
                Some(work) => {
                    let ran = self.run(&Work { ramp_us: 0, runtime_us: look_us, ..*work })?;
                    load = load.or(Some(ran));
                    line.append(&self.seen.take().unwrap_or_default(), "rebuild", kind, 1.0, 1.0);
                }
                None => {
                    let seen = self.rig.idle(Duration::from_us(look_us));
                    line.append(&seen, "rebuild", kind, 1.0, 1.0);
                }
            }
            looks += 1;
            if self.rig.is_whole() {
                break;
            }
            let total = self.rig.member_bytes().unwrap_or(0) as f64;
            let Some(seen) = self.rig.array().map(|status| status.recovery) else { break };
            let pace = if work.is_some() { seen.busy } else { seen.idle };
            if let Some(rate) = pace.rate() {
                self.rig.finish_recovery();
                let rest = (total - seen.done as f64) / rate;
                // Windows without a load are part of what was simulated, not of what was asked.
                let seconds = if work.is_some() { total / rate } else { seen.time.as_s() + rest };
                // What is not simulated is as what was.
                let whole = line.total().filter(|seen| seen.seconds > 0.0);
                let stretch = whole.map(|whole| whole.scaled(rest / whole.seconds, 1.0));
                stretch.into_iter().for_each(|stretch| line.push(stretch));
                self.seen = Some(line);
                let factor = total / (seen.done as f64).max(1.0);
                return Ok(Recovered { seconds, factor, load });
            }
            if looks >= MOST_LOOKS {
                return Err(Failure::failed("the array does not get whole again"));
            }
        }
        let seconds = self.rig.array().map_or(0.0, |status| status.recovery.time.as_s());
        self.seen = Some(line);
        Ok(Recovered { seconds, factor: 1.0, load })
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
