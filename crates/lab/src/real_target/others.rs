//! What others do on the drives while fio runs: their counters, less what fio moved.

use real::device::Device;
use real::{Moved, System};
use stats::RunResult;

/// Share of all bytes that others may move before it is said.
const MOST: f64 = 0.005;
/// Bytes that are nobody's load: the kernel looks for partitions when a drive is closed.
const LOOKED_AT: f64 = 8e6;

/// The drives that belong to a test alone.
pub(super) struct Others {
    devices: Vec<Device>,
    before: Option<u64>,
}

impl Others {
    /// Of block devices that are tested; on a drive below a file others may do as they please.
    pub(super) fn of(devices: Vec<Device>) -> Self {
        Self { devices, before: None }
    }

    fn moved(&self, system: &System) -> Option<u64> {
        Moved::of_all(system, &self.devices).map(Moved::both)
    }

    /// A run begins.
    pub(super) fn begin(&mut self, system: &System) {
        self.before = self.moved(system);
    }

    /// A run without a ramp has ended: bytes that were not fio's.
    pub(super) fn end(&mut self, system: &System, result: &RunResult) -> Option<f64> {
        let (before, now) = (self.before.take()?, self.moved(system)?);
        Some((now.checked_sub(before)? as f64 - fio(result)).max(0.0))
    }

    /// What is to be said of it.
    pub(super) fn told(&self, bytes: f64, result: &RunResult) -> Option<String> {
        let names: Vec<&str> = self.devices.iter().map(|device| device.name.as_str()).collect();
        (bytes > MOST * fio(result) + LOOKED_AT).then(|| {
            format!(
                "{}: other programs used it while it was measured; what they moved is in the \
                 Record, as others_bytes of a step",
                names.join(", ")
            )
        })
    }
}

fn fio(result: &RunResult) -> f64 {
    let sides = result.jobs.iter().map(|job| job.read().io_bytes + job.write().io_bytes);
    sides.sum::<u64>() as f64
}
