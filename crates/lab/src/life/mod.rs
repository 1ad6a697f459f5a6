//! The life of a modelled drive under a workload, to the end of its rated cycles, without
//! simulating every second of years.
//!
//! Timed windows of the workload show what the drive does: host writes, erases of each group, time.
//! Between two windows the erase counts move on by as many windows as lead to the next share of
//! wear, group by group as the windows so far have shown, and bytes and time with them. Everything
//! else of the drive stays as the window left it: where data is, what is buffered, which blocks
//! are free. The shares of wear between windows are equal, so a drive whose write amplification
//! changes with its wear, or whose workload has phases longer than a window, is seen in as many
//! states.
//!
//! [`simulate()`] is the whole life; [`by_counters`] is what a reviewer reads from the counters
//! after a few hours. [`Comparison`] holds the two against each other.

mod advance;
mod compare;

pub use compare::{Comparison, by_counters, by_counters_over, compare};

use advance::Advance;
use fio::{Diagnostic, JobFile};
use iopath::device::health::Wear;
use simulate::health::Skipped;
use simulate::{Rig, RunOptions};

/// How a life is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Cycles that the flash is rated for: the life ends when the groups have been erased so many
    /// times in the mean, counted from now. At least 1.
    pub rated_cycles: f64,
    /// Timed windows over the life, at least 1.
    pub windows: u32,
    /// Host's cost of an I/O.
    pub host: simulate::HostCost,
    /// Whether a span of the jobs is a share of the drive that shrinks with its scale.
    pub shrink: bool,
}

/// A stretch of a life: one window and the time that it represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// Share of the rated cycles used at its end.
    pub used: f64,
    /// Seconds of the real drive.
    pub seconds: f64,
    /// Bytes that the host wrote, of the real drive.
    pub host_bytes: f64,
    /// Flash writes over host writes in its window; 0 if nothing was written.
    pub write_amplification: f64,
    /// Erases of the group erased most over the mean, at its end.
    pub spread: f64,
    /// Mean erases of a group since the life began, at its end.
    pub cycles: f64,
    /// Share of the reserve of blocks that is left at its end; `None` if the model has no blocks
    /// that fail.
    pub spare_left: Option<f64>,
}

/// Why a life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The mean of the erases has reached the rated cycles.
    RatedCycles,
    /// So many blocks have failed that the drive takes no more writes.
    ReadOnly,
    /// The workload does not wear the drive: nothing was erased in a window.
    NoWear,
}

impl End {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            End::RatedCycles => "the mean of the erases has reached the rated cycles",
            End::ReadOnly => "too many blocks have failed, and the drive takes no more writes",
            End::NoWear => "nothing was erased in a window: the load does not wear the drive",
        }
    }
}

/// A whole life.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// Seconds of the real drive.
    pub seconds: f64,
    /// Bytes that the host wrote over it, of the real drive.
    pub host_bytes: f64,
    /// Its stretches in order.
    pub phases: Vec<Phase>,
    /// Share of the life at which the group erased most had used the rated cycles, by host bytes;
    /// `None` if it never did. Far below 1 without wear levelling under static data.
    pub first_group_worn: Option<f64>,
    /// Why it ended.
    pub end: End,
}

impl Life {
    /// Bytes programmed over bytes that the host wrote, over all of it; 0 if it wrote nothing.
    pub fn write_amplification(&self) -> f64 {
        let flash: f64 = self.phases.iter().map(|p| p.write_amplification * p.host_bytes).sum();
        if self.host_bytes > 0.0 { flash / self.host_bytes } else { 0.0 }
    }

    /// Days of the real drive.
    pub fn days(&self) -> f64 {
        self.seconds / 86_400.0
    }
}

/// Wears the drive of a rig to its end under the jobs of a file. A window is one run of the file:
/// let it write about as much as the drive holds, or cover a cycle of its pauses.
///
/// # Errors
/// What the jobs ask and the drive cannot give.
pub fn simulate(rig: &mut Rig, file: &JobFile, options: &Options) -> Result<Life, Diagnostic> {
    simulate_watched(rig, file, options, &mut |_| ())
}

