//! The text of a job file, cut into sections exactly as fio cuts it.
//!
//! `fio::jobfile` gives options their meaning and refuses mistakes; here only names and values
//! matter, since the file goes to the installed fio, which may know more options.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest line handed to fio, bytes: it reads into 4096, and what does not fit would be taken
/// for another line.
const LINE_MAX: usize = 4000;
/// Longest name of a section, bytes; fio cuts it at 255.
const NAME_MAX: usize = 250;
/// Includes inside includes that are followed.
const DEPTH_MAX: usize = 16;

/// Bytes in a value, from above: of a range (`1m-2m`) the greater end. `None` for anything that is
/// no number of bytes, percentages included.
pub(crate) fn bytes(value: &str) -> Option<u64> {
    let whole = fio::most_bytes(value);
    let ends = || value.split_once('-').map(|(low, high)| bytes(low).max(bytes(high)));
    whole.or_else(|| ends().flatten())
}

/// One `name` or `name=value` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name as written.
    pub name: String,
    /// Value after expansion of `${NAME}`; `None` for a flag.
    pub value: Option<String>,
    /// File and line, for messages.
    pub place: String,
}

/// A section with its settings in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The text between the brackets.
    pub name: String,
    /// File and line, for messages.
    pub place: String,
    /// Its settings.
    pub settings: Vec<Setting>,
}

impl Section {
    /// Whether its settings are defaults for the jobs below it.
    pub fn is_global(&self) -> bool {
        // fio looks at the first six letters only.
        self.name.starts_with("global")
    }
}

/// What a job file may depend on besides itself.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// Name of the file in messages.
    pub name: String,
    /// Where relative names of included files and traces start.
    pub base_dir: PathBuf,
    /// Values of `${NAME}`.
    pub variables: BTreeMap<String, String>,
}

/// A job file that cannot be run on a real drive: where, why, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}; {help}")]
pub struct JobError {
    /// File and line.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl JobError {
    pub(crate) fn new(place: &str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: place.to_owned(), what: what.into(), help: help.into() }
    }
}

/// Cuts a job file into sections; includes are expanded in place.
///
/// # Errors
///
/// A line that is not a section, setting or comment; a variable without a value; an include that
/// cannot be read.
pub fn read(text: &str, options: &SourceOptions) -> Result<Vec<Section>, JobError> {
    let mut sections = Vec::new();
    read_into(text, &options.name, options, 0, &mut sections)?;
    Ok(sections)
}

fn read_into(
    text: &str,
    file: &str,
    options: &SourceOptions,
    depth: usize,
    sections: &mut Vec<Section>,
) -> Result<(), JobError> {
    for (i, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", i + 1);
        let line = strip(line);
        if line.is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            if depth > 0 {
                let what = "an included file must not have sections";
                return Err(JobError::new(&place, what, "move the section to the job file"));
            }
            let Some(end) = rest.rfind(']') else {
                return Err(JobError::new(&place, "a section without `]`", "write [name]"));
            };
            let name = rest[..end].to_owned();
            if name.len() > NAME_MAX {
                let what = "the name of the section is too long for fio";
                return Err(JobError::new(&place, what, "shorten it"));
            }
            sections.push(Section { name, place, settings: Vec::new() });
            continue;
        }
        let included = line.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t']));
        if let Some(name) = included {
            let path = options.base_dir.join(name.trim());
            let inner = fs::read_to_string(&path).map_err(|error| {
                let what = format!("{} cannot be included: {error}", path.display());
                JobError::new(&place, what, "correct its name")
            })?;
            if depth >= DEPTH_MAX {
                let what = "too many includes inside each other";
                return Err(JobError::new(&place, what, "see whether a file includes itself"));
            }
            read_into(&inner, &path.display().to_string(), options, depth + 1, sections)?;
            continue;
        }
        let setting = setting(line, &place, options)?;
        match sections.last_mut() {
            Some(section) => section.settings.push(setting),
            None => {
                let what = format!("`{}` is before the first section", setting.name);
                return Err(JobError::new(&place, what, "write [global] above it"));
            }
        }
    }
    Ok(())
}

