//! What the host's software costs.

use super::jitter::Jitter;
use engine::Duration;

/// What the host's software costs.
#[derive(Clone, PartialEq, Debug)]
pub struct HostPath {
    /// Processor time of an I/O before the drive has it.
    pub submit: Duration,
    /// From the drive's completion to the thread that waits, in the mean.
    pub complete: Duration,
    /// How that varies.
    pub jitter: Jitter,
}

impl Default for HostPath {
    /// Linux, NVMe driver, direct I/O: 6 us in all (drivelab's assumption for 2020s servers), of
    /// which 1.2 us keep the submitting processor busy, which is what lets one thread reach about
    /// 800 thousand I/Os a second.
    fn default() -> Self {
        let complete = Duration::from_ns(4_800);
        HostPath { submit: Duration::from_ns(1_200), complete, jitter: Jitter::linux(complete) }
    }
}
