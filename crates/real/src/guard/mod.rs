//! The guard: whether a path may be used, decided before anything is run.
//!
//! - A regular file that does not exist may be made; drivelab marks it as its own
//!   ([`crate::marker`]) and may use it again as long as it holds what drivelab left in it. Any
//!   other existing file needs `--overwrite`, and none that is in use or holds a file system or a
//!   partition table is written.
//! - A block device may be written only if nobody uses it or its relatives, it holds nothing
//!   that is known ([`crate::signature`]), and the user has typed its serial number.
//! - A purge destroys more than any job, and needs the same consent, also if the job only reads.
//! - A job that only reads may read an existing file or device; fio gets the same restriction.
//! - A drive that the user's own `drivelab serve` serves may be used; what it keeps in a file needs
//!   `--overwrite`.
//! - Everything else is refused, and each refusal says how to fix it.

mod decision;
mod device;
mod name;
mod permit;
mod served;

pub use decision::{PermitKind, Request};
pub(crate) use name::check_name;
pub use permit::Permit;
pub use served::ServedDrive;
pub(crate) use served::connect;

use crate::claim::Claim;
use crate::device as block;
use crate::marker::{self, Sidecar};
use crate::refusal::{Reason, Refusal};
use crate::signature;
use crate::system::System;
use crate::users;
use decision::Decision;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

impl System {
    /// Decides whether a path may be used, and claims it; writes nothing.
    ///
    /// # Errors
    ///
    /// The first reason against it.
    pub fn examine(&self, request: &Request) -> Result<Permit, Refusal> {
        let decision = self.decide(request)?;
        let device = matches!(decision.kind, PermitKind::BlockDevice(_));
        let stand_in = self.stand_ins.contains_key(&decision.path);
        let exclusive = device && request.destroys() && !stand_in;
        let claim = Claim::take(&request.path, &decision.path, exclusive)?;
        Ok(Permit::new(decision, claim))
    }