/// Without white space around it and without comments: fio cuts a line at `;` and `#` wherever
/// they stand.
fn strip(line: &str) -> &str {
    let end = line.find([';', '#']).unwrap_or(line.len());
    line[..end].trim()
}

fn setting(line: &str, place: &str, options: &SourceOptions) -> Result<Setting, JobError> {
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name.trim(), Some(expand(value.trim(), place, options)?)),
        None => (line, None),
    };
    if name.len() + value.as_ref().map_or(0, String::len) > LINE_MAX {
        return Err(JobError::new(place, "the line is too long for fio", "shorten the value"));
    }
    Ok(Setting { name: name.to_owned(), value, place: place.to_owned() })
}

fn expand(value: &str, place: &str, options: &SourceOptions) -> Result<String, JobError> {
    let mut expanded = String::new();
    let mut rest = value;
    while let Some((before, name, after)) = fio::variable(rest) {
        expanded.push_str(before);
        let Some(content) = options.variables.get(name) else {
            let help = format!("set it in the environment: {name}=... drivelab ...");
            return Err(JobError::new(place, format!("${{{name}}} has no value"), help));
        };
        expanded.push_str(content);
        rest = after;
    }
    if rest.contains("${") {
        return Err(JobError::new(place, "a `${` without `}`", "write ${NAME}"));
    }
    expanded.push_str(rest);
    // fio would expand what is left once more, cut it at a comment sign, or take a new line.
    if expanded.contains("${") || expanded.contains([';', '#', '\n', '\r', '\0']) {
        let what = format!("the value `{expanded}` cannot be handed to fio as it is");
        return Err(JobError::new(place, what, "remove ${, ;, # and line breaks from it"));
    }
    Ok(expanded)
}

/// A path in a job file, relative to where the job file's paths start.
pub(crate) fn resolve(name: &str, options: &SourceOptions) -> PathBuf {
    let path = Path::new(name);
    if path.is_absolute() { path.to_path_buf() } else { options.base_dir.join(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_fio_does_or_larger() {
        let cases = [("4k", 4096), ("0x1000", 4096), ("2MiB", 2 << 20), ("2MB", 2 << 20), ("7", 7)];
        let more = [("1m-3M", 3 << 20), ("(2g-1m)", (2 << 30) - (1 << 20)), ("900t", 900 << 40)];
        for (text, expected) in cases.into_iter().chain(more) {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
        for text in ["50%", "", "4z", "k", "1e9"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn lines_are_cut_as_fio_cuts_them() {
        let text = "\n; c\n[global]\nbs = 4k ; four\ndirect\n[a]b]\n  rw=read#x\n";
        let sections = read(text, &SourceOptions::default()).expect("good");
        assert_eq!((sections[0].name.as_str(), sections[1].name.as_str()), ("global", "a]b"));
        assert_eq!(sections[0].settings[0].value.as_deref(), Some("4k"));
        assert_eq!(sections[0].settings[1].value, None);
        assert_eq!(sections[1].settings[0].value.as_deref(), Some("read"));
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, line) in [
            ("bs=4k", 1),
            ("[a\n", 1),
            ("[a]\nsize=${NO}", 2),
            ("[a]\nsize=${NO", 2),
            (&format!("[a]\ndescription={}exec_prerun=x", "d".repeat(4095)), 2),
            (&format!("[{}]", "a".repeat(300)), 1),
            ("[a]\ninclude /nonexistent/x", 2),
        ] {
            let error = read(text, &SourceOptions { name: "j".into(), ..Default::default() });
            let error = error.expect_err(text);
            assert_eq!(error.place, format!("j:{line}"), "{error}");
        }
    }

    #[test]
    fn a_variable_cannot_smuggle_a_line() {
        let variables = [("X".to_owned(), "4k\nexec_prerun=x".to_owned())].into();
        let options = SourceOptions { variables, ..SourceOptions::default() };
        assert!(read("[a]\nbs=${X}", &options).is_err());
    }
}
