//! What `crash-test` says.

use super::CrashTestArgs;
use crate::serve::Live;
use crash::{CrashTest, CutResult};
use metric::show_volume;
use std::fmt::Write as _;

/// What is done, in a line.
pub(super) fn begins(live: &Live, args: &CrashTestArgs) -> String {
    let cuts = args.cuts;
    let flush = args.live.flush.word();
    format!("{}: {cuts} power cuts, flushes {flush}", live.system.name())
}

/// A cut that is done, in a line.
pub(super) fn progress(cut: &CutResult, of: u32) -> String {
    let result = if cut.passed { "passed" } else { "FAILED" };
    let CutResult { number, writes, .. } = cut;
    format!("cut {number} of {of} after {writes} writes: check {result}")
}

/// All cuts.
pub(super) fn table(result: &CrashTest) -> String {
    let mut text = format!(
        "{:>4}{:>10}{:>14}{:>14}{:>10}  {}\n",
        "Cut", "Writes", "Lost in it", "Taken back", "Unknown", "Check"
    );
    for cut in &result.cuts {
        let check = if cut.passed { "passed" } else { "FAILED" };
        let _ = writeln!(
            text,
            "{:>4}{:>10}{:>14}{:>14}{:>10}  {check}",
            cut.number,
            cut.writes,
            show_volume(cut.lost_bytes),
            cut.blocks_taken_back,
            cut.blocks_unknown
        );
        for line in cut.said.lines() {
            let _ = writeln!(text, "      {line}");
        }
    }
    let _ = writeln!(
        text,
        "\n{}, flushes {}, {}: {} of {} checks passed",
        result.target,
        result.flush,
        result.attach,
        result.passed,
        result.cuts.len()
    );
    let unknown = result.cuts.iter().filter(|cut| cut.blocks_unknown > 0).count();
    if unknown > 0 {
        let _ = writeln!(
            text,
            "{unknown} cuts left blocks whose earlier content was no longer known: their checks \
             say little"
        );
    }
    text
}