    pub(crate) fn decide(&self, request: &Request) -> Result<Decision, Refusal> {
        let given = request.path.as_path();
        let refuse = |reason, why: &str, help: &str| Refusal::new(given, reason, why, help);
        check_name(given)?;
        let metadata = match fs::symlink_metadata(given) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return self.new_file(request),
            Err(error) => return Err(unknown(given, "it cannot be examined", &error)),
        };
        let kind = metadata.file_type();
        if kind.is_symlink() {
            let target = fs::canonicalize(given);
            let help = target.map_or("name a file or a device itself".to_owned(), |target| {
                format!("if that is what you mean, name it: {}", target.display())
            });
            return Err(refuse(Reason::Symlink, "it is a symbolic link", &help));
        }
        if kind.is_dir() {
            let help = format!("name a file in it, e.g. {}", given.join("drivelab.dat").display());
            return Err(refuse(Reason::Directory, "it is a directory", &help));
        }
        let path = fs::canonicalize(given)
            .map_err(|error| unknown(given, "its path cannot be resolved", &error))?;
        check_name(&path)?;
        if let Some(number) = self.stand_ins.get(&path) {
            return self.block_device(request, path, *number, &metadata);
        }
        if kind.is_block_device() {
            let number = block::split_number(metadata.rdev());
            return self.block_device(request, path, number, &metadata);
        }
        if kind.is_socket() {
            return served(request, path, &metadata);
        }
        if !kind.is_file() {
            let why =
                if kind.is_char_device() { "it is a character device" } else { "it is a pipe" };
            let help = "name a regular file or a block device such as /dev/sdb or /dev/nvme0n1";
            return Err(refuse(Reason::NotADrive, why, help));
        }
        self.existing_file(request, path, &metadata)
    }

    fn new_file(&self, request: &Request) -> Result<Decision, Refusal> {
        let given = request.path.as_path();
        let directory = match given.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = given.file_name().ok_or_else(|| {
            Refusal::new(given, Reason::Missing, "it names no file", "name a file")
        })?;
        let directory = fs::canonicalize(directory).map_err(|_| {
            let why = format!("there is no directory {}", directory.display());
            Refusal::new(given, Reason::Missing, why, "create it, or name another directory")
        })?;
        let path = directory.join(name);
        check_name(&path)?;
        self.refuse_pseudo(given, &path)?;
        if marker::look(&path, None) == Sidecar::Foreign {
            let marker = marker::marker_path(&path);
            let why = format!("the path of its marker is used by {}", marker.display());
            let help = "name another file";
            return Err(Refusal::new(given, Reason::ForeignFile, why, help));
        }
        Ok(Decision {
            request: request.clone(),
            path,
            kind: PermitKind::NewFile,
            may_write: true,
            identity: None,
            why: "a new file, which drivelab makes and marks as its own".to_owned(),
        })
    }

    fn existing_file(
        &self,
        request: &Request,
        path: PathBuf,
        metadata: &Metadata,
    ) -> Result<Decision, Refusal> {
        let given = request.path.as_path();
        self.refuse_pseudo(given, &path)?;
        let sidecar = marker::look(&path, Some(metadata));
        let own = sidecar == Sidecar::Matches;
        if own || request.destroys() {
            self.check_file_is_free(given, &path, metadata)?;
        }
        if request.destroys() && !own {
            check_overwrite(request, sidecar)?;
            let place = request.path.as_path();
            let found = signature::of_path(self, &path, metadata.len())
                .map_err(|error| unknown(place, "whether it holds a file system", &error))?;
            if let Some(found) = found {
                let help = "if its data can go, remove the file, or its signatures (wipefs -a)";
                return Err(Refusal::new(place, Reason::Signature, found, help));
            }
        }
        // A run that was cut off left it: it is ours still, once its content may go.
        let cut_off = sidecar == Sidecar::CutOff && request.destroys();
        let why = match (own, request.destroys()) {
            (true, _) => "drivelab made it, and it holds what drivelab left in it",
            (false, true) if cut_off => {
                "drivelab made it, and what it holds can go: --overwrite was given"
            }
            (false, true) => "its content can go: --overwrite was given",
            (false, false) => "it is only read",
        };
        Ok(Decision {
            request: request.clone(),
            path,
            kind: if own || cut_off { PermitKind::OwnFile } else { PermitKind::ForeignFile },
            may_write: own || request.writes,
            identity: Some((metadata.dev(), metadata.ino())),
            why: why.to_owned(),
        })
    }

    /// Refuses a file that has other names or that anything uses.
    fn check_file_is_free(
        &self,
        given: &Path,
        path: &Path,
        metadata: &Metadata,
    ) -> Result<(), Refusal> {
        if metadata.nlink() > 1 {
            let why = format!("it has {} names (hard links)", metadata.nlink());
            let help = "name a file of its own";
            return Err(Refusal::new(given, Reason::HardLinks, why, help));
        }
        let users = users::of_file(self, path)
            .map_err(|error| unknown(given, "whether it is in use is not known", &error))?;
        if users.is_empty() {
            return Ok(());
        }
        let help = "end that first, or name another file";
        Err(Refusal::new(given, Reason::InUse, users.join(", "), help))
    }
}

/// Decides about a socket. What a served drive holds in memory is drivelab's own; in a file it is
/// the user's.
fn served(request: &Request, path: PathBuf, metadata: &Metadata) -> Result<Decision, Refusal> {
    let given = request.path.as_path();
    let refuse = |why: &str| {
        let help = "name a regular file, a block device such as /dev/nvme0n1, or the socket of a \
                    drive that you serve";
        Err(Refusal::new(given, Reason::NotADrive, why, help))
    };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it is a socket of another user");
    }
    let drive = match ServedDrive::ask(&path) {
        Ok(drive) => drive,
        Err(why) => return refuse(&format!("it is a socket: {why}")),
    };
    if drive.kept && request.destroys() && !request.overwrite {
        let why = "what this served drive holds is kept in a file";
        let help = "to lose its content, add --overwrite, or serve it from memory";
        return Err(Refusal::new(given, Reason::ForeignFile, why, help));
    }
    Ok(Decision {
        request: request.clone(),
        path,
        why: format!("it is the {} that drivelab serves", drive.model),
        kind: PermitKind::ServedDrive(drive),
        may_write: true,
        identity: Some((metadata.dev(), metadata.ino())),
    })
}

/// Refuses a file that is not drivelab's unless the user said that its content can go.
fn check_overwrite(request: &Request, sidecar: Sidecar) -> Result<(), Refusal> {
    if request.overwrite {
        return Ok(());
    }
    let why = format!("it exists, and {}", sidecar.why());
    let help = "name a file that does not exist, or, to lose its content, add --overwrite";
    Err(Refusal::new(&request.path, Reason::ForeignFile, why, help))
}

fn unknown(path: &Path, why: &str, error: &io::Error) -> Refusal {
    let help = "what cannot be checked is not written; fix that, or name another path";
    Refusal::new(path, Reason::Unknown, format!("{why} ({error})"), help)
}
