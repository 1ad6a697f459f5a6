//! The installed fio: its version and the options that it supports.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// fio as found on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledFio {
    program: PathBuf,
    version: String,
}

/// Why fio cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum InstalledError {
    /// It is not installed.
    #[error(
        "{program}: there is no such program; install fio (on Debian and Ubuntu the package \
         `fio`: apt install fio)"
    )]
    Missing {
        /// What was looked for.
        program: String,
    },
    /// It cannot be started, or is something else.
    #[error("{program}: {reason}")]
    Unusable {
        /// What was started.
        program: String,
        /// What happened.
        reason: String,
    },
}

impl InstalledFio {
    /// Asks the fio of the search path for its version.
    ///
    /// # Errors
    ///
    /// See [`InstalledError`].
    pub fn find() -> Result<Self, InstalledError> {
        Self::at(Path::new("fio"))
    }

    /// Asks a program for its version; a name without a slash is looked up in the search path.
    ///
    /// # Errors
    ///
    /// See [`InstalledError`].
    pub fn at(program: &Path) -> Result<Self, InstalledError> {
        let mut fio = Self { program: program.to_path_buf(), version: String::new() };
        let version = fio.ask("--version")?.trim().to_owned();
        if !version.starts_with("fio-") {
            let reason = format!("this is not fio: its version is `{version}`");
            return Err(fio.unusable(reason));
        }
        fio.version = version;
        Ok(fio)
    }

    /// The version as fio prints it, e.g. `fio-3.33`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether this fio has an option, aliases and lesser ones included.
    ///
    /// # Errors
    ///
    /// See [`InstalledError`].
    pub fn has(&self, option: &str) -> Result<bool, InstalledError> {
        let answer = self.ask(&format!("--cmdhelp={option}"))?;
        Ok(!answer.trim().is_empty() && !answer.contains("No such command"))
    }

    /// Which of the options used (name and place) this fio does not know, nor any of `engines`.
    ///
    /// # Errors
    ///
    /// See [`InstalledError`].
    pub fn unknown_options(
        &self,
        used: &BTreeMap<String, String>,
        engines: &[String],
    ) -> Result<Vec<(String, String)>, InstalledError> {
        let known = self.ask("--cmdhelp")?;
        let mut of_engines = String::new();
        for engine in engines {
            of_engines.push_str(&self.ask(&format!("--enghelp={engine}"))?);
        }
        let listed = |text: &str, name: &str| {
            text.lines().any(|line| line.split(':').next().is_some_and(|key| key.trim() == name))
        };
        let mut unknown = Vec::new();
        for (name, place) in used {
            if listed(&known, name) || listed(&of_engines, name) {
                continue;
            }
            // The list leaves out aliases and the lesser options; asked by name fio knows them.
            if !self.has(name)? {
                unknown.push((name.clone(), place.clone()));
            }
        }
        Ok(unknown)
    }

    /// Runs fio with one argument and yields what it prints.
    fn ask(&self, argument: &str) -> Result<String, InstalledError> {
        let output = self.command().arg(argument).stdin(Stdio::null()).output();
        match output {
            Ok(output) => {
                let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
                text.push_str(&String::from_utf8_lossy(&output.stderr));
                Ok(text)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(InstalledError::Missing { program: self.program.display().to_string() })
            }
            Err(error) => Err(self.unusable(error.to_string())),
        }
    }

    fn command(&self) -> Command {
        careful(Command::new(&self.program))
    }

    /// A command for a run: it ends when this process does.
    pub(crate) fn bound(&self) -> Command {
        careful(process::bound(&self.program, None))
    }

    fn unusable(&self, reason: String) -> InstalledError {
        InstalledError::Unusable { program: self.program.display().to_string(), reason }
    }
}

/// Without what could make fio load or do more than the job says.
fn careful(mut command: Command) -> Command {
    command.env("LC_ALL", "C").env_remove("FIO_EXT_ENG_DIR");
    command
}
