//! The programs of a database test, and how they are started: never through a shell, never as root,
//! never beyond the life of the one that started them.

use super::DatabaseError;
use process::{self, Running};
use rustix::process::Signal;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// How they are installed on Debian and Ubuntu.
pub const INSTALL: &str = "apt-get install --no-install-recommends mariadb-server-core sysbench";
/// How often a program that runs is looked at.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// How many looks a time is.
pub(super) fn looks(time: Duration) -> u32 {
    u32::try_from(time.as_millis() / LOOK.as_millis()).unwrap_or(u32::MAX)
}

/// Where the programs are. A name without a slash is looked up in the search path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The server.
    pub mariadbd: PathBuf,
    /// The load.
    pub sysbench: PathBuf,
    /// Where sysbench's own scripts are found by name; empty if it knows them.
    pub script: String,
}

impl Programs {
    /// The programs of the search path.
    pub fn installed() -> Self {
        Programs {
            // Debian has it in a directory that is in root's search path only.
            mariadbd: first(&["/usr/sbin/mariadbd", "/usr/libexec/mariadbd", "/usr/sbin/mysqld"])
                .unwrap_or_else(|| "mariadbd".into()),
            sysbench: "sysbench".into(),
            script: "oltp_read_write".to_owned(),
        }
    }

    /// Makes sure that all of them can be started; returns the version of the server.
    ///
    /// # Errors
    /// The first that cannot, and how to install it.
    pub fn check(&self) -> Result<String, DatabaseError> {
        for program in [process::starter(), &self.sysbench] {
            output(Command::new(program).arg("--version"), program)?;
        }
        let mut server = Command::new(&self.mariadbd);
        let text = output(server.args(["--no-defaults", "--version"]), &self.mariadbd)?;
        Ok(text.trim().to_owned())
    }

    /// A command that ends when this process does, as another user if one is named.
    pub(super) fn guarded(&self, program: &Path, user: Option<(u32, u32)>) -> Command {
        let mut command = process::bound(program, user);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C");
        command.stdin(Stdio::null());
        command
    }
}

fn first(places: &[&str]) -> Option<PathBuf> {
    places.iter().map(PathBuf::from).find(|place| place.exists())
}

fn output(command: &mut Command, program: &Path) -> Result<String, DatabaseError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| missing(program, &error))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// That a program could not be started.
pub(super) fn missing(program: &Path, error: &std::io::Error) -> DatabaseError {
    let program = program.display().to_string();
    match error.kind() {
        ErrorKind::NotFound => DatabaseError::Missing { program },
        _ => DatabaseError::Failed { what: program, why: error.to_string() },
    }
}

/// What a program printed.
pub(super) struct Said {
    pub success: bool,
    pub output: String,
    pub errors: String,
}

/// Runs programs side by side to their ends; `look` is called in between and may end them all.
pub(super) fn run_all(
    commands: Vec<Command>,
    program: &Path,
    look: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<Said>, DatabaseError> {
    let mut running = Vec::new();
    for mut command in commands {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| missing(program, &error))?;
        // Threads, because a full pipe would block it.
        let output = child.stdout.take().map(read_all);
        let errors = child.stderr.take().map(read_all);
        let running_now = Running::new(child, Signal::TERM, Duration::from_secs(5));
        running.push((running_now, output, errors));
    }
    while running.iter_mut().any(|(process, ..)| process.ended().is_none()) {
        if look().is_break() {
            // Dropping them ends them.
            return Err(DatabaseError::Cancelled);
        }
        thread::sleep(LOOK);
    }
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let said = |(mut process, output, errors): (Running, _, _)| Said {
        success: process.ended() == Some(true),
        output: text(output),
        errors: text(errors),
    };
    Ok(running.into_iter().map(said).collect())
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
