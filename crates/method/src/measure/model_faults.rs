//! Failures, rebuilds and losses of power of a modelled system.

use super::model_target::ModelTarget;
use super::target::{Failure, PowerLoss, Ran, Rebuilt, Target, Work};
use engine::Duration;
use iopath::raid::RaidStatus;

/// Simulated time of one look at a rebuild or resync.
const STEP: Duration = Duration::from_ms(250);
/// Looks after which what is left is computed from the pace so far, which is steady.
const LOOKS: u32 = 8;
/// Most looks altogether: a rebuild that does not get on is an error.
const MOST_LOOKS: u32 = 4000;

/// Takes a drive out.
pub(super) fn fail_member(target: &mut ModelTarget, member: u32) -> Result<(), Failure> {
    if target.rig.array().is_none() {
        return Err(Failure::left_out("the target is no array: none of its drives can fail alone"));
    }
    target.rig.fail_member(member as usize);
    Ok(())
}

/// Puts a new drive in and lets the array rebuild it.
///
/// The pace of a rebuild is steady, under a load as without one: it is simulated for some windows,
/// and where it is slow the rest follows from its pace.
pub(super) fn rebuild(
    target: &mut ModelTarget,
    member: u32,
    work: Option<&Work<'_>>,
) -> Result<Rebuilt, Failure> {
    target.rig.replace_member(member as usize).map_err(Failure::left_out)?;
    let bytes = target.rig.member_bytes().unwrap_or(0) as f64;
    let begun = target.rig.now();
    let mut load: Option<Ran> = None;
    let mut looks = 0;
    let mut first = None;
    while !target.rig.is_whole() {
        match work {
            Some(work) => {
                let us = STEP.ps() / 1_000_000;
                let ran = target.run(&Work { ramp_us: 0, runtime_us: us, ..*work })?;
                // The first window shows how the load meets the rebuild.
                load = load.or(Some(ran));
            }
            None => target.rig.recover(STEP),
        }
        looks += 1;
        let share = target.rig.array().and_then(done);
        let at = target.rig.now().since(begun).as_s();
        first = first.or(share.map(|share| (at, share)));
        let pace = first.zip(share).and_then(|((then, was), share)| {
            (looks >= LOOKS && share > was && at > then).then(|| (share - was) / (at - then))
        });
        if let (Some(pace), Some(share), true) = (pace, share, work.is_some()) {
            let seconds = at + (1.0 - share) / pace;
            // What was not simulated is done without a load, so that the array is whole after it.
            finish(target)?;
            return Ok(done_in(target, seconds, bytes, load));
        }
        if looks >= MOST_LOOKS {
            return Err(Failure::failed("the array does not get on with its rebuild"));
        }
    }
    let seconds = target.rig.now().since(begun).as_s();
    Ok(done_in(target, seconds, bytes, load))
}

fn done_in(target: &ModelTarget, seconds: f64, bytes: f64, load: Option<Ran>) -> Rebuilt {
    let scale = target.scale();
    Rebuilt { seconds: seconds / scale, bytes: bytes / scale, load }
}

fn done(status: RaidStatus) -> Option<f64> {
    status.rebuilt.or(status.resynced).map(|share| share.fraction())
}

fn finish(target: &mut ModelTarget) -> Result<(), Failure> {
    for _ in 0..MOST_LOOKS {
        if target.rig.is_whole() {
            return Ok(());
        }
        target.rig.recover(STEP);
    }
    Err(Failure::failed("the array does not get whole again"))
}

/// Loses power at the end of a load's time, and waits until the array agrees again.
pub(super) fn power_cut(target: &mut ModelTarget, work: &Work<'_>) -> Result<PowerLoss, Failure> {
    let file = work.load.parse(work.ramp_us, work.runtime_us)?;
    let options = target.options();
    let after = Duration::from_us(work.ramp_us + work.runtime_us);
    let lost = target.rig.cut_power(&file, &options, after)?;
    let begun = target.rig.now();
    let work_left = target.rig.array().is_some();
    let moved = |target: &ModelTarget| -> f64 {
        target
            .rig
            .drives()
            .map(|d| (d.health().host_read_bytes + d.health().host_write_bytes) as f64)
            .sum()
    };
    let before = moved(target);
    if work_left {
        target.rig.recover(Duration::from_ms(1));
        finish(target)?;
    }
    let scale = target.scale();
    Ok(PowerLoss {
        lost_bytes: lost as f64,
        resync_bytes: (moved(target) - before) / scale,
        resync_s: target.rig.now().since(begun).as_s() / scale,
    })
}
