//! The programs beside fio that are started: smartctl, nvme, hdparm, blkdiscard.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the programs are. A name without a slash is looked up in the search path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Of smartmontools.
    pub smartctl: PathBuf,
    /// Of nvme-cli.
    pub nvme: PathBuf,
    /// Of hdparm.
    pub hdparm: PathBuf,
    /// Of util-linux.
    pub blkdiscard: PathBuf,
}

impl Tools {
    /// The programs of the search path.
    pub fn installed() -> Self {
        Self {
            smartctl: "smartctl".into(),
            nvme: "nvme".into(),
            hdparm: "hdparm".into(),
            blkdiscard: "blkdiscard".into(),
        }
    }

    /// The programs of one directory. Tests put programs of their own there.
    pub fn in_directory(directory: &Path) -> Self {
        let at = |program: PathBuf| directory.join(program);
        let names = Self::installed();
        Self {
            smartctl: at(names.smartctl),
            nvme: at(names.nvme),
            hdparm: at(names.hdparm),
            blkdiscard: at(names.blkdiscard),
        }
    }
}

/// Why a program was of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// It is not installed.
    #[error("{program}: there is no such program; install {package}")]
    Missing {
        /// What was looked for.
        program: String,
        /// Its package on Debian and Ubuntu.
        package: &'static str,
    },
    /// It cannot be started.
    #[error("{program}: {reason}")]
    Unusable {
        /// What was started.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// It was asked about a path that is none for it.
    #[error("{path}: {reason}")]
    BadPath {
        /// The path.
        path: String,
        /// Why, and what to give instead.
        reason: String,
    },
    /// It failed, and says why.
    #[error("{command} failed: {reason}")]
    Failed {
        /// The command line.
        command: String,
        /// What it said.
        reason: String,
    },
    /// It printed what cannot be read.
    #[error(transparent)]
    Unreadable(#[from] smart::SmartError),
}

/// What a program left behind.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Its exit code; -1 if a signal ended it.
    pub code: i32,
    /// What it printed.
    pub text: String,
    /// What it wrote to its error output, without blanks at the ends.
    pub messages: String,
    /// The command line, for messages.
    pub command: String,
}

impl Answer {
    /// That it failed, in its own words.
    pub fn failure(&self) -> ToolError {
        let said = [self.messages.as_str(), self.text.trim()];
        let said = said.into_iter().find(|text| !text.is_empty());
        let reason = match said.and_then(|text| text.lines().last()) {
            Some(last) => format!("{} (exit code {})", last.trim(), self.code),
            None => format!("it said nothing (exit code {})", self.code),
        };
        ToolError::Failed { command: self.command.clone(), reason }
    }

    /// Its text if it succeeded.
    pub fn success(self) -> Result<String, ToolError> {
        if self.code == 0 { Ok(self.text) } else { Err(self.failure()) }
    }
}

/// Runs a program to its end, never through a shell.
pub(crate) fn ask<A: AsRef<OsStr>>(
    program: &Path,
    package: &'static str,
    arguments: &[A],
) -> Result<Answer, ToolError> {
    let name = program.display().to_string();
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => ToolError::Missing { program: name.clone(), package },
        _ => ToolError::Unusable { program: name.clone(), reason: error.to_string() },
    })?;
    let words = arguments.iter().map(|a| a.as_ref().to_string_lossy().into_owned());
    let short = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Answer {
        code: output.status.code().unwrap_or(-1),
        text: String::from_utf8_lossy(&output.stdout).into_owned(),
        messages: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        command: std::iter::once(short).chain(words).collect::<Vec<_>>().join(" "),
    })
}

/// Refuses a path that a program could take for an option, or that is relative: a log is asked of
/// a device.
pub(crate) fn check_device_path(path: &Path) -> Result<(), ToolError> {
    let bad = |reason: &str| {
        let path = path.display().to_string();
        Err(ToolError::BadPath { path, reason: reason.to_owned() })
    };
    if !path.is_absolute() {
        return bad("no absolute path; name the device, e.g. /dev/nvme0");
    }
    if !path.exists() {
        return bad("there is no such device; see which there are with lsblk");
    }
    Ok(())
}
