//! What the kernel knows about a block device: relatives, size, what identifies it.

use crate::system::System;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files of sysfs that identify a drive, the most usual first.
const IDENTIFIERS: [&str; 10] = [
    "device/serial",
    "serial",
    "device/wwid",
    "wwid",
    "nguid",
    "uuid",
    "eui",
    "dm/uuid",
    "md/uuid",
    "loop/backing_file",
];

/// A block device as sysfs shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Kernel name, e.g. `sdb`, `sdb1`, `nvme0n1`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// The whole device, if this is a partition.
    pub parent: Option<String>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Whether the kernel refuses writes.
    pub read_only: bool,
    /// Its directory in sysfs.
    directory: PathBuf,
}

/// Splits a device number as the kernel packs it.
pub(crate) fn split_number(packed: u64) -> (u32, u32) {
    let major = ((packed >> 8) & 0xfff) | ((packed >> 32) & !0xfff);
    let minor = (packed & 0xff) | ((packed >> 12) & !0xff);
    (major as u32, minor as u32)
}

/// Reads `MAJOR:MINOR`.
pub(crate) fn parse_number(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

impl Device {
    /// The device of a major and a minor number.
    ///
    /// # Errors
    /// If the kernel has no such device, or shows it in a form that is not understood.
    pub fn of_number(system: &System, number: (u32, u32)) -> io::Result<Self> {
        let link = system.sys.join("dev/block").join(format!("{}:{}", number.0, number.1));
        Self::read(fs::canonicalize(link)?)
    }

    fn read(directory: PathBuf) -> io::Result<Self> {
        let name = file_name(&directory)?;
        let is_partition = directory.join("partition").exists();
        let parent = match directory.parent() {
            Some(parent) if is_partition => Some(file_name(parent)?),
            _ => None,
        };
        let number = parse_number(&required(&directory.join("dev"))?);
        let sectors: Option<u64> = required(&directory.join("size"))?.parse().ok();
        let read_only = required(&directory.join("ro"))? != "0";
        match (number, sectors) {
            (Some(number), Some(sectors)) => Ok(Self {
                name,
                number,
                parent,
                // sysfs counts in units of 512 bytes, whatever the device's sectors are.
                size_bytes: sectors.saturating_mul(512),
                read_only,
                directory,
            }),
            _ => Err(io::Error::other(format!("{} is not understood", directory.display()))),
        }
    }

    /// The partitions of a whole device, by name.
    ///
    /// # Errors
    /// If the directory of the device or of a partition in sysfs cannot be read or parsed.
    pub fn partitions(&self) -> io::Result<Vec<Self>> {
        let mut partitions = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path.join("partition").exists() {
                partitions.push(Self::read(path)?);
            }
        }
        partitions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(partitions)
    }

    /// The whole device that this is a partition of, or itself.
    pub(crate) fn whole(&self) -> io::Result<Self> {
        match (&self.parent, self.directory.parent()) {
            (Some(_), Some(directory)) => Self::read(directory.to_path_buf()),
            _ => Ok(self.clone()),
        }
    }

    /// Names of the devices that are made of this one.
    pub(crate) fn holders(&self) -> io::Result<Vec<String>> {
        list(&self.directory.join("holders"))
    }

    /// What identifies the drive: serial numbers and world-wide names, the most usual first; of a
    /// loop device the file behind it. A partition has those of its whole device. Empty if the
    /// drive reports none.
    pub fn identities(&self, system: &System) -> Vec<String> {
        let Ok(whole) = self.whole() else { return Vec::new() };
        let mut identities: Vec<String> = Vec::new();
        let mut add = |text: String| {
            let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned();
            // A namespace without an identifier of this kind has zeros.
            let zeros = text.chars().all(|c| matches!(c, '0' | '-'));
            if !zeros && !identities.contains(&text) {
                identities.push(text);
            }
        };
        for file in IDENTIFIERS {
            if let Ok(text) = fs::read_to_string(whole.directory.join(file)) {
                add(text);
            }
        }
        // SCSI page 0x80 (unit serial number): four bytes of header, then text.
        if let Ok(page) = fs::read(whole.directory.join("device/vpd_pg80")) {
            add(String::from_utf8_lossy(page.get(4..).unwrap_or_default()).into_owned());
        }
        for key in ["ID_SERIAL_SHORT", "ID_SCSI_SERIAL", "ID_SERIAL", "ID_WWN"] {
            whole.udev(system, key).into_iter().for_each(&mut add);
        }
        identities
    }

    /// What udev knows under a key.
    fn udev(&self, system: &System, key: &str) -> Vec<String> {
        let (major, minor) = self.number;
        let file = system.udev.join("data").join(format!("b{major}:{minor}"));
        let text = fs::read_to_string(file).unwrap_or_default();
        let prefix = format!("E:{key}=");
        text.lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
    }

    /// The other whole drives of the machine that have one of these identifiers in common with it:
    /// namespaces of one controller share a serial number, and so do some bridges.
    ///
    /// # Errors
    ///
    /// What the system says when the list of devices cannot be read.
    pub(crate) fn sharing(&self, system: &System, identity: &str) -> io::Result<Vec<String>> {
        let whole = self.whole()?;
        let mut sharing = Vec::new();
        for other in Self::all(system)? {
            let same = other.identities(system).iter().any(|its| its == identity);
            if other.number != whole.number && same {
                sharing.push(other.name);
            }
        }
        Ok(sharing)
    }

    /// All whole devices that have a node. A path of a multipath device is hidden and has none.
    pub(crate) fn all(system: &System) -> io::Result<Vec<Self>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(system.sys.join("block"))? {
            let directory = fs::canonicalize(entry?.path())?;
            let hidden = fs::read_to_string(directory.join("hidden")).unwrap_or_default();
            if hidden.trim() != "1" && directory.join("dev").exists() {
                all.push(Self::read(directory)?);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Where a partition begins on its drive, bytes; `None` of a whole drive.
    pub fn start(&self) -> Option<u64> {
        let sectors: u64 = required(&self.directory.join("start")).ok()?.parse().ok()?;
        self.parent.as_ref().and(sectors.checked_mul(512))
    }

    /// The directory of what is behind it, if sysfs has one: a drive or a controller, or the
    /// subsystem of a namespace that several controllers may reach, as those of drives with two
    /// ports.
    pub(crate) fn behind(&self) -> io::Result<PathBuf> {
        fs::canonicalize(self.directory.join("device"))
    }

    /// The same, but of a namespace of a subsystem the directory of its first controller.
    pub(crate) fn controller(&self) -> io::Result<PathBuf> {
        let behind = self.behind()?;
        match controllers_of(&behind)?.first() {
            Some(first) => fs::canonicalize(behind.join(first)),
            None => Ok(behind),
        }
    }

    /// The model as the drive names itself, if it does.
    pub fn model(&self) -> Option<String> {
        self.first_of(&["device/model"])
    }

    /// The version of its firmware, if it reports one: NVMe, SCSI and ATA, or udev's.
    pub fn firmware(&self, system: &System) -> Option<String> {
        let known = self.first_of(&["device/firmware_rev", "device/rev"]);
        known.or_else(|| self.whole().ok()?.udev(system, "ID_REVISION").into_iter().next())
    }

    /// The first of these files that says something.
    fn first_of(&self, files: &[&str]) -> Option<String> {
        let whole = self.whole().ok()?;
        files.iter().find_map(|file| {
            let text = fs::read_to_string(whole.directory.join(file)).ok()?;
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        })
    }
}

/// The controllers of an NVMe subsystem, which links to them; none of another directory.
pub(crate) fn controllers_of(subsystem: &Path) -> io::Result<Vec<String>> {
    if !file_name(subsystem)?.starts_with("nvme-subsys") {
        return Ok(Vec::new());
    }
    let mut names = list(subsystem)?;
    names.retain(|name| is_controller(name));
    Ok(names)
}

/// Whether this is the name of an NVMe controller, as `nvme0`.
pub(crate) fn is_controller(name: &str) -> bool {
    let number = name.strip_prefix("nvme").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn file_name(path: &Path) -> io::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| io::Error::other(format!("{path:?} has no name")))
}

fn required(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path);
    text.map(|text| text.trim().to_owned())
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// The names in a directory, sorted; none if it does not exist.
pub(crate) fn list(directory: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
