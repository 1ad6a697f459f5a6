//! Hours of writing before a measurement, without simulating every second of them.
//!
//! Short timed windows say at what rate the drive writes in its present state; between them the
//! same FTL writes as much as the drive would have in that time, without time. On a drive at a
//! fraction of its capacity a second of a timed window stands for a second over the fraction, and
//! volumes shrink with it.

use super::bench::JobText;
use crate::review::Pattern;
use crate::simulate::{Rig, RunOptions};
use engine::Stream;
use fio::Diagnostic;

/// Parts into which the time is cut; the rate is measured again in each.
const PARTS: u32 = 48;
/// Length of a timed window and of its ramp, in microseconds of simulated time.
const WINDOW_US: (u64, u64) = (60_000, 60_000);

/// Writes for `seconds` of the real drive's time. `scale` is simulated over real capacity.
pub(super) fn write_for(
    rig: &mut Rig,
    scale: f64,
    seconds: f64,
    job: &JobText,
    seed: u64,
) -> Result<(), Diagnostic> {
    let mut stream = Stream::new(seed, "prewrite");
    let mut cursor = 0u64;
    let mut elapsed = 0.0;
    let part = seconds / PARTS as f64;
    while elapsed < seconds {
        let (ramp, window) = WINDOW_US;
        let file = job.parse(ramp, window)?;
        let mut options = RunOptions { host: job.host, audit: false, ..Default::default() };
        let simulated = rig.run(&file, &mut options)?;
        elapsed += (ramp + window) as f64 / 1e6 / scale;
        let writes = simulated.run.jobs[0].write();
        let bytes_per_s = writes.io_bytes as f64 / simulated.measured_s.max(1e-9);
        let rest = (part.min(seconds - elapsed)).max(0.0);
        elapsed += rest;
        let unit = rig.config().geometry.unit_bytes as u64;
        let block = (job.block / unit).max(1);
        let blocks = (bytes_per_s * rest * scale) as u64 / (block * unit);
        let ftl = rig.ftl_mut();
        let places = ftl.map().logical_units() as u64 / block;
        for _ in 0..blocks {
            let place = match job.pattern {
                Pattern::Random => stream.below(places),
                Pattern::Sequential => {
                    cursor = (cursor + 1) % places;
                    cursor
                }
            };
            for unit in place * block..(place + 1) * block {
                ftl.write(unit as u32, ());
            }
        }
    }
    Ok(())
}
