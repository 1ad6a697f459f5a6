//! Programs of the user: started with what they must know, waited for, ended.

use crate::error::CrashError;
use crate::tool::last_lines;
use process::{Running, Signal};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// How often a program is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// What a program is told by its environment.
pub(crate) type Variables = Vec<(&'static str, OsString)>;

/// A program that works.
pub(crate) struct Program {
    running: Running,
    errors: PathBuf,
}

impl Program {
    /// Starts a program. What it prints is kept in `output`, what it complains of in
    /// `output.errors`.
    pub(crate) fn start(
        words: &[OsString],
        variables: &Variables,
        output: &Path,
    ) -> Result<Program, CrashError> {
        let errors = output.with_extension("errors");
        let file = |path: &Path| {
            File::create(path).map_err(|error| CrashError::System { path: path.to_owned(), error })
        };
        let [program, arguments @ ..] = words else {
            return Err(CrashError::Unexpected("no program is named".to_owned()));
        };
        let child = process::bound(Path::new(program), None)
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(file(output)?)
            .stderr(file(&errors)?)
            .spawn()
            .map_err(|error| CrashError::System { path: PathBuf::from(program), error })?;
        Ok(Program { running: Running::new(child, Signal::TERM, Duration::from_secs(2)), errors })
    }

    /// Whether it has ended, and if so whether well.
    pub(crate) fn ended(&mut self) -> Option<bool> {
        self.running.ended()
    }

    /// It and all that it has started are gone at once.
    pub(crate) fn kill(&mut self) {
        self.running.kill();
    }

    /// Why what it says is no answer: it could not be started, or something has ended it.
    fn is_no_answer(&self) -> Option<String> {
        match self.running.code() {
            Some(code @ (126 | 127)) => Some(format!("the shell found nothing to run ({code})")),
            Some(code) if code > 128 => Some(format!("signal {} ended it", code - 128)),
            Some(_) => None,
            None => Some("a signal ended it".to_owned()),
        }
    }

    /// Its last words.
    pub(crate) fn said(&self) -> String {
        said(&self.errors)
    }
}

/// The last words in a file.
fn said(path: &Path) -> String {
    last_lines(&String::from_utf8_lossy(&fs::read(path).unwrap_or_default()))
}

/// Lets a shell run a command of the user to its end, for a time at most; what it said, if it says
/// no. `what` is its name.
///
/// # Errors
/// If it took too long, could not be started, or was ended by a signal: that is no answer.
pub(crate) fn shell(
    (what, command): (&'static str, &str),
    variables: &Variables,
    output: &Path,
    patience: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<Result<(), String>, CrashError> {
    let words = ["/bin/sh", "-c", command].map(OsString::from);
    let mut program = Program::start(&words, variables, output)?;
    let begun = Instant::now();
    loop {
        match program.ended() {
            Some(true) => return Ok(Ok(())),
            Some(false) => {
                let all = [program.said(), said(output)];
                let mut all: Vec<String> =
                    all.into_iter().filter(|text| !text.is_empty()).collect();
                if let Some(why) = program.is_no_answer() {
                    all.insert(0, why);
                    return Err(CrashError::NoAnswer { what, why: all.join("\n") });
                }
                let nothing = || "it said nothing".to_owned();
                return Ok(Err(if all.is_empty() { nothing() } else { all.join("\n") }));
            }
            None if stop() => return Err(CrashError::Interrupted),
            None if begun.elapsed() > patience => {
                program.kill();
                let why = format!("it had not ended after {} s (--patience)", patience.as_secs());
                return Err(CrashError::NoAnswer { what, why });
            }
            None => std::thread::sleep(LOOK),
        }
    }
}
