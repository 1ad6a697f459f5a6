//! What can be said to `drivelab endurance`.

use crate::values;
use clap::Args;
use engine::{Bytes, Count, Ratio};
use smart::endurance::{Options, Price};
use std::path::PathBuf;

const HELP: &str = "\
BEFORE and AFTER are health logs of one drive at two times: what `smartctl --json -x DEVICE`
prints, or nvme-cli's JSON (`nvme smart-log -o json DEVICE`; `nvme id-ctrl` and `nvme ocp
smart-add-log` before or behind it in the same file name the drive and count its NAND writes).
`drivelab run --smart-before A --smart-after B` writes both of a modelled drive.
With one log the drive's life so far is told. In the place of AFTER a device may stand (/dev/sdb):
its health is read now, by smartctl or, for NVMe without it, by nvme-cli; --save keeps the log.

Each result stands between bounds: what the steps of the counters leave open. Volumes are in powers
of ten (TB).

Intel's timed workload counters E2h to E4h (media wear, reads, minutes) resolve wear best. Reset
them (`smartctl -t vendor,0x40 DEVICE`), take BEFORE, run the workload for an hour or more, take
AFTER.

Exit code 2 says that the logs do not suffice; what they do tell is printed before.

Examples:
  drivelab endurance before.json after.json
  drivelab endurance before.json after.json --price '1200 USD' --warranty '5 years'
  drivelab endurance before.json after.json --raw '320 GiB' --write-amplification '1 x'
  drivelab endurance before.json after.json --raw '320 GiB' --rated-cycles '13500 cycles' --json
  drivelab endurance before.json /dev/sdb --save after.json
  drivelab endurance now.json";

/// Arguments of `endurance`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct EnduranceArgs {
    /// The earlier health log, or the only one; or a device
    pub before: PathBuf,
    /// The later health log, or a device
    pub after: Option<PathBuf>,
    /// Time between the logs, where they do not tell it: `6 h`, `30 days`
    #[arg(long, value_name = "TIME", value_parser = values::span)]
    pub elapsed: Option<values::Span>,
    /// Length of the warranty [default: 3 years]
    #[arg(long, value_name = "TIME", value_parser = values::span)]
    pub warranty: Option<values::Span>,
    /// What the drive costs: `1200 USD`
    #[arg(long, value_name = "PRICE")]
    pub price: Option<Price>,
    /// Flash on the drive: `320 GiB`
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub raw: Option<Bytes>,
    /// Program and erase cycles that the flash is rated for: `3000 cycles`
    #[arg(long, value_name = "COUNT", value_parser = cycles)]
    pub rated_cycles: Option<u32>,
    /// NAND writes over host writes where no log reports them; `1 x` for a sequential run
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    pub write_amplification: Option<Ratio>,
    /// Keep the log that was read from a device
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the table (or the JSON) to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
    /// No warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

impl EnduranceArgs {
    /// What the logs do not tell.
    pub fn options(&self) -> Options {
        Options {
            elapsed_s: self.elapsed.map(|span| span.seconds),
            warranty_years: self.warranty.map(|span| span.seconds / metric::YEAR_S),
            price: self.price.clone(),
            raw_bytes: self.raw.map(|bytes| bytes.base() as f64),
            rated_cycles: self.rated_cycles.map(f64::from),
            write_amplification: self.write_amplification.map(Ratio::fraction),
        }
    }
}

fn cycles(text: &str) -> Result<u32, String> {
    let count: Count = match text.parse() {
        Ok(count) => count,
        Err(_) => return Err(format!("`{text}` is no number of cycles such as `3000 cycles`")),
    };
    match (count.number, count.noun.as_str()) {
        (number @ 1.., "cycles" | "cycle") => Ok(number),
        _ => Err(format!("`{text}` is no number of cycles such as `3000 cycles`")),
    }
}

fn ratio(text: &str) -> Result<Ratio, String> {
    let ratio: Ratio = text.parse().map_err(|error: engine::UnitError| match error {
        engine::UnitError::NoUnit { text, .. } => {
            format!("`{text}` has no unit; write for example `1.2 x`")
        }
        other => other.to_string(),
    })?;
    match ratio.fraction() > 0.0 {
        true => Ok(ratio),
        false => Err("an amplification is above zero".to_owned()),
    }
}
