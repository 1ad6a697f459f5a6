//! How much of the rated life went by between two snapshots, by every counter that shows it.

use super::{Named, Options};
use crate::counter::{self, HOLD_MINUTES, TimedState, TimedWorkload, WEAR_STEPS};
use crate::error::SmartError;
use crate::interval::Interval;

/// Step of E2h, as a share of the rated cycles.
const E2_STEP: f64 = 1.0 / WEAR_STEPS / 100.0;
/// Steps with which a difference is good to a tenth, for advice.
const GOOD_STEPS: f64 = 20.0;

/// Wear by one counter.
#[derive(Clone, Debug)]
pub(super) struct Wear {
    /// Share of the rated life.
    pub share: Interval,
    /// Steps that the counter went on by.
    pub steps: f64,
    /// The counter's own time, seconds, if it has one.
    pub own_seconds: Option<Interval>,
    /// How it is computed, as text.
    pub formula: String,
    /// Name of a step, as text.
    pub step: &'static str,
}

/// What the timed workload counters say.
pub(super) struct Timed {
    /// Wear by E2h.
    pub wear: Wear,
    /// E3h at the end, if it speaks for the time between the snapshots alone.
    pub reads_percent: Option<u64>,
    /// What a reader should know.
    pub note: Option<String>,
}

/// Wear by the timed workload counters; `None` if the drive has none.
///
/// # Errors
/// If they are not valid yet, or were reset between the snapshots.
pub(super) fn timed(before: Named<'_>, after: Named<'_>) -> Result<Option<Timed>, SmartError> {
    let end = match counter::timed_workload(after.snapshot) {
        TimedState::Missing => return Ok(None),
        TimedState::NotYet => return Err(not_yet(after)),
        TimedState::Valid(end) => end,
    };
    match counter::timed_workload(before.snapshot) {
        TimedState::Valid(start) if end.minutes < start.minutes => {
            Err(was_reset(after, &start, &end))
        }
        TimedState::Valid(start) if end.media_wear < start.media_wear => {
            Err(was_reset(after, &start, &end))
        }
        TimedState::Valid(start) => Ok(Some(difference(&start, &end))),
        TimedState::NotYet | TimedState::Missing => Ok(Some(since_reset(&end))),
    }
}

fn difference(start: &TimedWorkload, end: &TimedWorkload) -> Timed {
    let (a, b) = (start.media_wear as f64, end.media_wear as f64);
    let minutes = Interval::difference(start.minutes as f64, end.minutes as f64, 60.0);
    let wear = Wear {
        share: Interval::difference(a, b, E2_STEP),
        steps: b - a,
        own_seconds: Some(minutes),
        formula: format!("E2h {a} -> {b}: difference / 1024 %"),
        step: "1/1024 %",
    };
    Timed { wear, reads_percent: None, note: None }
}

fn since_reset(end: &TimedWorkload) -> Timed {
    let wear = Wear {
        share: Interval::counted(end.media_wear as f64, E2_STEP),
        steps: end.media_wear as f64,
        own_seconds: Some(Interval::counted(end.minutes as f64, 60.0)),
        formula: format!("E2h {} since the reset / 1024 %", end.media_wear),
        step: "1/1024 %",
    };
    let note = "the workload timer was reset shortly before or after the first snapshot: wear and \
                reads are those since the reset, host writes those since the snapshot";
    Timed { wear, reads_percent: end.reads_percent, note: Some(note.to_owned()) }
}

fn not_yet(after: Named<'_>) -> SmartError {
    let message = format!(
        "the workload timer is not valid yet (it shows FFFFh): less than {HOLD_MINUTES} minutes \
         since it was reset"
    );
    SmartError::new(after.file, message).with_help(format!(
        "let the workload run for {HOLD_MINUTES} minutes at least after the reset, and take the \
         snapshot again"
    ))
}

fn was_reset(after: Named<'_>, start: &TimedWorkload, end: &TimedWorkload) -> SmartError {
    let message = format!(
        "the workload timer was reset between the snapshots: E4h went from {} to {} minutes, E2h \
         from {} to {}",
        start.minutes, end.minutes, start.media_wear, end.media_wear
    );
    SmartError::new(after.file, message)
        .with_help("take the first snapshot right after the reset, or reset nothing in between")
}

/// Wear by whole percent of life.
pub(super) fn percent(before: Named<'_>, after: Named<'_>) -> Option<Wear> {
    let start = counter::wear_percent(before.snapshot)?;
    let end = counter::wear_percent(after.snapshot)?;
    if start.source != end.source {
        return None;
    }
    Some(Wear {
        share: Interval::difference(start.steps, end.steps, end.step),
        steps: end.steps - start.steps,
        own_seconds: None,
        formula: format!("{}: {} -> {}", end.source, start.steps, end.steps),
        step: "about 1 %",
    })
}

/// Wear by NAND writes over raw capacity and rated cycles.
pub(super) fn cycles(nand: Option<Interval>, options: &Options) -> Option<Wear> {
    let (nand, raw, rated) = (nand?, options.raw_bytes?, options.rated_cycles?);
    Some(Wear {
        share: nand.times(1.0 / raw / rated),
        steps: f64::INFINITY,
        own_seconds: None,
        formula: "NAND writes / raw capacity / rated cycles".to_owned(),
        step: "",
    })
}

/// The one with the narrowest bounds; `None` if none has bounds on both sides.
pub(super) fn best(list: &[Wear]) -> Option<&Wear> {
    let bounded = list.iter().filter(|wear| wear.share.low > 0.0);
    bounded.min_by(|a, b| a.share.spread().total_cmp(&b.share.spread()))
}

/// That the counters have moved too little, and how long to wait.
pub(super) fn too_close(after: Named<'_>, list: &[Wear], seconds: Option<f64>) -> SmartError {
    let Some(finest) = list.iter().min_by(|a, b| a.share.high.total_cmp(&b.share.high)) else {
        let message = "the drive reports neither its wear nor its NAND writes";
        return SmartError::new(after.file, message).with_help(
            "wear is in E2h or E9h of Intel's ATA drives, in `percentage used` of the NVMe \
             health log, or follows from NAND writes with --raw and --rated-cycles",
        );
    };
    let message = format!(
        "the snapshots are too close together: wear went on by {} steps of {}, and 2 are the \
         least from which anything follows",
        finest.steps, finest.step
    );
    let wait = seconds.map_or("longer".to_owned(), |seconds| {
        let needed = seconds * GOOD_STEPS / finest.steps.max(1.0);
        let about = if finest.steps >= 1.0 { "about" } else { "more than" };
        format!("{about} {}", words(needed))
    });
    SmartError::new(after.file, message).with_help(format!(
        "run the workload for {wait} between the snapshots, which makes {GOOD_STEPS} steps; or \
         give --raw and --rated-cycles, if the drive counts NAND writes"
    ))
}

/// A time in words.
fn words(seconds: f64) -> String {
    match seconds {
        s if s < 2.0 * 3600.0 => format!("{:.0} minutes", (s / 60.0).ceil()),
        s if s < 2.0 * 86_400.0 => format!("{:.0} hours", (s / 3600.0).ceil()),
        s => format!("{:.0} days", (s / 86_400.0).ceil()),
    }
}
