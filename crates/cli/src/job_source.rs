//! A job file as the user names it: a path, or `-` for standard input.

use crate::render::Failure;
use fio::{Diagnostic, JobFile, LoadOptions, Place};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Largest job text that is read from standard input, bytes; as for files.
const BYTES_MAX: u64 = 4 << 20;

/// A job file's text and where it comes from.
#[derive(Clone, Debug)]
pub struct JobSource {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Where included files are looked for.
    pub folder: PathBuf,
    path: Option<PathBuf>,
}

impl JobSource {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Self::read_standard_input();
        }
        let name = path.display().to_string();
        let unreadable = |why: String| -> Failure {
            let place = Place { file: name.as_str().into(), line: 1, column: 1 };
            Diagnostic::new(&place, why).with_help("name a fio job file, a text").into()
        };
        let about = std::fs::metadata(path)
            .map_err(|error| unreadable(format!("the job file cannot be read: {error}")))?;
        if about.is_dir() {
            return Err(unreadable("the job file is a directory".to_owned()));
        }
        if about.len() > BYTES_MAX {
            return Err(unreadable(format!("the job file is larger than {BYTES_MAX} bytes")));
        }
        let bytes = std::fs::read(path)
            .map_err(|error| unreadable(format!("the job file cannot be read: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        // A pipe cannot be read a second time.
        let path = about.is_file().then(|| path.to_path_buf());
        Ok(Self { text: text(bytes, &name)?, name, folder, path })
    }

    /// A text that the program has made itself.
    pub fn of_text(name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text, folder: PathBuf::from("."), path: None }
    }

    fn read_standard_input() -> Result<Self, Failure> {
        let name = "<stdin>".to_owned();
        let mut bytes = Vec::new();
        std::io::stdin()
            .take(BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::wrong(format!("{name}: {error}")))?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(Failure::wrong(format!(
                "{name}: the job is larger than {BYTES_MAX} bytes"
            )));
        }
        Ok(Self { text: text(bytes, &name)?, name, folder: PathBuf::from("."), path: None })
    }

    /// Reads the jobs in it, with the variables of `env`.
    pub fn parse(
        &self,
        env: &BTreeMap<String, String>,
        implicit_job: Option<&str>,
    ) -> Result<JobFile, Diagnostic> {
        let options = LoadOptions {
            env: env.clone(),
            implicit_job: implicit_job.map(str::to_owned),
            include_dir: Some(self.folder.clone()),
            ..LoadOptions::default()
        };
        match &self.path {
            Some(path) => fio::jobfile::load(path, &options),
            None => fio::jobfile::parse_str(&self.name, &self.text, &options),
        }
    }

    /// The text as it is if it needs nothing else to run, with its own lines; else as
    /// [`Self::resolved`].
    pub fn alone(&self, env: &BTreeMap<String, String>) -> String {
        let includes = || self.text.lines().any(|line| line.trim().starts_with("include"));
        match self.text.contains("${") || includes() {
            true => self.resolved(env),
            false => self.text.clone(),
        }
    }

    /// The text with variables expanded and included files put in, so that a Record runs again
    /// without them; the text as it is if that is not possible.
    pub fn resolved(&self, env: &BTreeMap<String, String>) -> String {
        let mut variables = env.clone();
        for name in fio::variables(&self.text) {
            variables.entry(name.to_owned()).or_default();
        }
        let options = real::SourceOptions {
            name: self.name.clone(),
            base_dir: self.folder.clone(),
            variables,
            ..real::SourceOptions::default()
        };
        let Ok(source) = real::source::read(&self.text, &options) else {
            return self.text.clone();
        };
        let mut text = String::new();
        for section in source.sections {
            text.push_str(&format!("[{}]\n", section.name));
            for item in section.items {
                match item.value {
                    Some(value) => text.push_str(&format!("{}={value}\n", item.name)),
                    None => text.push_str(&format!("{}\n", item.name)),
                }
            }
        }
        text
    }
}

fn text(bytes: Vec<u8>, name: &str) -> Result<String, Failure> {
    let place = |line, column| Place { file: name.into(), line, column };
    let binary = |line, column| -> Failure {
        Diagnostic::new(&place(line, column), "this is not a text: it holds bytes that no job has")
            .with_help("name a fio job file; a binary file is none")
            .into()
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Diagnostic::new(&place(1, 1), "the job file is empty")
            .with_help("write a section such as [job] and its options")
            .into());
    }
    let position = |at: usize| {
        let before = &bytes[..at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    };
    let odd = bytes.iter().position(|byte| *byte < 32 && !b"\t\n\r\x0c".contains(byte));
    if let Some(at) = odd {
        let (line, column) = position(at);
        return Err(binary(line, column));
    }
    fio::source::decoded(bytes.clone()).map_err(|at| {
        let (line, column) = position(at);
        binary(line, column)
    })
}

/// Variables that stand for those of the process, when a Record is made again.
static VARIABLES: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Uses these variables instead of those of the process from now on.
pub fn set_environment(variables: BTreeMap<String, String>) {
    // Set once: one Record is made again by a process.
    let _ = VARIABLES.set(variables);
}

/// The variables of the process; those that are no text cannot stand in a job file.
pub fn environment() -> BTreeMap<String, String> {
    if let Some(variables) = VARIABLES.get() {
        return variables.clone();
    }
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused_at_its_place() {
        let refused = |bytes: &[u8]| text(bytes.to_vec(), "j").unwrap_err();
        assert_eq!(refused(b"[a]\nrw=\0read").place.as_deref(), Some("j:2:4"));
        assert_eq!(refused(b"[a]\nrw=\xff").place.as_deref(), Some("j:2:4"));
        assert!(refused(b" \n ").message.contains("empty"));
        assert_eq!(text(b"[a]\n".to_vec(), "j").unwrap(), "[a]\n");
    }

    /// fio never looks at comments, so they may be in another encoding: older files are.
    #[test]
    fn a_comment_may_be_in_any_encoding() {
        let latin = b"# caf\xe9\n[a]\n  ;\xe9t\xe9\nrw=read\n".to_vec();
        let read = text(latin, "j").unwrap();
        assert!(read.ends_with("\nrw=read\n") && read.starts_with("# caf"), "{read}");
        let place = |bytes: &[u8]| text(bytes.to_vec(), "j").unwrap_err().place;
        assert_eq!(place(b"# caf\xe9\n[a\xe9]\n").as_deref(), Some("j:2:3"));
    }

    #[test]
    fn a_resolved_text_needs_no_environment() {
        let source = JobSource {
            name: "j".into(),
            text: "; note\n[a]\nsize=${SIZE}\nrw = randread\ntime_based\nbs=${NONE}4k\n".into(),
            folder: ".".into(),
            path: None,
        };
        let env = BTreeMap::from([("SIZE".to_owned(), "1g".to_owned())]);
        assert_eq!(source.resolved(&env), "[a]\nsize=1g\nrw=randread\ntime_based\nbs=4k\n");
    }
}
