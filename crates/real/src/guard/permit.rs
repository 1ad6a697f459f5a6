//! The guard's consent to use one path, and what holds as long as it is valid.

use super::decision::{Decision, PermitKind};
use crate::claim::Claim;
use crate::marker;
use crate::refusal::{Reason, Refusal};
use crate::space;
use crate::system::System;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The guard's consent to use one path. Only [`System::examine`] makes one. From then on until it
/// is dropped, a device that may be written is open exclusively, and a second drivelab is refused.
#[derive(Clone, Debug)]
pub struct Permit {
    decision: Decision,
    claim: Arc<Claim>,
}

impl Permit {
    pub(super) fn new(decision: Decision, claim: Claim) -> Self {
        Self { decision, claim: Arc::new(claim) }
    }

    /// The path, absolute and without symbolic links.
    pub fn path(&self) -> &Path {
        &self.decision.path
    }

    /// What it is.
    pub fn kind(&self) -> &PermitKind {
        &self.decision.kind
    }

    /// Why it may be used, as a clause.
    pub fn why(&self) -> &str {
        &self.decision.why
    }

    /// Whether it may be written: if not, fio is started with `--readonly`.
    pub fn may_write(&self) -> bool {
        self.decision.may_write
    }

    /// Whether it may be purged: the request asked for that, and it was confirmed.
    pub fn may_purge(&self) -> bool {
        self.decision.request.purge
    }

    /// Whether it is for the same file or device as another.
    pub(crate) fn is_same(&self, other: &Permit) -> bool {
        let (own, its) = (&self.decision, &other.decision);
        let same_device = match (&own.kind, &its.kind) {
            (PermitKind::BlockDevice(own), PermitKind::BlockDevice(its)) => own == its,
            _ => false,
        };
        let same_inode = own.identity.is_some() && own.identity == its.identity;
        own.path == its.path || same_inode || same_device
    }

    /// Current size in bytes; 0 for a file that is yet to be made.
    pub fn size_bytes(&self) -> u64 {
        match self.kind() {
            PermitKind::BlockDevice(device) => device.size_bytes,
            PermitKind::ServedDrive(drive) => drive.bytes,
            _ => fs::metadata(self.path()).map_or(0, |metadata| metadata.len()),
        }
    }

    /// Makes sure that a file of this size has room on its file system; of a device nothing is
    /// asked.
    ///
    /// # Errors
    ///
    /// A refusal that says how much is free.
    pub fn check_room(&self, bytes: u64) -> Result<(), Refusal> {
        match self.kind() {
            PermitKind::BlockDevice(_) | PermitKind::ServedDrive(_) => Ok(()),
            _ => space::check(&self.decision.request.path, self.path(), bytes),
        }
    }

    /// A permit for the same request, decided again, while the target stays claimed: a file that
    /// was to be made is there by now.
    ///
    /// # Errors
    ///
    /// The first reason against it.
    pub fn renewed(&self, system: &System) -> Result<Permit, Refusal> {
        let decision = system.decide(&self.decision.request)?;
        if decision.path != self.decision.path {
            return Err(self.changed());
        }
        Ok(Permit { decision, claim: Arc::clone(&self.claim) })
    }

    /// Examines everything again; nothing may have changed.
    pub(crate) fn recheck(&self, system: &System) -> Result<(), Refusal> {
        match system.decide(&self.decision.request)? == self.decision {
            true => Ok(()),
            false => Err(self.changed()),
        }
    }

    fn changed(&self) -> Refusal {
        let why = "it has changed since it was examined";
        let help = "make sure that nothing else uses the path, and run again";
        Refusal::new(&self.decision.request.path, Reason::Changed, why, help)
    }

    /// Makes ready: examines everything again, makes the file if it is to be new, and marks a file
    /// of ours as being written.
    pub(crate) fn prepare(&self, system: &System) -> Result<(), Refusal> {
        self.recheck(system)?;
        let made = match self.kind() {
            PermitKind::NewFile => marker::create(self.path()),
            PermitKind::OwnFile => marker::begin(self.path()),
            PermitKind::ForeignFile | PermitKind::BlockDevice(_) | PermitKind::ServedDrive(_) => {
                Ok(())
            }
        };
        made.map_err(|error| {
            let help = "name a directory where files can be created";
            let why = format!("it cannot be created or marked ({error})");
            Refusal::new(&self.decision.request.path, Reason::Missing, why, help)
        })
    }

    /// Brings the marker up to date after a run. A file that was made for a run which did not come
    /// to its end is removed: it is neither whole nor of use.
    pub(crate) fn conclude(&self, complete: bool) -> io::Result<()> {
        match self.kind() {
            PermitKind::NewFile if !complete => marker::discard(self.path()).map(|_| ()),
            PermitKind::NewFile | PermitKind::OwnFile => marker::conclude(self.path()),
            PermitKind::ForeignFile | PermitKind::BlockDevice(_) | PermitKind::ServedDrive(_) => {
                Ok(())
            }
        }
    }
}
