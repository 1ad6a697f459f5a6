//! Requests to the guard, and its decisions.

use super::served::ServedDrive;
use crate::device::Device;
use std::path::PathBuf;

/// What a user wants to do, and what has been confirmed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The file or device.
    pub path: PathBuf,
    /// Whether the job writes or trims (see [`crate::RealJob::writes`]).
    pub writes: bool,
    /// Whether it is to be purged (see [`crate::purge`]), which destroys all data at once.
    pub purge: bool,
    /// `--overwrite`: an existing file that drivelab did not make may be overwritten.
    pub overwrite: bool,
    /// `--destroy-data SERIAL`: the serial number of the device whose data may be destroyed.
    pub destroy_data: Option<String>,
}

impl Request {
    /// Whether data can be lost by it.
    pub(super) fn destroys(&self) -> bool {
        self.writes || self.purge
    }
}

/// What a [`crate::Permit`] is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermitKind {
    /// A file that will be made.
    NewFile,
    /// A file that drivelab made earlier.
    OwnFile,
    /// Someone's file: to be read, or overwritten with the user's consent.
    ForeignFile,
    /// A block device.
    BlockDevice(Device),
    /// A modelled drive behind a socket.
    ServedDrive(ServedDrive),
}

/// A decision in favour. It is the same again as long as nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub request: Request,
    pub path: PathBuf,
    pub kind: PermitKind,
    pub may_write: bool,
    /// Device and inode of what was examined; `None` if it is to be made.
    pub identity: Option<(u64, u64)>,
    /// Why, as a clause.
    pub why: String,
}
