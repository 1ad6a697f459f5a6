//! What a served drive can be told and asked beside its data: a line of JSON each way.

use crate::contents::Recovery;
use crate::drive::{Cut, LiveDrive, OpSummary};
use crate::lateness::LatenessSummary;
use iopath::device::health::Wear;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A server that does not answer for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A line may be so long.
pub const LONGEST_LINE: usize = 4096;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// What the drive has done, and how late answers were.
    Health,
    /// Power fails: now, or when so many more writes have been acknowledged.
    CutPower {
        /// Writes that are still acknowledged.
        #[serde(default)]
        after_writes: u64,
    },
    /// Power is back.
    Restore,
    /// The server ends in order.
    Stop,
}

/// An answer: what was asked for, or why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The state of the drive after it.
    pub state: State,
}

/// The state of a served drive. Times are those of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Whether it has power.
    pub powered: bool,
    /// Seconds since it began.
    pub seconds: f64,
    /// How many times slower than the clock the model runs.
    pub slower: u32,
    /// Clients.
    pub clients: usize,
    /// Requests under way.
    pub under_way: usize,
    /// Each kind of request, by its name.
    pub requests: BTreeMap<String, OpSummary>,
    /// How late answers were.
    pub lateness: LatenessSummary,
    /// The flash drives below it, in their order.
    pub drives: Vec<Drive>,
    /// Power cuts so far.
    pub cuts: u64,
    /// What the last of them did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_cut: Option<LastCut>,
}

/// The counters of one flash drive. Bytes are those of the simulated part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drive {
    /// Its model.
    pub name: String,
    /// Bytes written by the host.
    pub host_bytes: u64,
    /// Bytes programmed.
    pub flash_bytes: u64,
    /// Write amplification; `None` before anything was written.
    pub write_amplification: Option<f64>,
    /// Mean erases of a block.
    pub mean_erases: f64,
    /// Power losses without a warning.
    pub unsafe_shutdowns: u64,
}

/// What a power cut did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastCut {
    /// Acknowledged bytes that the model lost.
    pub lost_bytes: u64,
    /// Blocks written lately that hold what they held last.
    pub blocks_kept: u64,
    /// Blocks that are what they were before.
    pub blocks_taken_back: u64,
    /// Blocks whose earlier content was no longer known.
    pub blocks_unknown: u64,
}

impl From<Cut> for LastCut {
    fn from(cut: Cut) -> Self {
        let Recovery { kept, taken_back, unknown } = cut.recovery;
        LastCut {
            lost_bytes: cut.lost_bytes,
            blocks_kept: kept,
            blocks_taken_back: taken_back,
            blocks_unknown: unknown,
        }
    }
}

/// Tells the server behind a control socket what is wanted, and waits for its answer.
///
/// # Errors
/// `ConnectionRefused` or `NotFound` if nobody listens there, `InvalidData` if what answers is no
/// server of this version, and what else the system says.
pub fn ask(socket: &Path, action: Action) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{}", serde_json::to_string(&action)?)?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|error| {
        let message = format!("what answers is no served drive of this version: {error}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Each kind of request that there was.
pub fn requests(drive: &LiveDrive) -> BTreeMap<String, OpSummary> {
    let named = drive.tallies().named();
    let some =
        named.iter().filter_map(|(name, tally)| Some(((*name).to_owned(), tally.summary()?)));
    some.collect()
}

/// The counters of each flash drive.
pub fn drives(drive: &LiveDrive) -> Vec<Drive> {
    let machine = drive.machine();
    let flash = drive.flash().map(|address| machine.drive(address));
    flash
        .map(|drive| {
            let (ledger, unit) = (drive.ftl().ledger(), drive.config().unit_bytes());
            let written = ledger.accepted;
            Drive {
                name: drive.config().name.clone(),
                host_bytes: written * unit,
                flash_bytes: ledger.total() * unit,
                write_amplification: (written > 0).then(|| ledger.total() as f64 / written as f64),
                mean_erases: Wear::of(drive.ftl().pool().erases()).mean(),
                unsafe_shutdowns: drive.health().unsafe_shutdowns,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_lines_of_json() {
        let read = |text: &str| serde_json::from_str::<Action>(text);
        assert_eq!(read(r#"{"action":"health"}"#).ok(), Some(Action::Health));
        let cut = read(r#"{"action":"cut-power"}"#).ok();
        assert_eq!(cut, Some(Action::CutPower { after_writes: 0 }));
        let later = read(r#"{"action":"cut-power","after_writes":7}"#).ok();
        assert_eq!(later, Some(Action::CutPower { after_writes: 7 }));
        assert!(read(r#"{"action":"cut-power","after":7}"#).is_err());
        assert!(read(r#"{"action":"explode"}"#).is_err());
    }
}
