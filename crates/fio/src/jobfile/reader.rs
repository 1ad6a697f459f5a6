//! Files to sections of `name=value` lines; includes are expanded here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::LoadOptions;
use crate::diagnostic::{Diagnostic, Place};
use crate::expand;

/// Largest file that is read, bytes: a thousand times what any job file needs.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Longest line, bytes; fio's own limit is 4096.
const LINE_BYTES_MAX: usize = 64 << 10;
/// Most lines of all files together.
const LINES_MAX: u32 = 200_000;
/// Most `include` lines that are followed, so that they cannot multiply without end.
const INCLUDES_MAX: u32 = 1_000;
/// Deepest nesting of includes.
const DEPTH_MAX: usize = 16;

/// A line `name` or `name=value`.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) name_place: Place,
    pub(super) value_place: Place,
}

/// `[name]` and the lines below it.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) items: Vec<Item>,
}

impl Section {
    pub(super) fn is_global(&self) -> bool {
        self.name.eq_ignore_ascii_case("global")
    }
}

/// All sections of a file, in order.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: Arc<str>,
    pub(super) sections: Vec<Section>,
}

/// Reads a file and all it includes.
pub(super) fn read_file(path: &Path, options: &LoadOptions) -> Result<Source, Diagnostic> {
    let name: Arc<str> = path.display().to_string().into();
    let start = Place { file: name.clone(), line: 1, column: 1 };
    let text = slurp(path, &start, &name)?;
    let mut reader = Reader::new(options);
    reader.open.push(path.to_path_buf());
    reader.text(&name, &text, path.parent())?;
    reader.finish(name)
}

/// Reads a text.
pub(super) fn read_str(
    name: &str,
    text: &str,
    options: &LoadOptions,
) -> Result<Source, Diagnostic> {
    let name: Arc<str> = name.into();
    let mut reader = Reader::new(options);
    let start = Place { file: name.clone(), line: 1, column: 1 };
    check_text(text, &start, &name)?;
    reader.text(&name, text, options.include_dir.as_deref())?;
    reader.finish(name)
}

struct Reader<'a> {
    options: &'a LoadOptions,
    sections: Vec<Section>,
    /// The files being read, outermost first.
    open: Vec<PathBuf>,
    lines: u32,
    includes: u32,
}

impl<'a> Reader<'a> {
    fn new(options: &'a LoadOptions) -> Self {
        Self { options, sections: Vec::new(), open: Vec::new(), lines: 0, includes: 0 }
    }

    fn finish(self, name: Arc<str>) -> Result<Source, Diagnostic> {
        if self.sections.is_empty() {
            let start = Place { file: name, line: 1, column: 1 };
            let message = "the file has no job section";
            return Err(Diagnostic::new(&start, message).with_help("add a section such as [job]"));
        }
        Ok(Source { name, sections: self.sections })
    }

