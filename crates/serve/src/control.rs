//! What a served drive can be told and asked beside its data: a line of JSON each way.

use crate::contents::Recovery;
use crate::controller;
use crate::drive::{Cut, LiveDrive, OpSummary};
use crate::lateness::LatenessSummary;
use engine::{Power, RotationSpeed, Temperature};
use iopath::device::flash::cell::age::AgeSpec;
use iopath::volume::raid::{RaidHealth, RaidStatus};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{PidfdFlags, pidfd_open};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::{Outcome, RunResult};
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A server that does not answer for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// An order may be so long.
pub const LONGEST_LINE: usize = 4096;

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// What the drive has done, and how late answers were.
    Health,
    /// What it has done over time, with all that a Record of it needs.
    Timeline,
    /// Its flash gets older.
    Age {
        /// What it has been through.
        age: AgeSpec,
    },
    /// Other cooling, another fan, other air; what is not said stays as in the model.
    Cool {
        /// A cooling of the library, or the whole path of a cooling file.
        cooling: Option<String>,
        /// Speed of the fan.
        fan: Option<RotationSpeed>,
        /// Temperature of the air.
        ambient: Option<Temperature>,
    },
    /// A limit of the mean power of each drive; without one the model's own.
    Throttle {
        /// At most so much.
        limit: Option<Power>,
    },
    /// A drive of an array dies.
    FailMember {
        /// Which, from 0.
        member: usize,
    },
    /// A new drive comes in the place of one, and the array rebuilds it.
    ReplaceMember {
        /// Which, from 0.
        member: usize,
    },
    /// Power fails: now, or when so many more writes have been acknowledged.
    CutPower {
        /// Writes that are still acknowledged.
        #[serde(default)]
        after_writes: u64,
        /// If this is more than 0, a random number of writes up to it instead.
        #[serde(default)]
        within_writes: u64,
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
    /// What [`Action::Timeline`] asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served: Option<Served>,
}

/// All that a Record of a served drive needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Served {
    /// What is served and how: the result without what came out.
    pub about: Outcome,
    /// What clients asked, in model time, and the drive over time.
    pub run: RunResult,
    /// Mean power, W.
    pub mean_power_w: f64,
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
    /// The array nearest to the clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<Array>,
    /// Limit of the mean power of each drive that was set from outside, W.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_w: Option<f64>,
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
    /// Bytes programmed, but for those that brought it into its first state.
    pub flash_bytes: u64,
    /// Write amplification; `None` before anything was written.
    pub write_amplification: Option<f64>,
    /// Mean erases of a block, those of its age counted in.
    pub mean_erases: f64,
    /// Power losses without a warning.
    pub unsafe_shutdowns: u64,
    /// Temperature, C; `None` if the model has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<f64>,
    /// Level of throttling by heat; 0 is full speed.
    #[serde(default)]
    pub throttle_level: usize,
}

/// The state of an array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Array {
    /// `clean`, `dirty`, `resyncing`, `rebuilding`, `degraded` or `failed`.
    pub health: String,
    /// Drives that are missing.
    pub missing: u32,
    /// Share that a rebuild or resync has done, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<f64>,
}

impl From<RaidStatus> for Array {
    fn from(status: RaidStatus) -> Self {
        let health = match status.health {
            RaidHealth::Clean => "clean",
            RaidHealth::Dirty => "dirty",
            RaidHealth::Resyncing => "resyncing",
            RaidHealth::Rebuilding => "rebuilding",
            RaidHealth::Degraded => "degraded",
            RaidHealth::Failed => "failed",
        };
        let done = status.rebuilt.or(status.resynced).map(|share| share.base() as f64 / 1e6);
        Array { health: health.to_owned(), missing: status.missing, done }
    }
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

/// Tells the server behind a control socket what is wanted, and waits for its answer; if it is to
/// stop, also until its process has ended and all that it keeps is kept.
///
/// # Errors
/// `ConnectionRefused` or `NotFound` if nobody listens there, `InvalidData` if what answers is no
/// server of this version, and what else the system says.
pub fn ask(socket: &Path, action: &Action) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let server = matches!(action, Action::Stop).then(|| process_behind(&stream)).flatten();
    writeln!(stream, "{}", serde_json::to_string(action)?)?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let answer = serde_json::from_str(&line).map_err(|error| {
        let message = format!("what answers is no served drive of this version: {error}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })?;
    if let Some(server) = server {
        let patience = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
        poll(&mut [PollFd::new(&server, PollFlags::IN)], Some(&patience))?;
    }
    Ok(answer)
}

/// The process that listens at the other end, unless it is this one: a descriptor that can be read
/// once the process has ended.
fn process_behind(stream: &UnixStream) -> Option<OwnedFd> {
    let pid = socket_peercred(stream).ok()?.pid;
    let is_other = pid != rustix::process::getpid();
    is_other.then(|| pidfd_open(pid, PidfdFlags::empty()).ok()).flatten()
}

/// Each kind of request that there was.
pub fn requests(drive: &LiveDrive) -> BTreeMap<String, OpSummary> {
    let named = drive.tallies().named();
    let some =
        named.iter().filter_map(|(name, tally)| Some(((*name).to_owned(), tally.summary()?)));
    some.collect()
}

/// The counters of each flash drive.
pub fn drives(live: &LiveDrive) -> Vec<Drive> {
    let (machine, now) = (live.machine(), live.now());
    live.flash()
        .map(|address| {
            let (drive, flash_bytes) = (machine.drive(address), live.programmed_bytes(address));
            let (host_bytes, heat) = (drive.health().host_write_bytes, drive.heat(now));
            Drive {
                name: drive.config().name.clone(),
                host_bytes,
                flash_bytes,
                write_amplification: (host_bytes > 0)
                    .then(|| flash_bytes as f64 / host_bytes as f64),
                mean_erases: controller::wear(drive).mean(),
                unsafe_shutdowns: drive.health().unsafe_shutdowns,
                celsius: heat.as_ref().map(|heat| heat.celsius()),
                throttle_level: heat.map_or(0, |heat| heat.level()),
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
        assert_eq!(cut, Some(Action::CutPower { after_writes: 0, within_writes: 0 }));
        let later = read(r#"{"action":"cut-power","after_writes":7}"#).ok();
        assert_eq!(later, Some(Action::CutPower { after_writes: 7, within_writes: 0 }));
        assert!(read(r#"{"action":"cut-power","after":7}"#).is_err());
        assert!(read(r#"{"action":"explode"}"#).is_err());
        let limit = Some(Power::from_base(12_000_000));
        let throttle = read(r#"{"action":"throttle","limit":"12 W"}"#).ok();
        assert_eq!(throttle, Some(Action::Throttle { limit }));
        assert!(read(r#"{"action":"throttle","limit":12}"#).is_err(), "a bare number");
    }
}
