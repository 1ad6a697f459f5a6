//! A time of load on modelled drives: windows on the rig, closed form between them.

use super::failure::Failure;
use super::soak::{Pace, SoakAsked, Soaked, walk};
use iopath::device::heat::Heat;
use simulate::{Rig, RunOptions};

/// Ramp of a timed window, microseconds: many times what a limit of power is averaged over.
const RAMP_US: u64 = 50_000;
/// Longest window, microseconds.
const WINDOW_US: u64 = 10_000_000;
/// Events of a window and its ramp. They end it while the load is still there: what a drive draws
/// after its last command is not to be spread over it.
const IOS: u64 = 40_000;

pub(super) fn soak(
    rig: &mut Rig,
    scale: f64,
    asked: &SoakAsked<'_>,
    options: RunOptions<'static>,
) -> Result<Soaked, Failure> {
    let wrong = |d: fio::Diagnostic| {
        Failure::left_out(format!("{}: {}", d.message, d.help.unwrap_or_default()))
    };
    let mut heats: Vec<Heat> = Vec::new();
    for known in rig.heats() {
        heats.push(Heat::new(asked.around.apply(known.config()).map_err(wrong)?));
    }
    if heats.is_empty() {
        return Err(Failure::left_out("the model says nothing of its heat: it has no [thermal]"));
    }
    let load = asked.load.on_devices(rig.devices().len());
    let file = load.parse(RAMP_US, WINDOW_US)?;
    let soaked = {
        let mut measure = |heats: &[Heat]| -> Result<Pace, Failure> {
            rig.set_heats(heats);
            rig.hold_heats();
            let (all, each) = rig.energies();
            let mut options = RunOptions {
                budget_ios: Some(IOS),
                shrink: asked.load.span.is_some(),
                host: options.host,
                ..RunOptions::default()
            };
            let simulated = rig.run(&file, &mut options)?;
            if let Some(broken) = simulated.broken() {
                return Err(Failure::failed(broken));
            }
            let (all_after, each_after) = rig.energies();
            // What a drive has of the power in the window it has of the energy of the run.
            let whole = (all_after - all).max(1) as f64;
            let share = each_after.iter().zip(&each).map(|(to, from)| (to - from) as f64 / whole);
            let bytes: u64 = simulated.run.jobs.iter().map(fio_bytes).sum();
            let level = 1.0 / scale;
            let total = simulated.timeline.total().filter(|total| total.seconds > 0.0);
            let second = total.map(|total| total.scaled(1.0 / total.seconds, level));
            Ok(Pace {
                second: second.unwrap_or_default(),
                bytes_per_s: bytes as f64 / simulated.measured_s.max(1e-9),
                powers_w: share.map(|share| share * simulated.mean_power_w).collect(),
            })
        };
        walk(&mut heats, asked.seconds, &mut measure)?
    };
    rig.set_heats(&heats);
    rig.skip_time(asked.seconds);
    Ok(soaked)
}

fn fio_bytes(job: &stats::JobResult) -> u64 {
    job.read().io_bytes + job.write().io_bytes
}
