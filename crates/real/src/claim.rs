//! Exclusive use of a target: an exclusive open of a device that is written, and a lock against a
//! second drivelab.
//!
//! Both belong to the process. The kernel takes them back however the process ends, so nothing
//! stays locked after a crash.

use crate::refusal::{Reason, Refusal};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often a claim is tried again. After a device was written and closed, udev opens it for a
/// moment to see what is on it.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// How often a lock is tried again. A program that is being started has a copy of every lock of its
/// parent until it runs, so a lock that was just given back can be held a moment longer.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Held from the decision to the end of the last use.
#[derive(Debug)]
pub(crate) struct Claim {
    /// Names in the kernel's table of abstract sockets: a name can be taken once.
    _locks: Vec<UnixListener>,
    /// The exclusive open, of devices that are written.
    _device: Option<File>,
}

impl Claim {
    /// Claims a path that was decided on; `exclusive` is for devices that are written or purged.
    /// Locks are by path and, of what exists, by inode or device number: a second name of the same
    /// file or device is found, too.
    pub(crate) fn take(given: &Path, path: &Path, exclusive: bool) -> Result<Self, Refusal> {
        let locks = names(path).iter().map(|name| lock(name)).collect::<io::Result<Vec<_>>>();
        let locks = locks.map_err(|error| taken(given, &error))?;
        let device = if exclusive { Some(open(given, path)?) } else { None };
        Ok(Self { _locks: locks, _device: device })
    }
}

/// Names of the locks. They are hashed because the kernel allows 107 bytes only.
fn names(path: &Path) -> Vec<String> {
    let mut subjects = vec![format!("path {}", path.display())];
    if let Ok(metadata) = fs::metadata(path) {
        subjects.push(match metadata.file_type().is_block_device() {
            true => format!("device {}", metadata.rdev()),
            false => format!("inode {} {}", metadata.dev(), metadata.ino()),
        });
    }
    let hash = |subject: &String| Sha256::digest(subject.as_bytes());
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    subjects.iter().map(|subject| format!("drivelab/{}", hex(&hash(subject)[..16]))).collect()
}

fn lock(name: &str) -> io::Result<UnixListener> {
    let address = SocketAddr::from_abstract_name(name)?;
    let bind = || UnixListener::bind_addr(&address);
    patiently(bind, ErrorKind::AddrInUse, LOCK_ATTEMPTS, LOCK_PAUSE)
}

/// Tries again, so many times in all, while the error is that somebody else has it.
fn patiently<T>(
    attempt: impl Fn() -> io::Result<T>,
    busy: ErrorKind,
    attempts: u32,
    pause: Duration,
) -> io::Result<T> {
    for _ in 1..attempts {
        match attempt() {
            Err(error) if error.kind() == busy => thread::sleep(pause),
            answer => return answer,
        }
    }
    attempt()
}

fn taken(given: &Path, error: &io::Error) -> Refusal {
    if error.kind() == ErrorKind::AddrInUse {
        let why = "another drivelab uses it";
        return Refusal::new(given, Reason::InUse, why, "wait until that run has ended");
    }
    let why = format!("it cannot be locked against a second drivelab ({error})");
    Refusal::new(given, Reason::Unknown, why, "fix that first: what cannot be locked is not used")
}

/// Opens a device as nobody else may have it open exclusively: mounts, arrays and volumes do, also
/// those in other namespaces, which are not in our list of mounts.
fn open(given: &Path, path: &Path) -> Result<File, Refusal> {
    let flags = rustix::fs::OFlags::EXCL.bits() as i32;
    let attempt = || OpenOptions::new().read(true).custom_flags(flags).open(path);
    patiently(attempt, ErrorKind::ResourceBusy, ATTEMPTS, PAUSE).map_err(|error| {
        if error.kind() == ErrorKind::ResourceBusy {
            let why = format!("the kernel says that it is in use ({error})");
            let help = "find out by what (lsblk, lsof), perhaps in a container";
            return Refusal::new(given, Reason::InUse, why, help);
        }
        let why = format!("it cannot be opened ({error})");
        let help = "what cannot be checked is not written; fix that, or name another path";
        Refusal::new(given, Reason::Unknown, why, help)
    })
}