/// The same, telling before each window the share of the windows that is done.
///
/// # Errors
/// As those of [`simulate()`].
pub fn simulate_watched(
    rig: &mut Rig,
    file: &JobFile,
    options: &Options,
    watch: &mut dyn FnMut(f64),
) -> Result<Life, Diagnostic> {
    let windows = options.windows.max(1);
    let rated = options.rated_cycles.max(1.0);
    let start = Wear::of(rig.ftl().pool().erases()).mean();
    let mut life = Life {
        seconds: 0.0,
        host_bytes: 0.0,
        phases: Vec::new(),
        first_group_worn: None,
        end: End::RatedCycles,
    };
    let mut advance = Advance::new(rig.ftl().pool().erases());
    let mut worn_at = None;
    for number in 1..=windows {
        watch(f64::from(number - 1) / f64::from(windows));
        let goal = start + rated * f64::from(number) / f64::from(windows);
        let window = run_window(rig, file, options)?;
        if window.erases == 0 {
            life.end = End::NoWear;
            break;
        }
        let wear = Wear::of(rig.ftl().pool().erases());
        // How many more windows like this one lead to the goal.
        let groups = wear.groups as f64;
        let factor = ((goal - wear.mean()) * groups / window.erases as f64).max(0.0);
        let more = advance.step(&window.before, rig.ftl().pool().erases(), factor);
        rig.ftl_mut().add_erases(&more);
        rig.skip(&window.done.times(factor));
        let done = window.done.times(1.0 + factor);
        life.seconds += done.seconds;
        life.host_bytes += done.host_write_bytes;
        let wear = Wear::of(rig.ftl().pool().erases());
        if worn_at.is_none() && f64::from(wear.max) >= start + rated {
            worn_at = Some(life.host_bytes);
        }
        let counts = rig.ftl().block_counts();
        life.phases.push(Phase {
            used: (wear.mean() - start) / rated,
            seconds: done.seconds,
            host_bytes: done.host_write_bytes,
            write_amplification: window.write_amplification,
            spread: f64::from(wear.max) / wear.mean().max(f64::MIN_POSITIVE),
            cycles: wear.mean() - start,
            spare_left: counts
                .filter(|counts| counts.spare_at_start > 0)
                .map(|counts| f64::from(counts.spare_left) / f64::from(counts.spare_at_start)),
        });
        if counts.is_some_and(|counts| counts.read_only) {
            life.end = End::ReadOnly;
            break;
        }
    }
    life.first_group_worn = worn_at.map(|bytes| bytes / life.host_bytes.max(1.0));
    Ok(life)
}

/// Each run draws addresses of its own. fio's jobs repeat theirs unless told otherwise
/// (`randrepeat=1`), and a drive that is always written in the same order copies nothing.
fn run_options(options: &Options) -> RunOptions<'static> {
    let shrink = options.shrink;
    RunOptions { host: options.host, reseed: true, shrink, ..RunOptions::default() }
}

/// What a window showed.
struct Window {
    /// Erase counts when it began.
    before: Vec<u32>,
    /// Erases over all groups.
    erases: u64,
    /// What was done, of the real drive.
    done: Skipped,
    write_amplification: f64,
}

fn run_window(rig: &mut Rig, file: &JobFile, options: &Options) -> Result<Window, Diagnostic> {
    let before = rig.ftl().pool().erases().to_vec();
    let first = Skipped::counted(rig);
    rig.run(file, &mut run_options(options))?;
    let done = Skipped::counted(rig).since(&first);
    let after = rig.ftl().pool().erases();
    let erases =
        after.iter().zip(&before).map(|(to, from)| u64::from(to.saturating_sub(*from))).sum();
    let write_amplification = match done.host_write_bytes {
        written if written > 0.0 => done.nand_write_bytes / written,
        _ => 0.0,
    };
    Ok(Window { before, erases, done, write_amplification })
}
