//! What was measured: the drive or file with its numbers, the fio, and the system around them.

use crate::device::{Device, split_number};
use crate::guard::{Permit, PermitKind, ServedDrive};
use crate::installed::InstalledFio;
use crate::machine;
use crate::system::System;
use crate::users::Subject;
use serde::Serialize;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A real target as a Record keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Absolute path, without links.
    pub path: String,
    /// `device`, `served drive`, `file made by drivelab` or `file`.
    pub kind: &'static str,
    /// Bytes; of a file that is yet to be made those that it will have.
    pub size_bytes: u64,
    /// Why the guard let it pass.
    pub permitted: String,
    /// The drive, or that below the file system of a file; `None` where none is seen.
    pub device: Option<Drive>,
    /// The file system of a file: `ext4 on /dev/sda1`.
    pub file_system: Option<String>,
    /// Version of fio.
    pub fio: String,
    /// Version of the kernel.
    pub kernel: String,
    /// The machine that measures, as [`machine::described`] says it.
    pub hardware: String,
}

/// What a drive says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drive {
    /// Kernel name.
    pub name: String,
    /// Model.
    pub model: Option<String>,
    /// Firmware.
    pub firmware: Option<String>,
    /// Serial numbers and world-wide names.
    pub identities: Vec<String>,
}

impl Drive {
    fn of(system: &System, device: &Device) -> Self {
        Self {
            name: device.name.clone(),
            model: device.model(),
            firmware: device.firmware(system),
            identities: device.identities(system),
        }
    }

    fn served(drive: &ServedDrive) -> Self {
        let model = Some(drive.model.clone());
        Self { name: drive.name.clone(), model, firmware: None, identities: Vec::new() }
    }
}

impl Identity {
    /// Of a permitted path that has or will have so many bytes.
    pub fn of(system: &System, permit: &Permit, size_bytes: u64, fio: &InstalledFio) -> Self {
        let path = permit.path();
        let (kind, device, file_system) = match permit.kind() {
            PermitKind::BlockDevice(device) => ("device", Some(Drive::of(system, device)), None),
            PermitKind::ServedDrive(drive) => ("served drive", Some(Drive::served(drive)), None),
            PermitKind::NewFile | PermitKind::OwnFile => {
                ("file made by drivelab", below(system, permit), file_system(system, path))
            }
            PermitKind::ForeignFile => ("file", below(system, permit), file_system(system, path)),
        };
        let kernel = fs::read_to_string(system.proc.join("sys/kernel/osrelease"));
        Self {
            path: path.display().to_string(),
            kind,
            size_bytes,
            permitted: permit.why().to_owned(),
            device,
            file_system,
            fio: fio.version().to_owned(),
            kernel: kernel.unwrap_or_default().trim().to_owned(),
            hardware: machine::described(system),
        }
    }

    /// What makes a measurement another one: everything but why it was let pass, since a file that
    /// was new the first time is drivelab's own the next time, and the machine, whose memory the
    /// kernel counts anew at each start.
    pub fn key(&self) -> String {
        let all = Self { permitted: String::new(), hardware: String::new(), ..self.clone() };
        serde_json::to_string(&all).unwrap_or_default()
    }
}

/// What a path refers to: two spellings of one file or device are equal. A file that is yet to be
/// made is its name in its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(Found);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Subject(Subject),
    Name(Subject, PathBuf),
    Nowhere(PathBuf),
}

impl Place {
    /// Of a path, links followed.
    pub fn of(path: &Path) -> Self {
        let system = System::real();
        if let Some(subject) = Subject::of(&system, path) {
            return Self(Found::Subject(subject));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = Subject::of(&system, folder.unwrap_or(Path::new(".")));
        Self(match (folder, path.file_name()) {
            (Some(folder), Some(name)) => Found::Name(folder, name.into()),
            _ => Found::Nowhere(path.to_path_buf()),
        })
    }
}

/// Number of the device that holds the file system of a path.
fn holder(path: &Path) -> Option<(u32, u32)> {
    let there = fs::metadata(path).ok().or_else(|| fs::metadata(path.parent()?).ok())?;
    Some(split_number(there.dev()))
}

/// The drive of a permitted path, or that below a file; `None` where the kernel shows none, as of a
/// file system over several.
pub fn drive_below(system: &System, permit: &Permit) -> Option<Device> {
    match permit.kind() {
        PermitKind::BlockDevice(device) => Some(device.clone()),
        PermitKind::ServedDrive(_) => None,
        _ => Device::of_number(system, holder(permit.path())?).ok(),
    }
}

/// What the drive below a file says of itself.
fn below(system: &System, permit: &Permit) -> Option<Drive> {
    drive_below(system, permit).map(|device| Drive::of(system, &device))
}

/// Kind and source of the file system of a path.
fn file_system(system: &System, path: &Path) -> Option<String> {
    let (major, minor) = holder(path)?;
    let mounts = fs::read_to_string(system.proc.join("self/mountinfo")).ok()?;
    mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let same = left.split(' ').nth(2)? == format!("{major}:{minor}");
        let mut fields = right.split(' ');
        let (kind, source) = (fields.next()?, fields.next()?);
        same.then(|| format!("{kind} on {source}"))
    })
}
