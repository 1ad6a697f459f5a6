//! The directory in which a database is made: what it has to be, and what is made in it.
//!
//! Nothing that exists is written to. A new directory is made in the one that the user named, and
//! removed when it is no longer needed; naming it is the consent, as with a file that is yet to be
//! made.

use super::DatabaseError;
use crate::guard::{System, check_name};
use crate::refusal::{Reason, Refusal};
use crate::scratch::Scratch;
use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

/// Longest path of a socket on Linux, bytes, less its own name and some digits of the directory's.
const SOCKET_ROOM: usize = 60;

impl System {
    /// Decides whether databases of so many bytes may be made in a directory; writes nothing. The
    /// path comes back absolute.
    ///
    /// # Errors
    /// The first reason against it.
    pub fn examine_directory(&self, given: &Path, bytes: u64) -> Result<PathBuf, Refusal> {
        let refuse = |reason, why: &str, mend: &str| Err(Refusal::new(given, reason, why, mend));
        check_name(given)?;
        let Ok(metadata) = fs::symlink_metadata(given) else {
            return refuse(Reason::Missing, "there is no such directory", "make it first");
        };
        if metadata.file_type().is_symlink() {
            return refuse(Reason::Symlink, "it is a symbolic link", "name the directory itself");
        }
        if !metadata.is_dir() {
            let mend = "name a directory on the drive to be tested";
            return refuse(Reason::NotADrive, "a database needs a directory", mend);
        }
        let path = fs::canonicalize(given).map_err(|error| {
            let why = format!("its place cannot be found ({error})");
            Refusal::new(given, Reason::Unknown, why, "name another directory")
        })?;
        check_name(&path)?;
        self.refuse_pseudo(given, &path)?;
        if path.as_os_str().len() > SOCKET_ROOM {
            let mend = "name a directory with a shorter path";
            return refuse(Reason::Name, "its path is too long for the server's socket", mend);
        }
        let free =
            rustix::fs::statvfs(&path).map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize));
        if let Ok(free) = free
            && free < bytes
        {
            let why = format!(
                "the databases need {:.1} GB, and {:.1} GB are free",
                bytes as f64 / 1e9,
                free as f64 / 1e9
            );
            let mend = "take fewer rows, tables or vms (--param rows=10000 --param tables=4)";
            return refuse(Reason::NoRoom, &why, mend);
        }
        Ok(path)
    }
}

/// The directory of one server: data, log of errors, socket.
pub(super) struct Home {
    scratch: Scratch,
    /// Whom it belongs to, if that is not us.
    pub user: Option<(u32, u32)>,
}

impl Home {
    /// Makes one in a directory that was examined, for a user without rights if we are root.
    pub(super) fn new(root: &Path) -> Result<Self, DatabaseError> {
        let failed = |what: &Path, error: &dyn std::fmt::Display| DatabaseError::Failed {
            what: what.display().to_string(),
            why: error.to_string(),
        };
        let scratch = Scratch::new(root).map_err(|error| failed(root, &error))?;
        let user = match rustix::process::geteuid().is_root() {
            true => Some(unprivileged()),
            false => None,
        };
        let home = Home { scratch, user };
        fs::create_dir(home.data()).map_err(|error| failed(&home.data(), &error))?;
        fs::write(home.first_words(), "CREATE DATABASE IF NOT EXISTS sbtest;\n")
            .map_err(|error| failed(&home.first_words(), &error))?;
        if let Some((uid, gid)) = user {
            enterable(root)?;
            for path in [home.path(), &home.data(), &home.first_words()] {
                chown(path, Some(uid), Some(gid)).map_err(|error| failed(path, &error))?;
            }
        }
        Ok(home)
    }

    pub(super) fn path(&self) -> &Path {
        self.scratch.path()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path().join("s")
    }

    /// Statements that the server does first.
    pub(super) fn first_words(&self) -> PathBuf {
        self.path().join("init.sql")
    }

    /// The server's log; it appends its own ending.
    pub(super) fn log(&self) -> PathBuf {
        self.path().join("server.err")
    }

    /// Leaves it where it is.
    pub(super) fn keep(self) -> PathBuf {
        self.scratch.keep()
    }
}

/// The user `mysql` if there is one, else `nobody`.
fn unprivileged() -> (u32, u32) {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let find = |name: &str| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let known = fields.next() == Some(name);
            let id = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
            let (uid, gid) = (id(fields.nth(1)), id(fields.next()));
            uid.zip(gid).filter(|_| known)
        })
    };
    find("mysql").or_else(|| find("nobody")).unwrap_or((65534, 65534))
}

/// The server's user must be able to get there.
fn enterable(root: &Path) -> Result<(), DatabaseError> {
    for place in root.ancestors() {
        let closed = fs::metadata(place).is_ok_and(|metadata| metadata.mode() & 0o001 == 0);
        if closed {
            let why = format!(
                "the server does not run as root, and {} can be entered by its owner only",
                place.display()
            );
            let mend = "name a directory that everyone can enter, or run as another user";
            return Err(Refusal::new(root, Reason::Unknown, why, mend).into());
        }
    }
    Ok(())
}
