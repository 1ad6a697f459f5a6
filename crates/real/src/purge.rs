//! Erasing a drive or a file, so that a test begins with nothing on it.
//!
//! A purge needs a [`Permit`] whose request asked for one: the guard has looked at the path, and
//! the user has typed the serial number of the device. Everything is examined again right before.
//! Format and sanitize of NVMe can reach all namespaces of a controller, so a controller with more
//! than the permitted one is refused.

use crate::device::{self, Device};
use crate::guard::{self, Permit, PermitKind, ServedDrive};
use crate::nvme;
use crate::refusal::{Reason, Refusal};
use crate::system::System;
use crate::tool::{self, ToolError, Tools};
use nbd::client::{Client, ClientError};
use rustix::fs::FallocateFlags;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HDPARM: &str = "hdparm (on Debian and Ubuntu: apt install hdparm)";
const UTIL_LINUX: &str = "util-linux";
/// ATA security asks for a password; the erase removes it again.
const PASSWORD: &str = "drivelab";
/// SPROG of the sanitize log when nothing is in flight.
const SANITIZED: u64 = 0xFFFF;
/// How often the sanitize log is read.
const SANITIZE_POLL: Duration = Duration::from_secs(1);
/// Readings after which a sanitize counts as lost: some six hours.
const SANITIZE_POLLS: u32 = 20_000;

/// A method of erasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purge {
    /// `nvme format --ses=1`: user data erase of the namespace.
    NvmeFormat,
    /// `nvme sanitize` with a block erase: also spare blocks and caches.
    NvmeSanitize,
    /// `hdparm --security-erase`.
    AtaSecureErase,
    /// `blkdiscard`: all blocks are marked unused (TRIM).
    Discard,
    /// A served drive is trimmed over NBD.
    TrimServed,
    /// The blocks of a file are given back to the file system; its size stays.
    PunchHole,
}

impl Purge {
    /// The method that fits the permit: a file is punched, an NVMe namespace formatted, a partition
    /// or another device discarded.
    pub fn fitting(permit: &Permit) -> Self {
        match permit.kind() {
            PermitKind::BlockDevice(device) if device.parent.is_some() => Purge::Discard,
            PermitKind::BlockDevice(device) if device.name.starts_with("nvme") => Purge::NvmeFormat,
            PermitKind::BlockDevice(_) => Purge::Discard,
            PermitKind::ServedDrive(_) => Purge::TrimServed,
            _ => Purge::PunchHole,
        }
    }

    /// In words, for reports.
    pub fn describe(self) -> &'static str {
        match self {
            Purge::NvmeFormat => "NVMe format with user data erase",
            Purge::NvmeSanitize => "NVMe sanitize by block erase",
            Purge::AtaSecureErase => "ATA secure erase",
            Purge::Discard => "discard (TRIM) of all blocks",
            Purge::TrimServed => "TRIM of the whole served drive",
            Purge::PunchHole => "blocks of the file given back",
        }
    }
}

/// Bytes that are trimmed with one request.
const TRIMMED_AT_ONCE: u64 = 1 << 30;

/// Trims all of a served drive.
fn trim(path: &Path, drive: &ServedDrive) -> io::Result<()> {
    let failed = |error: ClientError| io::Error::other(error.to_string());
    let mut client = Client::connect(guard::connect(path)?, &drive.name).map_err(failed)?;
    let mut start = 0;
    while start < drive.bytes {
        let len = TRIMMED_AT_ONCE.min(drive.bytes - start);
        client.trim(start, u32::try_from(len).unwrap_or(u32::MAX)).map_err(failed)?;
        start += len;
    }
    client.flush().map_err(failed)?;
    client.disconnect().map_err(failed)
}

/// Why nothing, or not everything, was erased.
#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    /// The permit is not for this, or no longer holds.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A program is missing or failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The file cannot be punched.
    #[error("{path}: its blocks cannot be given back: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Erases what was permitted.
