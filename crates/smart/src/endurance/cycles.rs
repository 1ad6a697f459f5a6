//! Program and erase cycles: used, rated, and write amplification from them.

use super::Options;
use super::row::{Report, Unit};
use crate::interval::Interval;

/// Adds what follows from the raw capacity.
///
/// The review of the Intel 710 reasons so: cycles used = NAND writes / raw capacity; wear = cycles
/// used / cycles rated. A purely sequential run, whose write amplification is 1, gives the rated
/// cycles; with these a random run gives its write amplification.
pub(super) fn add(
    report: &mut Report,
    host: Option<Interval>,
    nand: Option<Interval>,
    wear: Option<Interval>,
    options: &Options,
) {
    let Some(raw) = options.raw_bytes else { return };
    let used = nand.map(|nand| nand.times(1.0 / raw));
    if let Some(used) = used {
        let formula = "NAND writes / raw capacity";
        report.add("cycles_used", "cycles used", used, Unit::Cycles, formula);
    }
    match (used, wear, options.rated_cycles) {
        (Some(used), Some(wear), None) => {
            let formula = "cycles used / wear";
            report.add("rated_cycles", "cycles rated", used.over(wear), Unit::Cycles, formula);
        }
        (None, Some(wear), Some(rated)) => {
            let nand = wear.times(rated * raw);
            let formula = "wear x rated cycles x raw capacity";
            report.add("nand_written", "NAND writes", nand, Unit::Bytes, formula);
            if let Some(host) = host {
                let formula = "NAND writes / host writes";
                let ratio = nand.over(host);
                report.add(
                    "write_amplification",
                    "write amplification",
                    ratio,
                    Unit::Ratio,
                    formula,
                );
            }
        }
        _ => {}
    }
}
