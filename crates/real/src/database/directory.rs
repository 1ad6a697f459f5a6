//! The directory in which a database is made: what it has to be, and what is made in it.
//!
//! Nothing that exists is written to. A new directory is made in the one that the user named, and
//! removed when it is no longer needed; naming it is the consent, as with a file that is yet to be
//! made.

use super::{DatabaseError, script};
use crate::guard::check_name;
use crate::refusal::{Reason, Refusal};
use crate::scratch::Scratch;
use crate::space;
use crate::system::System;
use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, chownat, fchmod, mkdirat, openat};
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Names in the directory of a server.
const DATA: &str = "data";
const RUN: &str = "run";
const FIRST_WORDS: &str = "init.sql";
const SCRIPT: &str = "status.lua";
/// What the server does first.
const CREATE: &str = "CREATE DATABASE IF NOT EXISTS sbtest;\n";

/// Longest path of a socket on Linux, bytes, less its own name and some digits of the directory's.
const SOCKET_ROOM: usize = 60;

impl System {
    /// Decides whether databases of this size may be made in a directory; writes nothing. The path
    /// comes back absolute.
    ///
    /// # Errors
    /// The first reason against it.
    pub fn examine_directory(&self, given: &Path, bytes: u64) -> Result<PathBuf, Refusal> {
        let refuse = |reason, why: &str, help: &str| Err(Refusal::new(given, reason, why, help));
        check_name(given)?;
        let Ok(metadata) = fs::symlink_metadata(given) else {
            return refuse(Reason::Missing, "there is no such directory", "make it first");
        };
        if metadata.file_type().is_symlink() {
            return refuse(Reason::Symlink, "it is a symbolic link", "name the directory itself");
        }
        if !metadata.is_dir() {
            let help = "name a directory on the drive to be tested";
            return refuse(Reason::NotADrive, "a database needs a directory", help);
        }
        let path = fs::canonicalize(given).map_err(|error| {
            let why = format!("its path cannot be resolved ({error})");
            Refusal::new(given, Reason::Unknown, why, "name another directory")
        })?;
        check_name(&path)?;
        self.refuse_pseudo(given, &path)?;
        if path.as_os_str().len() > SOCKET_ROOM {
            let help = "name a directory with a shorter path";
            return refuse(Reason::Name, "its path is too long for the server's socket", help);
        }
        if let Ok(free) = space::free(&path)
            && free < bytes
        {
            let (needed, free) = (space::text(bytes), space::text(free));
            let why = format!("the databases need {needed}, and {free} are free");
            let help = "take fewer rows, tables or vms (--param rows=10000 --param tables=4)";
            return refuse(Reason::NoRoom, &why, help);
        }
        Ok(path)
    }
}

/// The directory of one server. Nobody but its maker can change what is in it: files that are read
/// are there, and what the server writes goes to two directories in it that belong to the server.
pub(super) struct Home {
    scratch: Scratch,
    /// The user that the server runs as, if it is another one.
    pub user: Option<(u32, u32)>,
}

impl Home {
    /// Makes one in a directory that was examined, for a user without rights if we are root.
    pub(super) fn new(root: &Path) -> Result<Self, DatabaseError> {
        let scratch = Scratch::new(root).map_err(|error| failed(root, &error))?;
        let user = match rustix::process::geteuid().is_root() {
            true => Some(unprivileged()),
            false => None,
        };
        if user.is_some() {
            enterable(root)?;
        }
        let home = Home { scratch, user };
        home.fill().map_err(|error| failed(home.path(), &error))?;
        Ok(home)
    }

    /// Everything is made relative to the open directory and without following links: the one whose
    /// directory we were given could put another in its place meanwhile.
    fn fill(&self) -> std::io::Result<()> {
        let directory = self.scratch.directory();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        for (name, text) in [(FIRST_WORDS, CREATE), (SCRIPT, script::STATUS)] {
            let file = openat(directory, name, flags | OFlags::CLOEXEC, Mode::from(0o644))?;
            File::from(file).write_all(text.as_bytes())?;
        }
        for name in [DATA, RUN] {
            mkdirat(directory, name, Mode::from(0o700))?;
            if let Some((uid, gid)) = self.user {
                let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
                chownat(directory, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
            }
        }
        // The server passes through; the list of names is for the maker only.
        fchmod(directory, Mode::from(if self.user.is_some() { 0o711 } else { 0o700 }))?;
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.scratch.path()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path().join(DATA)
    }

    /// What the server makes beside its data.
    pub(super) fn run(&self) -> PathBuf {
        self.path().join(RUN)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.run().join("s")
    }

    /// Statements that the server does first.
    pub(super) fn first_words(&self) -> PathBuf {
        self.path().join(FIRST_WORDS)
    }

    /// The script that asks for counters.
    pub(super) fn script(&self) -> PathBuf {
        self.path().join(SCRIPT)
    }

    /// The server's log; it appends its own ending.
    pub(super) fn log(&self) -> PathBuf {
        self.run().join("server.err")
    }

    /// Leaves it where it is.
    pub(super) fn keep(self) -> PathBuf {
        self.scratch.keep()
    }
}

fn failed(what: &Path, error: &dyn std::fmt::Display) -> DatabaseError {
    DatabaseError::Failed { what: what.display().to_string(), why: error.to_string() }
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
            let help = "name a directory that everyone can enter, or run as another user";
            return Err(Refusal::new(root, Reason::Unknown, why, help).into());
        }
    }
    Ok(())
}