///
/// # Errors
/// See [`PurgeError`]. After an error the data may be gone or not.
pub fn purge(
    system: &System,
    tools: &Tools,
    permit: &Permit,
    way: Purge,
) -> Result<(), PurgeError> {
    let path = permit.path();
    let refuse = |why: &str, help: &str| Refusal::new(path, Reason::NotConfirmed, why, help);
    if !permit.may_purge() {
        let help = "ask for the purge when the path is examined";
        return Err(refuse("it was not permitted for a purge", help).into());
    }
    permit.prepare(system)?;
    match permit.kind() {
        PermitKind::BlockDevice(device) => {
            if way == Purge::PunchHole {
                return Err(refuse("a device has no holes", "discard or format it").into());
            }
            if way == Purge::TrimServed {
                return Err(refuse("it is not a served drive", "discard or format it").into());
            }
            if device.parent.is_some() && way != Purge::Discard {
                let why = "it is a partition, and this way erases the whole drive";
                return Err(refuse(why, "discard the partition, or name the drive").into());
            }
            erase(system, tools, path, device, way)?;
        }
        PermitKind::ServedDrive(drive) => {
            if way != Purge::TrimServed {
                return Err(refuse("it is a served drive", "trim it").into());
            }
            trim(path, drive).map_err(|source| PurgeError::Io { path: path.into(), source })?;
        }
        PermitKind::NewFile | PermitKind::OwnFile | PermitKind::ForeignFile => {
            if way != Purge::PunchHole {
                return Err(refuse("it is a file", "punch it").into());
            }
            punch(path)?;
            permit.conclude(true).map_err(|source| PurgeError::Io { path: path.into(), source })?;
        }
    }
    Ok(())
}

fn punch(path: &Path) -> Result<(), PurgeError> {
    let wrong = |source| PurgeError::Io { path: path.to_path_buf(), source };
    let file = OpenOptions::new().write(true).open(path).map_err(wrong)?;
    let length = file.metadata().map_err(wrong)?.len();
    if length == 0 {
        return Ok(());
    }
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(&file, flags, 0, length).map_err(|error| wrong(error.into()))?;
    file.sync_all().map_err(wrong)
}

fn erase(
    system: &System,
    tools: &Tools,
    path: &Path,
    device: &Device,
    way: Purge,
) -> Result<(), PurgeError> {
    let node = path.display().to_string();
    match way {
        Purge::Discard => {
            // Without --force it would ask for the exclusive open that the permit holds.
            tool::ask(&tools.blkdiscard, UTIL_LINUX, &["--force", &node])?.success()?;
        }
        Purge::NvmeFormat => {
            controller_alone(system, path, device)?;
            let arguments = ["format", &node, "--ses=1", "--force"];
            tool::ask(&tools.nvme, nvme::PACKAGE, &arguments)?.success()?;
        }
        Purge::NvmeSanitize => {
            let controller = controller_alone(system, path, device)?;
            sanitize(tools, &path.with_file_name(controller))?;
        }
        Purge::AtaSecureErase => secure_erase(tools, path, &node)?,
        Purge::PunchHole | Purge::TrimServed => {}
    }
    Ok(())
}

/// The controller of a namespace, if the namespace is all it has. Both are found by the links of
/// sysfs: with multipath `nvme0n1` may well belong to `nvme1`.
fn controller_alone(system: &System, path: &Path, device: &Device) -> Result<String, Refusal> {
    let refuse = |why: String, help: &str| Refusal::new(path, Reason::InUse, why, help);
    let unknown = |error: std::io::Error| {
        let why = format!("whether its controller has other namespaces is not known ({error})");
        refuse(why, "discard it instead")
    };
    let behind = device.behind().map_err(unknown)?;
    let name = behind.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let controllers = match name.starts_with("nvme-subsys") {
        true => device::controllers_of(&behind).map_err(unknown)?,
        false => vec![name],
    };
    let [controller] = &controllers[..] else {
        let why = format!(
            "it is reached by {} controllers ({})",
            controllers.len(),
            controllers.join(", ")
        );
        return Err(refuse(why, "discard it instead"));
    };
    if !device::is_controller(controller) {
        let why = format!("{} is not an NVMe namespace", device.name);
        return Err(refuse(why, "discard it, or erase it by ATA secure erase"));
    }
    // A namespace of the subsystem, and one of the controller alone.
    let directory = device.controller().map_err(unknown)?;
    let mut others = Vec::new();
    for other in Device::all(system).map_err(unknown)? {
        let same = other.controller().is_ok_and(|its| its == directory);
        if same && other.number != device.number {
            others.push(other.name);
        }
    }
    if !others.is_empty() {
        let why = format!("its controller has other namespaces ({})", others.join(", "));
        return Err(refuse(why, "discard it instead: format and sanitize could reach all"));
    }
    Ok(controller.clone())
}

