//! Failures, rebuilds and losses of power of a modelled system.

use super::model_target::ModelTarget;
use super::target::{Failure, PowerLoss, Ran, Rebuilt, Target, Work};
use engine::Duration;
use iopath::raid::RaidStatus;
use stats::{PhaseKind, Timeline};

/// Simulated time of one look at a rebuild or resync.
const STEP: Duration = Duration::from_ms(250);
/// Looks after which what is left is computed from the pace so far, which is steady.
const LOOKS: u32 = 8;
/// Most looks at an array whose pace cannot be seen: one that does not get on is an error.
const MOST_LOOKS: u32 = 400;

/// Takes a drive out.
pub(super) fn fail_member(target: &mut ModelTarget, member: u32) -> Result<(), Failure> {
    if target.rig.array().is_none() {
        return Err(Failure::left_out("the target is no array: none of its drives can fail alone"));
    }
    target.rig.fail_member(member as usize);
    Ok(())
}

/// Puts a new drive in and lets the array rebuild it.
pub(super) fn rebuild(
    target: &mut ModelTarget,
    member: u32,
    work: Option<&Work<'_>>,
) -> Result<Rebuilt, Failure> {
    target.rig.replace_member(member as usize).map_err(Failure::left_out)?;
    let bytes = target.rig.member_bytes().unwrap_or(0) as f64;
    let recovery = recover(target, work)?;
    let scale = target.scale();
    Ok(Rebuilt { seconds: recovery.seconds / scale, bytes: bytes / scale, load: recovery.load })
}

/// An array that got whole again.
struct Recovery {
    /// Time until it was, s, as simulated.
    seconds: f64,
    /// All of it over what was simulated.
    factor: f64,
    /// What a load got in the first window.
    load: Option<Ran>,
}

/// Lets an array get whole again, under a load or without. The pace is steady, so that it is
/// simulated for some windows; the rest follows from it and is done without time.
fn recover(target: &mut ModelTarget, work: Option<&Work<'_>>) -> Result<Recovery, Failure> {
    let begun = target.rig.now();
    let (mut load, mut first, mut looks) = (None, None, 0);
    let (mut line, kind) = (Timeline::new(), Some(PhaseKind::Rebuild));
    while !target.rig.is_whole() {
        match work {
            Some(work) => {
                let us = STEP.ps() / 1_000_000;
                let ran = target.run(&Work { ramp_us: 0, runtime_us: us, ..*work })?;
                load = load.or(Some(ran));
                line.append(&target.seen.take().unwrap_or_default(), "rebuild", kind, 1.0, 1.0);
            }
            None => line.append(&target.rig.idle(STEP), "rebuild", kind, 1.0, 1.0),
        }
        looks += 1;
        let share = target.rig.array().and_then(done);
        let at = target.rig.now().since(begun).as_s();
        first = first.or(share.map(|share| (at, share)));
        if let (Some((then, was)), Some(share), true) = (first, share, looks >= LOOKS)
            && share > was
            && at > then
        {
            let pace = (share - was) / (at - then);
            target.rig.finish_recovery();
            let rest = (1.0 - share) / pace;
            let seconds = at + rest;
            // What is not simulated is as what was.
            let seen = line.total().filter(|seen| seen.seconds > 0.0);
            let stretch = seen.map(|seen| seen.scaled(rest / seen.seconds, 1.0));
            stretch.into_iter().for_each(|stretch| line.push(stretch));
            target.seen = Some(line);
            return Ok(Recovery { seconds, factor: 1.0 / share, load });
        }
        if looks >= MOST_LOOKS {
            return Err(Failure::failed("the array does not get whole again"));
        }
    }
    let seconds = target.rig.now().since(begun).as_s();
    target.seen = Some(line);
    Ok(Recovery { seconds, factor: 1.0, load })
}

fn done(status: RaidStatus) -> Option<f64> {
    status.rebuilt.or(status.resynced).map(|share| share.fraction())
}

/// Loses power at the end of a load's time, and waits until the array agrees again.
pub(super) fn power_cut(target: &mut ModelTarget, work: &Work<'_>) -> Result<PowerLoss, Failure> {
    let load = work.load.on_devices(target.rig.devices().len());
    let file = load.parse(work.ramp_us, work.runtime_us)?;
    let options = target.options();
    let after = Duration::from_us(work.ramp_us) + Duration::from_us(work.runtime_us);
    let lost = target.rig.cut_power(&file, &options, after)?;
    let moved = |target: &ModelTarget| target.rig.moved_bytes() as f64;
    let before = moved(target);
    let mut recovery = Recovery { seconds: 0.0, factor: 1.0, load: None };
    if target.rig.array().is_some() {
        // Power is back, and the array looks at itself.
        target.rig.idle(Duration::from_us(1));
        recovery = recover(target, None)?;
    }
    let scale = target.scale();
    Ok(PowerLoss {
        lost_bytes: lost as f64,
        resync_bytes: (moved(target) - before) * recovery.factor / scale,
        resync_s: recovery.seconds / scale,
    })
}
