//! Tools of the system: are they there, and what do they say.

use crate::error::CrashError;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program of the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) program: &'static str,
    /// The package of Debian that has it.
    pub(crate) package: &'static str,
}

/// Where tools of root are, besides the places of `PATH`.
const OF_ROOT: [&str; 2] = ["/usr/sbin", "/sbin"];

impl Tool {
    /// Where it is.
    pub(crate) fn find(self) -> Result<PathBuf, CrashError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::env::split_paths(&path).chain(OF_ROOT.map(PathBuf::from));
        let mut found = places.map(|place| place.join(self.program));
        let missing = CrashError::Missing { program: self.program, package: self.package };
        found.find(|file| file.is_file()).ok_or(missing)
    }

    /// Runs it to its end, never through a shell; what it printed.
    pub(crate) fn run<A: AsRef<OsStr>>(self, arguments: &[A]) -> Result<String, CrashError> {
        let words = arguments.iter().map(|word| word.as_ref().to_string_lossy().into_owned());
        let command: Vec<String> = std::iter::once(self.program.to_owned()).chain(words).collect();
        let failed = |said: String| CrashError::Tool { command: command.join(" "), said };
        let output = Command::new(self.find()?)
            .args(arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed(error.to_string()))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => Err(failed(last_lines(&String::from_utf8_lossy(&output.stderr)))),
        }
    }
}

/// The end of what a program said.
pub(crate) fn last_lines(text: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_says_what_it_says() {
        let echo = Tool { program: "echo", package: "coreutils" };
        assert_eq!(echo.run(&["a", "b"]).expect("it runs"), "a b");
        let none = Tool { program: "no-such-program", package: "none" };
        assert!(matches!(none.run::<&str>(&[]), Err(CrashError::Missing { .. })));
        let fails = Tool { program: "ls", package: "coreutils" };
        let said = fails.run(&["/no/such/place"]).expect_err("it fails").to_string();
        assert!(said.starts_with("ls /no/such/place: "), "{said}");
    }

    #[test]
    fn the_end_of_much_is_kept() {
        let text: String = (0..20).map(|i| format!("{i}\n\n")).collect();
        assert_eq!(last_lines(&text), "12\n13\n14\n15\n16\n17\n18\n19");
    }
}