fn sanitize(tools: &Tools, controller: &Path) -> Result<(), ToolError> {
    let node = controller.display().to_string();
    let arguments = ["sanitize", &node, "--sanact=start-block-erase"];
    tool::ask(&tools.nvme, nvme::PACKAGE, &arguments)?.success()?;
    for _ in 0..SANITIZE_POLLS {
        let arguments = ["sanitize-log", &node, "-o", "json"];
        let answer = tool::ask(&tools.nvme, nvme::PACKAGE, &arguments)?;
        let log: Value = match serde_json::from_str(&answer.text) {
            Ok(log) if answer.code == 0 => log,
            _ => return Err(answer.failure()),
        };
        let Some(progress) = find(&log, "sprog") else { return Err(answer.failure()) };
        if progress == SANITIZED {
            // 3 in the three lowest bits of SSTAT: the last sanitize failed (NVMe 1.4, figure 253).
            let failed = find(&log, "status").or_else(|| find(&log, "sstat"));
            return match failed.map(|status| status & 0b111) {
                Some(3) => Err(answer.failure()),
                _ => Ok(()),
            };
        }
        std::thread::sleep(SANITIZE_POLL);
    }
    let reason = "it does not finish; see nvme sanitize-log".to_owned();
    Err(ToolError::Failed { command: format!("nvme sanitize {node}"), reason })
}

/// The first whole number under a key, at any depth: nvme-cli 2.x nests the log in the device's
/// name.
fn find(value: &Value, key: &str) -> Option<u64> {
    let object = value.as_object()?;
    let here = object.get(key).and_then(Value::as_u64);
    here.or_else(|| object.values().find_map(|inner| find(inner, key)))
}

fn secure_erase(tools: &Tools, path: &Path, node: &str) -> Result<(), PurgeError> {
    let ask = |arguments: &[&str]| tool::ask(&tools.hdparm, HDPARM, arguments);
    let about = ask(&["-I", node])?.success()?;
    let refuse = |why: &str, help: &str| {
        Err(PurgeError::Refused(Refusal::new(path, Reason::InUse, why, help)))
    };
    let lines: Vec<String> =
        about.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let says = |words: &str| lines.iter().any(|line| line == words);
    if !lines.iter().any(|line| line.starts_with("Security:")) {
        return refuse("it has no ATA security", "discard it instead");
    }
    if !says("not frozen") {
        return refuse("its security is frozen", "suspend and wake the machine, then try again");
    }
    if !says("not enabled") {
        return refuse("it has a password", "remove the password first");
    }
    ask(&["--user-master", "u", "--security-set-pass", PASSWORD, node])?.success()?;
    let erased = ask(&["--user-master", "u", "--security-erase", PASSWORD, node])?.success();
    if let Err(error) = erased {
        // A drive must not be left locked; whether that works, the user has to know.
        let freed = ask(&["--user-master", "u", "--security-disable", PASSWORD, node])?;
        let left = match freed.code {
            0 => "its password was removed again".to_owned(),
            _ => format!("its password `{PASSWORD}` is still set: remove it with hdparm"),
        };
        let reason = format!("{error}; {left}");
        let command = "ATA secure erase".to_owned();
        return Err(ToolError::Failed { command, reason }.into());
    }
    Ok(())
}
