//! Job files cut into sections of `name` and `name=value` lines, as fio cuts them.
//!
//! This is the one reader of job files: [`crate::jobfile`] gives options their meaning for
//! modelled drives, and `real` has a policy of its own for the installed fio. Nothing is expanded
//! here. Where fio reads something else than the text seems to say, the text is refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Place};

/// Largest file that is read, bytes: a thousand times what any job file needs.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Longest line, bytes: fio reads so many at once, and takes the rest for another line.
const LINE_BYTES_MAX: usize = 4095;
/// Longest name of a section, bytes; fio cuts it at 254.
const NAME_BYTES_MAX: usize = 250;
/// Most lines of all files together.
const LINES_MAX: u32 = 200_000;
/// Most `include` lines that are followed, so that they cannot multiply without end.
const INCLUDES_MAX: u32 = 1_000;
/// Deepest nesting of includes.
const DEPTH_MAX: usize = 16;

/// A line `name` or `name=value`, without blanks around either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name as written; never empty.
    pub name: String,
    /// The value as written; `None` if the line has no `=`.
    pub value: Option<String>,
    /// Where the name begins.
    pub name_place: Place,
    /// Where the value begins; where the name begins if there is none.
    pub value_place: Place,
}

/// `[name]` and the lines below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The text between the brackets.
    pub name: String,
    /// Where the line begins.
    pub place: Place,
    /// Its lines in order, those of included files among them.
    pub items: Vec<Item>,
}

impl Section {
    /// Whether its lines are defaults for the jobs below it: fio compares six letters, and their
    /// case.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

/// All sections of a file, in order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name in messages.
    pub name: Arc<str>,
    /// Its sections.
    pub sections: Vec<Section>,
}

impl Source {
    /// The place of what is wrong with the file as a whole.
    pub fn start(&self) -> Place {
        start_of(&self.name)
    }
}

/// Reads a file and all that it includes.
///
/// # Errors
///
/// A file that cannot be read or is no text; a line that is not a section, an option, an include
/// or a comment; what fio would read otherwise than it is written.
pub fn read_file(path: &Path) -> Result<Source, Diagnostic> {
    let name: Arc<str> = path.display().to_string().into();
    let text = slurp(path, &start_of(&name), &name)?;
    let mut reader = Reader::new(path.parent());
    reader.open.push(path.to_path_buf());
    reader.top(name, &text)
}

/// Reads a text, which messages call `name`; the files that it includes are in `directory`.
///
/// # Errors
///
/// As [`read_file`]; and an include where there is no directory.
pub fn read(name: &str, text: &str, directory: Option<&Path>) -> Result<Source, Diagnostic> {
    let name: Arc<str> = name.into();
    check_text(text, &start_of(&name), &name)?;
    Reader::new(directory).top(name, text)
}

fn start_of(name: &Arc<str>) -> Place {
    Place { file: name.clone(), line: 1, column: 1 }
}

struct Reader<'a> {
    /// The directory of the outermost file.
    base: Option<&'a Path>,
    sections: Vec<Section>,
    /// The files being read, outermost first.
    open: Vec<PathBuf>,
    depth: usize,
    lines: u32,
    includes: u32,
}

impl<'a> Reader<'a> {
    fn new(base: Option<&'a Path>) -> Self {
        Self { base, sections: Vec::new(), open: Vec::new(), depth: 0, lines: 0, includes: 0 }
    }

