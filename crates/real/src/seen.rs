//! What is seen of drives and files between two steps of a test, to tell whether anything but the
//! test wrote to them in between.

use crate::device::Device;
use crate::guard::{Permit, PermitKind};
use crate::identity::drive_below;
use crate::system::System;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of a sector in the kernel's counters, whatever those of the drive are.
const SECTOR: u64 = 512;
/// Share of a drive that others may have written before its state counts as another one.
const OTHERS_MOST: f64 = 0.01;
/// Seconds in which a test that is killed goes on writing before anybody notes it.
const UNNOTED_S: f64 = 5.0;

/// Bytes that a drive read and wrote since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
}

impl Moved {
    /// Of the whole drive that a device belongs to; `None` where the kernel keeps no counters.
    pub fn of(system: &System, device: &Device) -> Option<Self> {
        let whole = device.whole().ok()?;
        let stat = system.sys.join("block").join(whole.name).join("stat");
        let text = fs::read_to_string(stat).ok()?;
        let mut fields = text.split_whitespace().map(|field| field.parse::<u64>().ok());
        let (read, written) = (fields.nth(2)??, fields.nth(3)??);
        Some(Self { read: read.saturating_mul(SECTOR), written: written.saturating_mul(SECTOR) })
    }

    /// Of several devices together; `None` where the kernel keeps no counters of one of them, or
    /// there is none.
    pub fn of_all(system: &System, devices: &[Device]) -> Option<Self> {
        let each = devices.iter().map(|device| Self::of(system, device));
        let each: Vec<Self> = each.collect::<Option<_>>()?;
        each.into_iter().reduce(|a, b| Self {
            read: a.read.saturating_add(b.read),
            written: a.written.saturating_add(b.written),
        })
    }

    /// Bytes in both directions.
    pub fn both(self) -> u64 {
        self.read.saturating_add(self.written)
    }
}

/// What is seen of one path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Trace {
    /// Bytes that the drive wrote since the machine started.
    Drive(u64),
    /// When a file was changed last, seconds since 1970.
    File(i64),
    /// When the socket of a served drive was made, seconds since 1970.
    Socket(i64),
    /// Nothing that tells.
    Nothing,
}

/// What is seen of all paths of a test at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Seconds since 1970.
    at_s: u64,
    /// The kernel's name of the time since the machine started.
    boot: String,
    paths: Vec<Trace>,
}

/// What happened to the paths of a test while nobody tested.
#[derive(Clone, Debug, PartialEq)]
pub enum Meanwhile {
    /// They are as they were left, as far as can be seen; what has to be said about it.
    Rested(String),
    /// Something else wrote to them.
    Changed(String),
}

impl Seen {
    /// Of permitted paths, now.
    #[allow(clippy::disallowed_methods, reason = "the clock of the machine, for breaks of hours")]
    pub fn now(system: &System, permits: &[Permit]) -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let boot = fs::read_to_string(system.proc.join("sys/kernel/random/boot_id"));
        let paths = permits.iter().map(|permit| trace(system, permit)).collect();
        let boot = boot.unwrap_or_default().trim().to_owned();
        Self { at_s: since_1970.as_secs(), boot, paths }
    }

    /// What happened since `last`, which came one step of noting after `before`. The test that was
    /// killed may itself have written for some seconds after it noted something last.
    pub fn since(&self, last: &Seen, before: Option<&Seen>, permits: &[Permit]) -> Meanwhile {
        let rested_s = self.at_s.saturating_sub(last.at_s);
        let same_boot = self.boot == last.boot && !self.boot.is_empty();
        let mut unseen = Vec::new();
        for (i, permit) in permits.iter().enumerate() {
            let path = permit.path().display();
            match (self.paths.get(i), last.paths.get(i)) {
                (Some(Trace::Drive(now)), Some(Trace::Drive(then))) => {
                    let then = if same_boot { *then } else { 0 };
                    let written = now.saturating_sub(then) as f64;
                    let own = before.map_or(0.0, |before| last.rate_since(before, i)) * UNNOTED_S;
                    let most = OTHERS_MOST * permit.size_bytes() as f64 + own;
                    if written > most {
                        let gb = written / 1e9;
                        return Meanwhile::Changed(format!(
                            "{gb:.1} GB were written to {path} since"
                        ));
                    }
                    if !same_boot {
                        unseen.push(format!("what was written to {path} before the restart"));
                    }
                }
                (Some(Trace::File(now)), Some(Trace::File(_))) => {
                    let noted = i64::try_from(last.at_s).unwrap_or(i64::MAX);
                    if *now > noted.saturating_add(UNNOTED_S as i64) {
                        return Meanwhile::Changed(format!("{path} was changed since"));
                    }
                }
                // A server that was started again made its socket anew.
                (Some(Trace::Socket(now)), Some(Trace::Socket(then))) => {
                    if now != then {
                        return Meanwhile::Changed(format!("{path} is of another server"));
                    }
                }
                _ => unseen.push(format!("what was written to {path}")),
            }
        }
        let mut said = format!("after a break of {}", span(rested_s));
        if !unseen.is_empty() {
            said += &format!("; {} cannot be seen", unseen.join(" and "));
        }
        Meanwhile::Rested(said)
    }

    /// Bytes a second that the drive of a path wrote between two times.
    fn rate_since(&self, before: &Seen, path: usize) -> f64 {
        match (self.paths.get(path), before.paths.get(path)) {
            (Some(Trace::Drive(now)), Some(Trace::Drive(then))) if self.boot == before.boot => {
                let seconds = self.at_s.saturating_sub(before.at_s).max(1);
                now.saturating_sub(*then) as f64 / seconds as f64
            }
            _ => 0.0,
        }
    }
}

fn trace(system: &System, permit: &Permit) -> Trace {
    let about = fs::metadata(permit.path());
    let at = |of: fn(i64) -> Trace| about.map_or(Trace::Nothing, |about| of(about.mtime()));
    match permit.kind() {
        PermitKind::BlockDevice(_) => drive_below(system, permit)
            .and_then(|device| Moved::of(system, &device))
            .map_or(Trace::Nothing, |moved| Trace::Drive(moved.written)),
        PermitKind::ServedDrive(_) => at(Trace::Socket),
        _ => at(Trace::File),
    }
}

/// A time in the largest unit that it has.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
