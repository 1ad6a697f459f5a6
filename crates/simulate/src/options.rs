//! What a run is given besides the job file, and what it reports while it lasts.

use engine::Duration;
use trace::Replays;

/// What the host spends on an I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostCost {
    /// Processor time of the issuing thread for each I/O; also fio's submission latency. A thread
    /// never issues more than one I/O in this time.
    pub submit: Duration,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The phase that runs, from 0: a phase ends at a `stonewall`.
    pub phase: u32,
    /// Number of phases.
    pub phases: u32,
    /// Simulated time in this phase, s.
    pub simulated_s: f64,
    /// Length of the phase in simulated time, s, if its jobs end by time.
    pub asked_s: Option<f64>,
    /// I/Os completed in this run.
    pub ios: u64,
    /// I/Os that this run may take; `None` without a budget.
    pub budget_ios: Option<u64>,
}

/// How many I/Os are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enough {
    /// Before the measurement.
    pub ramp_ios: u64,
    /// Before the measurement at most: as long as the write buffers of the drives still fill, what
    /// is measured is how fast they do.
    pub most_ramp_ios: u64,
    /// In it.
    pub ios: u64,
    /// In it at most: where collection comes in waves, a whole one is measured.
    pub most_ios: u64,
}

/// Options of one run.
pub struct RunOptions<'a> {
    /// Most I/Os that the run may complete, divided over its phases; `None` runs every job to its
    /// end. A run may exceed it by some 5 %, so that its window ends on a boundary.
    pub budget_ios: Option<u64>,
    /// What is asked for is a number of I/Os in each phase, and the times of the jobs are limits: a
    /// ramp or a measurement that has so many ends, at the boundaries at which a budget ends one,
    /// and without a warning.
    pub enough: Option<Enough>,
    /// Called now and then.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Window of the series in the result.
    pub window: Duration,
    /// Cost of an I/O on the host.
    pub host: HostCost,
    /// Draw other patterns for every seed and run, also where a job says `randrepeat=1` (fio's
    /// default): for repetitions from which an uncertainty is to be computed.
    pub reseed: bool,
    /// Readers in order begin anywhere in their regions, by seed and run, and go round: what they
    /// read in a window is then a sample of all, and how their places lie to each other is not
    /// that of one capacity. Hard disks are read from the first track on.
    pub anywhere: bool,
    /// Regions stay the share of the drive that they are, also where they are small: for methods
    /// whose spans represent work of garbage collection.
    pub shrink: bool,
    /// Traces that have been read before; others that jobs name are read when the run begins.
    pub replays: Replays,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions {
            budget_ios: None,
            enough: None,
            progress: None,
            window: Duration::from_s(1),
            host: HostCost::default(),
            reseed: false,
            anywhere: false,
            shrink: false,
            replays: Replays::default(),
        }
    }
}