    /// Reads the lines of one file into the sections; `directory` is where its includes are.
    fn text(
        &mut self,
        file: &Arc<str>,
        text: &str,
        directory: Option<&Path>,
    ) -> Result<(), Diagnostic> {
        let included = self.open.len() > 1;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, raw) in text.lines().enumerate() {
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let content = strip_comment(raw);
            let mut place = Place { file: file.clone(), line, column: 1 };
            place.column = column(raw, raw.len() - raw.trim_start().len());
            self.lines += 1;
            if self.lines > LINES_MAX {
                let message = format!("the file and its includes have over {LINES_MAX} lines");
                return Err(Diagnostic::new(&place, message));
            }
            if raw.len() > LINE_BYTES_MAX {
                let message = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                return Err(Diagnostic::new(&place, message));
            }
            let content = content.trim();
            if content.is_empty() {
                continue;
            }
            if let Some(rest) = content.strip_prefix('[') {
                if included {
                    let message = "an included file may not have sections";
                    let help = "put the section into the file that includes it";
                    return Err(Diagnostic::new(&place, message).with_help(help));
                }
                self.section(rest, place)?;
            } else if let Some(target) = include_target(content) {
                self.include(target, &place, directory)?;
            } else {
                self.item(raw, content, place)?;
            }
        }
        Ok(())
    }

    fn section(&mut self, rest: &str, place: Place) -> Result<(), Diagnostic> {
        let Some((name, after)) = rest.rsplit_once(']') else {
            let help = "write [name]";
            return Err(Diagnostic::new(&place, "the section has no `]`").with_help(help));
        };
        if !after.trim().is_empty() {
            let message = format!("`{}` follows the section's name", after.trim());
            return Err(Diagnostic::new(&place, message).with_help("put it on a line of its own"));
        }
        if name.trim().is_empty() {
            let help = "give the section a name, as in [job]";
            return Err(Diagnostic::new(&place, "the section has no name").with_help(help));
        }
        self.sections.push(Section { name: name.to_owned(), place, items: Vec::new() });
        Ok(())
    }

    fn item(&mut self, raw: &str, content: &str, place: Place) -> Result<(), Diagnostic> {
        let (name, value) = match content.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
            None => (content, None),
        };
        let mut value_place = place.clone();
        if let Some(position) = raw.find('=') {
            let after = &raw[position + 1..];
            let blanks = after.len() - after.trim_start().len();
            value_place.column = column(raw, position + 1 + blanks);
        }
        let Some(section) = self.sections.last_mut() else {
            let message = format!("option `{name}` is before the first section");
            let help = "begin with a section such as [global] or [job]";
            return Err(Diagnostic::new(&place, message).with_help(help));
        };
        section.items.push(Item { name: name.to_owned(), value, name_place: place, value_place });
        Ok(())
    }

    fn include(
        &mut self,
        target: &str,
        place: &Place,
        directory: Option<&Path>,
    ) -> Result<(), Diagnostic> {
        if self.sections.is_empty() {
            let message = "`include` is before the first section";
            let help = "begin with a section such as [global] or [job]";
            return Err(Diagnostic::new(place, message).with_help(help));
        }
        let target = expand::expand(target, &self.options.env, &self.options.machine).text;
        let Some(directory) = directory else {
            let message = format!("`include {target}` in a text that has no directory");
            return Err(Diagnostic::new(place, message));
        };
        let path = directory.join(&target);
        self.includes += 1;
        if self.includes > INCLUDES_MAX {
            let message = format!("`include {target}` is one of over {INCLUDES_MAX} includes");
            return Err(Diagnostic::new(place, message));
        }
        if self.open.len() > DEPTH_MAX {
            let message = format!("`include {target}` is nested more than {DEPTH_MAX} deep");
            return Err(Diagnostic::new(place, message));
        }
        if self.open.iter().any(|open| same_file(open, &path)) {
            let message = format!("`include {target}` includes a file that is being read");
            return Err(Diagnostic::new(place, message).with_help("break the cycle"));
        }
        let name: Arc<str> = path.display().to_string().into();
        let text = slurp(&path, place, &name)?;
        if self.open.is_empty() {
            // A text in memory counts as the outermost file.
            self.open.push(PathBuf::new());
        }
        self.open.push(path.clone());
        let result = self.text(&name, &text, path.parent());
        self.open.pop();
        result
    }
}

fn include_target(content: &str) -> Option<&str> {
    let rest = content.strip_prefix("include")?;
    let target = rest.trim_start();
    let is_include = rest.len() != target.len() && !target.is_empty() && !target.starts_with('=');
    is_include.then_some(target)
}

fn same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

/// A comment begins with `;` or `#` anywhere, as in fio.
fn strip_comment(line: &str) -> &str {
    line.find([';', '#']).map_or(line, |end| &line[..end])
}

/// The column, from 1, of a byte of a line.
fn column(line: &str, byte: usize) -> u32 {
    let before = line.get(..byte).map_or(0, |text| text.chars().count());
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// The text of a file, checked.
fn slurp(path: &Path, place: &Place, name: &str) -> Result<String, Diagnostic> {
    let refuse = |error: std::io::Error| {
        let message = format!("{name} cannot be read: {error}");
        Diagnostic::new(place, message).with_help("check the path and its permissions")
    };
    let metadata = std::fs::metadata(path).map_err(refuse)?;
    if !metadata.is_file() {
        return Err(Diagnostic::new(place, format!("{name} is not a file")));
    }
    if metadata.len() > FILE_BYTES_MAX {
        let message = format!(
            "{name} has {} bytes, more than the {FILE_BYTES_MAX} a job file may have",
            metadata.len()
        );
        return Err(Diagnostic::new(place, message).with_help("is this a job file?"));
    }
    let bytes = std::fs::read(path).map_err(refuse)?;
    let Ok(text) = String::from_utf8(bytes) else {
        let message = format!("{name} is not text: it has bytes that are not UTF-8");
        return Err(Diagnostic::new(place, message).with_help("is this a job file?"));
    };
    check_text(&text, place, name)?;
    Ok(text)
}

fn check_text(text: &str, place: &Place, name: &str) -> Result<(), Diagnostic> {
    if text.contains('\0') {
        let message = format!("{name} is not text: it has NUL bytes");
        return Err(Diagnostic::new(place, message).with_help("is this a job file?"));
    }
    if text.len() as u64 > FILE_BYTES_MAX {
        let message =
            format!("{name} has more than the {FILE_BYTES_MAX} bytes a job file may have");
        return Err(Diagnostic::new(place, message));
    }
    if text.trim().is_empty() {
        let message = format!("{name} is empty");
        return Err(Diagnostic::new(place, message).with_help("add a section such as [job]"));
    }
    Ok(())
}