    fn top(mut self, name: Arc<str>, text: &str) -> Result<Source, Diagnostic> {
        let help = "add a section such as [job]";
        if text.trim().is_empty() {
            let message = format!("{name} is empty");
            return Err(Diagnostic::new(&start_of(&name), message).with_help(help));
        }
        self.text(&name, text, self.base)?;
        if self.sections.is_empty() {
            let message = "the file has no job section";
            return Err(Diagnostic::new(&start_of(&name), message).with_help(help));
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
        for (index, raw) in text.lines().enumerate() {
            let content = trim(strip_comment(raw));
            let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
            let column = column(raw, raw.len() - raw.trim_start_matches(is_blank).len());
            let place = Place { file: file.clone(), line, column };
            self.lines += 1;
            if self.lines > LINES_MAX {
                let message = format!("the file and its includes have over {LINES_MAX} lines");
                return Err(Diagnostic::new(&place, message));
            }
            if raw.len() > LINE_BYTES_MAX {
                let message = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                let help = "shorten it; fio takes what is behind them for another line";
                return Err(Diagnostic::new(&place, message).with_help(help));
            }
            if let Some(odd) = content.chars().find(|c| c.is_control() && *c != '\t') {
                let message =
                    format!("the line has the control character U+{:04X}", u32::from(odd));
                return Err(Diagnostic::new(&place, message).with_help("is this a job file?"));
            }
            if content.is_empty() {
                continue;
            }
            if let Some(rest) = content.strip_prefix('[') {
                self.section(rest, place)?;
            } else if let Some(rest) = content.strip_prefix("include") {
                self.include(content, rest, &place, directory)?;
            } else {
                self.item(raw, content, place)?;
            }
        }
        Ok(())
    }

    fn section(&mut self, rest: &str, place: Place) -> Result<(), Diagnostic> {
        let refuse =
            |message: &str, help: &str| Err(Diagnostic::new(&place, message).with_help(help));
        if self.depth > 0 {
            let help = "put the section into the file that includes it";
            return refuse("an included file may not have sections", help);
        }
        let Some((name, after)) = rest.rsplit_once(']') else {
            return refuse("the section has no `]`", "write [name]");
        };
        if !after.is_empty() {
            let message = format!("`{}` follows the section's name", trim(after));
            return refuse(&message, "put it on a line of its own");
        }
        if name.trim().is_empty() {
            let help = "give the section a name, as in [job]";
            return refuse("the section has no name", help);
        }
        if name.len() > NAME_BYTES_MAX {
            let message = format!("the section's name is longer than {NAME_BYTES_MAX} bytes");
            return refuse(&message, "shorten it; fio cuts it off");
        }
        self.sections.push(Section { name: name.to_owned(), place, items: Vec::new() });
        Ok(())
    }

    fn item(&mut self, raw: &str, content: &str, place: Place) -> Result<(), Diagnostic> {
        let (name, value) = match content.split_once('=') {
            Some((name, value)) => (trim(name), Some(trim(value))),
            None => (content, None),
        };
        if name.is_empty() {
            let message = format!("`{content}` has no option before the `=`");
            return Err(Diagnostic::new(&place, message).with_help("write option=value"));
        }
        let ends = |text: &str| text.chars().next().into_iter().chain(text.chars().next_back());
        let mut ends = ends(name).chain(value.into_iter().flat_map(ends));
        if let Some(odd) = ends.find(|c| c.is_whitespace()) {
            let code = u32::from(odd);
            let message = format!("`{name}`: the blank U+{code:04X} is not one to fio");
            return Err(Diagnostic::new(&place, message).with_help("write a plain blank, or none"));
        }
        let mut value_place = place.clone();
        if let Some(position) = raw.find('=') {
            let after = &raw[position + 1..];
            let blanks = after.len() - after.trim_start_matches(is_blank).len();
            value_place.column = column(raw, position + 1 + blanks);
        }
        let Some(section) = self.sections.last_mut() else {
            let message = format!("option `{name}` is before the first section");
            let help = "begin with a section such as [global] or [job]";
            return Err(Diagnostic::new(&place, message).with_help(help));
        };
        let (name, value) = (name.to_owned(), value.map(str::to_owned));
        section.items.push(Item { name, value, name_place: place, value_place });
        Ok(())
    }

    /// Follows an include; `rest` is what stands behind the word.
    fn include(
        &mut self,
        content: &str,
        rest: &str,
        place: &Place,
        directory: Option<&Path>,
    ) -> Result<(), Diagnostic> {
        let (path, name) = self.included(content, rest, place, directory)?;
        self.includes += 1;
        let refuse = |message: String| Err(Diagnostic::new(place, message));
        if self.includes > INCLUDES_MAX {
            return refuse(format!("`{content}` is one of over {INCLUDES_MAX} includes"));
        }
        if self.depth >= DEPTH_MAX {
            return refuse(format!("`{content}` is nested more than {DEPTH_MAX} deep"));
        }
        if self.open.iter().any(|open| same_file(open, &path)) {
            let message = format!("`{content}` includes a file that is being read");
            return Err(Diagnostic::new(place, message).with_help("break the cycle"));
        }
        let text = slurp(&path, place, &name)?;
        self.open.push(path.clone());
        self.depth += 1;
        let result = self.text(&name, &text, path.parent());
        self.depth -= 1;
        self.open.pop();
        result
    }

    /// The path and the name of an included file. fio takes a name as seen from where it is
    /// started, or else as seen from the file that includes it; here only the latter holds.
    fn included(
        &self,
        content: &str,
        rest: &str,
        place: &Place,
        directory: Option<&Path>,
    ) -> Result<(PathBuf, Arc<str>), Diagnostic> {
        let refuse =
            |message: String, help: &str| Err(Diagnostic::new(place, message).with_help(help));
        if self.sections.is_empty() {
            let help = "begin with a section such as [global] or [job]";
            return refuse("`include` is before the first section".to_owned(), help);
        }
        // fio skips one character behind the word, whatever it is.
        let target = rest.strip_prefix([' ', '\t']).filter(|target| !target.is_empty());
        let Some(target) = target.filter(|target| !target.starts_with([' ', '\t'])) else {
            let help = "write `include` and the name of the file, with one blank between them";
            return refuse(format!("`{content}` names no file to include"), help);
        };
        if target.contains("${") {
            let message = format!("`{content}`: fio expands no variable in the name of a file");
            return refuse(message, "write the name out");
        }
        let (Some(directory), Some(base)) = (directory, self.base) else {
            let message = format!("`{content}` in a text that has no directory");
            return Err(Diagnostic::new(place, message));
        };
        let (path, other) = (directory.join(target), base.join(target));
        if other.exists() && !same_file(&path, &other) {
            let (path, other) = (path.display(), other.display());
            let message = format!("`{content}` is {path}, but {other} to a fio started there");
            return refuse(message, "write the whole path, or rename one of the files");
        }
        let name = path.display().to_string().into();
        Ok((path, name))
    }
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

/// What fio takes for a blank: the `isspace` of C.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
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
    let Ok(text) = decoded(bytes) else {
        let message = format!("{name} is not text: it has bytes that are not UTF-8");
        return Err(Diagnostic::new(place, message).with_help("is this a job file?"));
    };
    check_text(&text, place, name)?;
    Ok(text)
}

/// The text of a job file. Comments may be in any encoding, as fio never looks at them; all else is
/// UTF-8.
///
/// # Errors
/// The place of the first byte that is no text, counted from 0.
pub fn decoded(bytes: Vec<u8>) -> Result<String, usize> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };
    let (mut text, mut before) = (String::with_capacity(bytes.len()), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let is_comment = line.trim_ascii_start().first().is_some_and(|byte| b"#;".contains(byte));
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) if is_comment => text.push_str(&String::from_utf8_lossy(line)),
            Err(error) => return Err(before + error.valid_up_to()),
        }
        before += line.len();
    }
    Ok(text)
}

fn check_text(text: &str, place: &Place, name: &str) -> Result<(), Diagnostic> {
    if text.contains('\0') {
        let message = format!("{name} is not text: it has NUL bytes");
        return Err(Diagnostic::new(place, message).with_help("is this a job file?"));
    }
    if text.starts_with('\u{feff}') {
        let message = format!("{name} begins with a byte order mark, which fio refuses");
        return Err(Diagnostic::new(place, message).with_help("save it as UTF-8 without one"));
    }
    if text.len() as u64 > FILE_BYTES_MAX {
        let message =
            format!("{name} has more than the {FILE_BYTES_MAX} bytes a job file may have");
        return Err(Diagnostic::new(place, message));
    }
    Ok(())
}
