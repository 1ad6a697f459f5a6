//! Why a crash test cannot go on.

use std::io;
use std::path::PathBuf;

/// Why a crash test cannot begin or go on. A check that fails is none of these: it is a result.
#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    /// A program is not installed.
    #[error("{program} is not installed; it is in Debian's package {package}")]
    Missing {
        /// The program.
        program: &'static str,
        /// Its package.
        package: &'static str,
    },
    /// A mount needs rights that this user does not have.
    #[error("a file system is mounted by root only")]
    NotRoot,
    /// A tool of the system failed.
    #[error("{command}: {said}")]
    Tool {
        /// What was started.
        command: String,
        /// What it said.
        said: String,
    },
    /// A program of the user failed where it must not.
    #[error("{what} failed: {said}")]
    Program {
        /// Which.
        what: &'static str,
        /// Its last words.
        said: String,
    },
    /// A command of the user did not come to an answer: nothing is known of what was promised.
    #[error("{what} came to no answer: {why}")]
    NoAnswer {
        /// Which.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// Something is not as it was made.
    #[error("{0}")]
    Unexpected(String),
    /// The server could not be started, or ended.
    #[error("the served drive: {0}")]
    Server(String),
    /// What the system says.
    #[error("{path}: {error}")]
    System {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The user wants an end.
    #[error("interrupted")]
    Interrupted,
}
