//! A modelled drive worn to its end, with what its counters promised before.

use super::failure::Failure;
use super::load::Load;
use super::model_target::ModelTarget;
use super::prewrite;
use super::target::{LifeAsked, Lived, Target, Work};
use crate::life;
use engine::{Duration, whole};
use simulate::RunOptions;
use simulate::health::About;

/// How often the drive is written before the windows begin, so that they show the workload and not
/// the state it was put on. A life is thousands of that.
const SETTLE: f64 = 2.0;
/// Superblocks that a window writes at least, and the most I/Os that it takes for that: erases come
/// one by one, and of a few of them the first and the last are much.
const LEAST_SUPERBLOCKS: f64 = 32.0;
const MOST_IOS: f64 = 4e6;
/// Length of the look at how fast the drive is, and of its ramp, in microseconds.
const PILOT_US: u64 = 100_000;

impl ModelTarget {
    /// Reads the counters over a time if that is asked, lets the drive settle, and wears it out.
    pub(super) fn live_to_the_end(&mut self, asked: &LifeAsked<'_>) -> Result<Lived, Failure> {
        if self.rig.single().is_none() {
            return Err(Failure::left_out("only a single flash drive is worn to its end"));
        }
        let rated_cycles = self.rated_cycles().ok_or_else(|| {
            Failure::left_out("the model states no rated cycles (nand.pe_cycles)")
        })?;
        let told = match asked.reading_s {
            None => None,
            Some(seconds) => Some(told(self, asked, rated_cycles, seconds)?),
        };
        (asked.watch)("looking how fast it is", 0.2);
        let (ios, bytes) = rates(self, asked.load)?;
        let scale = self.scale();
        let spanned = asked.load.span.unwrap_or(self.capacity()) as f64;
        if bytes > 0.0 {
            (asked.watch)("settling", 0.25);
            let host = plain(self);
            let seconds = SETTLE * spanned / bytes;
            prewrite::load_for(&mut self.rig, scale, seconds, asked.load, asked.seed, host)?;
        }
        // A window ends when it has written all that is addressed: more shows nothing new, but that
        // a few superblocks are no mean.
        let windows = asked.windows.max(1);
        let share = asked.ios as f64 / f64::from(windows) / ios.max(1.0);
        let all = if bytes > 0.0 { spanned * scale / bytes } else { f64::MAX };
        let least = match self.superblock_bytes() {
            Some(superblock) if bytes > 0.0 => LEAST_SUPERBLOCKS * superblock / bytes,
            _ => 0.0,
        };
        let least = least.min(MOST_IOS / ios.max(1.0));
        let runtime_us = whole(share.min(all).max(least).clamp(0.1, 3600.0) * 1e6);
        let load = asked.load.on_devices(self.rig.devices().len());
        let file = load.parse(0, runtime_us)?;
        let shrink = asked.load.span.is_some();
        let options = life::Options { rated_cycles, windows, host: self.host, shrink };
        let life = life::simulate_watched(&mut self.rig, &file, &options, &mut |share| {
            (asked.watch)("wearing it out", 0.3 + 0.7 * share);
        })?;
        Ok(Lived { life, told })
    }
}

fn plain(target: &ModelTarget) -> RunOptions<'static> {
    RunOptions { host: target.host, ..RunOptions::default() }
}

/// What the counters promise after a time.
fn told(
    target: &mut ModelTarget,
    asked: &LifeAsked<'_>,
    rated_cycles: f64,
    seconds: f64,
) -> Result<Result<smart::Interval, String>, Failure> {
    (asked.watch)(&format!("counters over {:.1} h", seconds / 3600.0), 0.0);
    let about = About {
        place: 0,
        model: target.name.clone(),
        serial: format!("{}-{}", target.name, asked.seed),
        protocol: target.protocol,
        rated_cycles: Some(rated_cycles),
    };
    let (host, scale) = (plain(target), target.scale());
    let report = life::by_counters_over(&mut target.rig, &about, |rig| {
        prewrite::load_for(rig, scale, seconds, asked.load, asked.seed, host).map(|_| ())
    })?;
    let report = report.map_err(|why| why.to_string());
    let nothing = || "the counters tell no host writes over the life".to_owned();
    Ok(report.and_then(|report| report.get("tbw").ok_or_else(nothing)))
}

/// I/Os and bytes that are written a second of the drive's time.
fn rates(target: &mut ModelTarget, load: &Load) -> Result<(f64, f64), Failure> {
    let ran = target.run(&Work {
        ramp_us: PILOT_US,
        runtime_us: PILOT_US,
        pilot: true,
        ..Work::pass(load, Duration::from_s(1))
    })?;
    let seconds = ran.measured_s.max(1e-9);
    let ios: u64 = ran.run.jobs.iter().map(stats::JobResult::total_ios).sum();
    let bytes: u64 = ran.run.jobs.iter().map(|job| job.write().io_bytes).sum();
    Ok((ios as f64 / seconds, bytes as f64 / seconds))
}
