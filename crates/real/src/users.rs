//! Who uses a device or a file: mounts, swap, loop devices, device-mapper and md, and processes
//! that hold it open. All are compared by device number or inode, never by the spelling of a path.

use crate::device::{Device, list};
use crate::system::System;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often processes are looked at before one that has the target open counts as its user:
/// udev and desktop programs look into what was just written, and are gone in a moment.
const LOOKS: u32 = 15;
const PAUSE: Duration = Duration::from_millis(100);

/// What a path refers to, whatever its spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A block device: major and minor number.
    Device((u32, u32)),
    /// Anything else: device of the file system, and inode.
    Inode(u64, u64),
}

impl Subject {
    /// What `path` is behind its links; `None` if it cannot be examined.
    pub(crate) fn of(system: &System, path: &Path) -> Option<Self> {
        if !system.stand_ins.is_empty()
            && let Ok(real) = fs::canonicalize(path)
            && let Some(number) = system.stand_ins.get(&real)
        {
            return Some(Self::Device(*number));
        }
        let metadata = fs::metadata(path).ok()?;
        Some(match metadata.file_type().is_block_device() {
            true => Self::Device(crate::device::split_number(metadata.rdev())),
            false => Self::Inode(metadata.dev(), metadata.ino()),
        })
    }
}

/// Who uses a device or a part of the same drive, a clause each; empty if nobody does.
///
/// The partitions beside a partition count, too: they share the drive, and a slip of the finger
/// between `sda3` and `sda2` would not be caught by the serial number.
pub(crate) fn of_device(system: &System, device: &Device) -> io::Result<Vec<String>> {
    let whole = device.whole()?;
    let mut family = vec![whole.clone()];
    family.extend(whole.partitions()?);
    let mounts = fs::read_to_string(system.proc.join("self/mountinfo"))?;
    let swaps = swaps(system)?;
    let loops = loops(system);
    let stacks = stacks(system);
    let mut users = Vec::new();
    for device in &family {
        let name = &device.name;
        for point in mount_points(system, &mounts, device) {
            users.push(format!("{name} is mounted at {point}"));
        }
        if swaps.iter().any(|source| is_device(system, source, device)) {
            users.push(format!("{name} is used as swap"));
        }
        for (user, file) in &loops {
            if Subject::of(system, file) == Some(Subject::Device(device.number)) {
                users.push(format!("{name} is behind the loop device {user}"));
            }
        }
        let mut holders = device.holders()?;
        let stacked = stacks.iter().filter(|(_, below)| *below == device.number);
        holders.extend(stacked.map(|(name, _)| name.clone()));
        holders.sort();
        holders.dedup();
        for holder in holders {
            users.push(format!("{name} is held by {holder} (an array or a volume)"));
        }
    }
    if users.is_empty() {
        let subjects: Vec<Subject> =
            family.iter().map(|device| Subject::Device(device.number)).collect();
        users.extend(processes(system, &subjects));
    }
    Ok(users)
}

/// Who uses a regular file, a clause each.
pub(crate) fn of_file(system: &System, path: &Path) -> io::Result<Vec<String>> {
    let Some(subject) = Subject::of(system, path) else {
        return Err(io::Error::other("it cannot be examined"));
    };
    let mut users = Vec::new();
    let same = |other: &Path| other == path || Subject::of(system, other) == Some(subject);
    if swaps(system)?.iter().any(|file| same(file)) {
        users.push("it is used as swap".to_owned());
    }
    for (name, file) in loops(system) {
        // A path of another mount namespace leads nowhere here: a file of the same name may be it.
        let hidden = Subject::of(system, &file).is_none() && file.file_name() == path.file_name();
        if hidden || same(&file) {
            let seems = if hidden { "it seems to be" } else { "it is" };
            users
                .push(format!("{seems} in use as the loop device {name} (losetup -d detaches it)"));
        }
    }
    if users.is_empty() {
        users.extend(processes(system, &[subject]));
    }
    Ok(users)
}

/// Other processes that hold one of these open. As a user without rights one sees one's own only.
fn processes(system: &System, subjects: &[Subject]) -> Vec<String> {
    let mut users = open_in(system, subjects);
    for _ in 1..LOOKS {
        if users.is_empty() {
            break;
        }
        thread::sleep(PAUSE);
        users = open_in(system, subjects);
    }
    users
}

fn open_in(system: &System, subjects: &[Subject]) -> Vec<String> {
    let own = std::process::id().to_string();
    let names = list(&system.proc).unwrap_or_default();
    let others = names.iter().filter(|n| n.bytes().all(|b| b.is_ascii_digit()) && **n != own);
    let user = |pid: &String| {
        let process = system.proc.join(pid);
        let mut open = list(&process.join("fd")).unwrap_or_default().into_iter();
        open.find(|fd| {
            let subject = Subject::of(system, &process.join("fd").join(fd));
            subject.is_some_and(|subject| subjects.contains(&subject))
        })?;
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        let name = if name.trim().is_empty() { "name unknown" } else { name.trim() };
        Some(format!("process {pid} ({name}) holds it open"))
    };
    others.filter_map(user).collect()
}

/// The file or device behind each loop device, by the name with which it was made.
fn loops(system: &System) -> Vec<(String, PathBuf)> {
    let names = list(&system.sys.join("block")).unwrap_or_default();
    let backing = |name: String| {
        let file = system.sys.join("block").join(&name).join("loop/backing_file");
        let text = fs::read_to_string(file).ok()?;
        Some((name, PathBuf::from(text.trim_end_matches('\n'))))
    };
    names.into_iter().filter_map(backing).collect()
}

/// What is used as swap.
fn swaps(system: &System) -> io::Result<Vec<PathBuf>> {
    let swaps = fs::read_to_string(system.proc.join("swaps"))?;
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    Ok(swaps.lines().skip(1).map(|line| PathBuf::from(unescape(&first(line)))).collect())
}

/// Devices that are made of others, each with the number of one below it.
fn stacks(system: &System) -> Vec<(String, (u32, u32))> {
    let block = system.sys.join("block");
    let mut stacks = Vec::new();
    for name in list(&block).unwrap_or_default() {
        let slaves = block.join(&name).join("slaves");
        for slave in list(&slaves).unwrap_or_default() {
            let number = fs::read_to_string(slaves.join(slave).join("dev")).unwrap_or_default();
            stacks.extend(crate::device::parse_number(&number).map(|below| (name.clone(), below)));
        }
    }
    stacks
}

/// Where a device is mounted, by `/proc/self/mountinfo`: its number in the third field, or its
/// node as the source (file systems over several devices have numbers of their own).
fn mount_points(system: &System, mounts: &str, device: &Device) -> Vec<String> {
    let number = format!("{}:{}", device.number.0, device.number.1);
    let matching = mounts.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut fields = left.split(' ').skip(2);
        let same_number = fields.next()? == number;
        let point = fields.nth(1)?;
        let source = PathBuf::from(unescape(right.split(' ').nth(1).unwrap_or_default()));
        (same_number || is_device(system, &source, device)).then(|| unescape(point))
    });
    matching.collect()
}

/// Whether a source such as `/dev/sdb1` or `/dev/disk/by-id/...` is the device: by number where it
/// can be looked at, else by name.
fn is_device(system: &System, source: &Path, device: &Device) -> bool {
    if let Some(subject) = Subject::of(system, source) {
        return subject == Subject::Device(device.number);
    }
    let Ok(rest) = source.strip_prefix("/dev") else { return false };
    // sysfs writes `!` where a device's name has a slash.
    rest.to_string_lossy().replace('/', "!") == device.name
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
