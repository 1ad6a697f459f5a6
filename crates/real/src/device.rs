//! What the kernel tells about a block device: relatives, users, identity.

use crate::guard::System;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

impl Device {
    /// Looks a device up by its number.
    pub(crate) fn find(system: &System, number: (u32, u32)) -> io::Result<Self> {
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
        let number = required(&directory.join("dev"))?;
        let number = number
            .split_once(':')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
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

    /// Who uses this device or a part of the same one, a clause each; empty if nobody does.
    ///
    /// The partitions beside a partition count, too: they share the drive, and a slip of the
    /// finger between `sda3` and `sda2` would not be caught by the serial number.
    pub fn users(&self, system: &System) -> io::Result<Vec<String>> {
        let whole = self.whole()?;
        let mut family = vec![whole.clone()];
        family.extend(whole.partitions()?);
        let mounts = fs::read_to_string(system.proc.join("self/mountinfo"))?;
        let swaps = fs::read_to_string(system.proc.join("swaps"))?;
        let mut users = Vec::new();
        for device in &family {
            let name = &device.name;
            for point in mount_points(&mounts, device) {
                users.push(format!("{name} is mounted at {point}"));
            }
            if swaps.lines().skip(1).any(|line| names_device(first_word(line), name)) {
                users.push(format!("{name} is used as swap"));
            }
            for holder in list(&device.directory.join("holders"))? {
                users.push(format!("{name} is held by {holder} (an array or a volume)"));
            }
        }
        Ok(users)
    }

    /// What identifies the drive: serial numbers and world-wide names, the most usual first.
    /// A partition has those of its whole device. Empty if the drive tells none.
    pub fn identities(&self, system: &System) -> Vec<String> {
        let Ok(whole) = self.whole() else { return Vec::new() };
        let files = ["device/serial", "serial", "device/wwid", "wwid", "dm/uuid", "md/uuid"];
        let mut identities: Vec<String> = Vec::new();
        let mut add = |text: String| {
            let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned();
            if !text.is_empty() && !identities.contains(&text) {
                identities.push(text);
            }
        };
        for file in files {
            if let Ok(text) = fs::read_to_string(whole.directory.join(file)) {
                add(text);
            }
        }
        // SCSI page 0x80 (unit serial number): four bytes of header, then text.
        if let Ok(page) = fs::read(whole.directory.join("device/vpd_pg80")) {
            add(String::from_utf8_lossy(page.get(4..).unwrap_or_default()).into_owned());
        }
        let (major, minor) = whole.number;
        let udev = system.udev.join("data").join(format!("b{major}:{minor}"));
        let text = fs::read_to_string(udev).unwrap_or_default();
        for key in ["ID_SERIAL_SHORT", "ID_SCSI_SERIAL", "ID_SERIAL", "ID_WWN"] {
            let prefix = format!("E:{key}=");
            text.lines().filter_map(|line| line.strip_prefix(&prefix)).for_each(|value| {
                add(value.to_owned());
            });
        }
        identities
    }

    /// The model as the drive names itself, if it does.
    pub fn model(&self) -> Option<String> {
        let text = fs::read_to_string(self.whole().ok()?.directory.join("device/model")).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// The regular file behind each loop device.
pub(crate) fn loop_files(system: &System) -> Vec<(String, PathBuf)> {
    let names = list(&system.sys.join("block")).unwrap_or_default();
    let backing = |name: String| {
        let file = system.sys.join("block").join(&name).join("loop/backing_file");
        let text = fs::read_to_string(file).ok()?;
        Some((name, PathBuf::from(text.trim_end_matches('\n'))))
    };
    names.into_iter().filter_map(backing).collect()
}

/// The swap files in use.
pub(crate) fn swap_files(system: &System) -> io::Result<Vec<PathBuf>> {
    let swaps = fs::read_to_string(system.proc.join("swaps"))?;
    let lines = swaps.lines().skip(1);
    Ok(lines.map(|line| PathBuf::from(unescape(first_word(line)))).collect())
}

/// Where a device is mounted, by `/proc/self/mountinfo`: its number in the third field, or its
/// name as the source (file systems over several devices have numbers of their own).
fn mount_points(mounts: &str, device: &Device) -> Vec<String> {
    let number = format!("{}:{}", device.number.0, device.number.1);
    let matching = mounts.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut fields = left.split(' ').skip(2);
        let same_number = fields.next()? == number;
        let point = fields.nth(1)?;
        let source = right.split(' ').nth(1).unwrap_or_default();
        (same_number || names_device(source, &device.name)).then(|| unescape(point))
    });
    matching.collect()
}

/// Whether a source such as `/dev/sdb1` or `/dev/disk/by-id/...` is the device of that name.
fn names_device(source: &str, name: &str) -> bool {
    let source = unescape(source);
    let Some(rest) = source.strip_prefix("/dev/") else { return false };
    // sysfs writes `!` where a device's name has a slash.
    if rest == name || rest.replace('/', "!") == name {
        return true;
    }
    let target = fs::canonicalize(&source).ok();
    target.and_then(|target| file_name(&target).ok()).is_some_and(|target| target == name)
}

/// Turns the octal escapes of `/proc` (`\040`) into characters.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match tail {
            [a, b, c, ..] if *first == b'\\' => octal([*a, *b, *c]),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal(digits: [u8; 3]) -> Option<u8> {
    let text = std::str::from_utf8(&digits).ok()?;
    u8::from_str_radix(text, 8).ok()
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
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
fn list(directory: &Path) -> io::Result<Vec<String>> {
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
