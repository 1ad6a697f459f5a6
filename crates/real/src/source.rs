//! What a job file must keep to before it is considered for a real drive.
//!
//! [`fio::source`] cuts the text into sections. Here values are expanded, and what the installed
//! fio could take otherwise than it is written is refused. Names and values matter only to
//! [`crate::job`]; their meaning is fio's, which may know more options than drivelab does.

use fio::source::{self, Item, Source};
use fio::{Diagnostic, Place};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use trace::Replays;

/// Longest line handed to fio, bytes: it reads into 4096, and what does not fit would be taken
/// for another line.
const LINE_MAX: usize = 4000;

/// Bytes in a value, from above: of a range (`1m-2m`) the greater end. `None` for anything that is
/// no number of bytes, percentages included.
pub(crate) fn bytes(value: &str) -> Option<u64> {
    let whole = fio::most_bytes(value);
    let ends = || value.split_once('-').map(|(low, high)| bytes(low).max(bytes(high)));
    whole.or_else(|| ends().flatten())
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
    /// Traces that were read with options, by the name that `read_iolog` gives them.
    pub replays: Replays,
}

/// Cuts a job file into sections; includes and the values of variables are put in.
///
/// # Errors
///
/// See [`fio::source::read`]; and a variable without a value, or a line that fio would not take as
/// it is.
pub fn read(text: &str, options: &SourceOptions) -> Result<Source, Diagnostic> {
    let mut source = source::read(&options.name, text, Some(&options.base_dir))?;
    for section in &mut source.sections {
        for item in &mut section.items {
            settle(item, options)?;
        }
    }
    Ok(source)
}

fn settle(item: &mut Item, options: &SourceOptions) -> Result<(), Diagnostic> {
    if let Some(value) = &mut item.value {
        *value = expand(value, &item.value_place, options)?;
    }
    if item.name.len() + item.value.as_ref().map_or(0, String::len) > LINE_MAX {
        let error = Diagnostic::new(&item.name_place, "the line is too long for fio");
        return Err(error.with_help("shorten the value"));
    }
    Ok(())
}

fn expand(value: &str, place: &Place, options: &SourceOptions) -> Result<String, Diagnostic> {
    let refuse = |what: String, help: &str| Err(Diagnostic::new(place, what).with_help(help));
    let mut expanded = String::new();
    let mut rest = value;
    while let Some((before, name, after)) = fio::variable(rest) {
        expanded.push_str(before);
        let Some(content) = options.variables.get(name) else {
            let help = format!("set it in the environment: {name}=... drivelab ...");
            return refuse(format!("${{{name}}} has no value"), &help);
        };
        expanded.push_str(content);
        rest = after;
    }
    if rest.contains("${") {
        return refuse("a `${` without `}`".to_owned(), "write ${NAME}");
    }
    expanded.push_str(rest);
    // fio would expand what is left once more, cut it at a comment sign, or take a new line.
    let cuts = |c: char| c == ';' || c == '#' || c.is_control() && c != '\t';
    if expanded.contains("${") || expanded.contains(cuts) {
        let what = format!("the value `{expanded}` cannot be handed to fio as it is");
        return refuse(what, "remove ${, ;, # and control characters from it");
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
    fn mistakes_are_reported_with_their_line() {
        for (text, line) in [
            ("bs=4k", 1),
            ("[a\n", 1),
            ("[a]\nsize=${NO}", 2),
            ("[a]\nsize=${NO", 2),
            (&format!("[a]\ndescription={}exec_prerun=x", "d".repeat(4095)), 2),
            (&format!("[a]\ndescription={}", "d".repeat(4000)), 2),
            (&format!("[{}]", "a".repeat(300)), 1),
            ("[a]\ninclude /nonexistent/x", 2),
        ] {
            let error = read(text, &SourceOptions { name: "j".into(), ..Default::default() });
            let error = error.expect_err(text);
            assert_eq!((&*error.file, error.line), ("j", line), "{error}");
        }
    }

    #[test]
    fn a_variable_cannot_smuggle_a_line() {
        for smuggled in ["4k\nexec_prerun=x", "4k;", "4k#", "${Y}", "4k\r", "4k\u{1}"] {
            let variables = [("X".to_owned(), smuggled.to_owned())].into();
            let options = SourceOptions { variables, ..SourceOptions::default() };
            assert!(read("[a]\nbs=${X}", &options).is_err(), "{smuggled:?}");
        }
    }
}
