//! Why a path may not be used, and what to do about it.

use std::path::{Path, PathBuf};

/// The kind of a refusal, for programs and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The name holds characters that a job file cannot carry safely.
    Name,
    /// Neither the file nor the directory it would be created in exists.
    Missing,
    /// The path is a directory.
    Directory,
    /// The path is a symbolic link.
    Symlink,
    /// The path is a character device, a pipe or a socket.
    NotADrive,
    /// The path is in a file system that the kernel makes up (`/proc`, `/sys`, `/dev`).
    PseudoFile,
    /// An existing file that drivelab did not make.
    ForeignFile,
    /// The file has several names; writing through one changes all.
    HardLinks,
    /// Mounted, used as swap, part of an array or a volume, or claimed by the kernel.
    InUse,
    /// A whole device with partitions.
    Partitioned,
    /// The device holds a file system, a partition table, or part of a volume.
    Signature,
    /// The serial number was not given.
    NotConfirmed,
    /// The serial number given is another device's.
    WrongSerial,
    /// Another drive of the machine has the serial number given, too.
    SharedSerial,
    /// The device reports no serial number.
    NoSerial,
    /// The device cannot be written.
    ReadOnlyDevice,
    /// There is not enough free space.
    NoRoom,
    /// What must be known for a decision could not be found out.
    Unknown,
    /// The target has changed since it was permitted.
    Changed,
}

/// A path that is not to be used: why, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}; {help}")]
pub struct Refusal {
    /// The path as given.
    pub path: PathBuf,
    /// What kind of refusal it is.
    pub reason: Reason,
    /// Why, as a clause.
    pub why: String,
    /// What to do instead, as a clause.
    pub help: String,
}

impl Refusal {
    /// A refusal of `path`.
    pub(crate) fn new(
        path: &Path,
        reason: Reason,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { path: path.to_path_buf(), reason, why: why.into(), help: help.into() }
    }
}
