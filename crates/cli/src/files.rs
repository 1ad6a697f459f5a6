//! Results on standard output and in files; a file is there whole or not at all.

use crate::caller::Caller;
use crate::render::Failure;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io::{ErrorKind, IsTerminal as _, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// JSON for people's eyes too, ending in a line feed.
pub fn json_text(answer: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(answer).map_err(no_form)?;
    Ok(text + "\n")
}

/// An answer as a Record keeps it.
pub fn kept(answer: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(no_form)
}

fn no_form(error: serde_json::Error) -> Failure {
    Failure::failed(format!("the result has no JSON form: {error}"))
}

/// Prints a result. A reader that has seen enough (`drivelab list drives | head -1`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// The same for a result that is no text.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    if let Some(caller) = Caller::here() {
        caller.take(bytes);
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result or writes it to a file.
pub fn deliver(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    match file {
        Some(path) => write(path, text),
        None => print(text),
    }
}

/// The text of a file that a user named; `what` it is and how such a file looks are for messages.
pub fn text(path: &Path, what: &str, help: &str) -> Result<String, Failure> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| {
        Failure::wrong(format!("{name}: {what} cannot be read: {error}")).with_help(help)
    })?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::wrong(format!("{name}: this is not a text (UTF-8)")).with_help(help))
}

/// Writes a file. Whoever reads the path meanwhile sees the old file or the new one, never a
/// part: it is written beside it and then renamed. A pipe, a terminal and `/dev/null` are written
/// to as they are; nothing else that is no plain file is.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_with(path, |to| to.write_all(text.as_bytes()))
}

/// The same for content that is better not held in memory.
pub fn write_with(
    path: &Path,
    put: impl FnOnce(&mut std::io::BufWriter<fs::File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::failed(format!("{}: cannot be written: {error}", path.display()))
    };
    let file = match Place::of(path)? {
        Place::Stream => {
            return fs::OpenOptions::new()
                .write(true)
                .open(path)
                .map(std::io::BufWriter::new)
                .and_then(|mut to| put(&mut to).and_then(|()| to.flush()))
                .map_err(failed);
        }
        Place::New => path.to_path_buf(),
        Place::File(file) => file,
    };
    let beside = beside(&file);
    let written = new_file(&beside)
        .map(std::io::BufWriter::new)
        .and_then(|mut to| put(&mut to).and_then(|()| to.flush()).map(|()| to))
        // What took hours to measure must be on the disk before it has its name.
        .and_then(|to| to.get_ref().sync_all())
        .and_then(|()| fs::rename(&beside, &file));
    written.map_err(|error| {
        // The first error is the one to tell, whether or not cleaning up works.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

/// Where a result goes.
enum Place {
    /// Nothing is there yet.
    New,
    /// A plain file, behind its links.
    File(PathBuf),
    /// `/dev/null`, a pipe or a terminal: a rename would put a file in its place.
    Stream,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String, help: &str| {
            Err(Failure::wrong(format!("{}: {why}", path.display())).with_help(help))
        };
        let Ok(there) = fs::metadata(path) else {
            return match fs::symlink_metadata(path) {
                Ok(_) => wrong("this link leads nowhere".to_owned(), "name a file"),
                Err(_) => Ok(Place::New),
            };
        };
        let kind = there.file_type();
        if kind.is_file() {
            let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            if is_standard_stream(&there) {
                let help = "leave the option out, or name another file";
                return wrong("standard output or standard error goes to it".to_owned(), help);
            }
            if ["/dev", "/proc", "/sys"].iter().any(|folder| file.starts_with(folder)) {
                return wrong(format!("{} is on no drive", file.display()), "name another place");
            }
            return Ok(Place::File(file));
        }
        let help = "results go to files; a drive to be tested is named with --on";
        if kind.is_dir() {
            return wrong("it is a directory".to_owned(), "name a file in it");
        } else if kind.is_fifo() || (kind.is_char_device() && is_null_or_terminal(path, &there)) {
            return Ok(Place::Stream);
        } else if kind.is_block_device() {
            return wrong("it is a block device, and a result would destroy its data".into(), help);
        }
        wrong("it is neither a file, a pipe, a terminal nor /dev/null".to_owned(), help)
    }
}

/// Whether a file is what standard output or standard error goes to: a rename would take it away
/// from under them.
fn is_standard_stream(there: &fs::Metadata) -> bool {
    let streams = [
        std::io::stdout().as_fd().try_clone_to_owned(),
        std::io::stderr().as_fd().try_clone_to_owned(),
    ];
    streams.into_iter().flatten().any(|stream| {
        let about = fs::File::from(stream).metadata();
        about.is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
    })
}

fn is_null_or_terminal(path: &Path, there: &fs::Metadata) -> bool {
    // The number of the null device is fixed on Linux: 1:3.
    let null = fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == there.rdev());
    null || fs::OpenOptions::new().write(true).open(path).is_ok_and(|file| file.is_terminal())
}

/// Makes a file where none is, not even a link.
fn new_file(path: &Path) -> std::io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Refuses places at which no result can be written, all of them at once, before work is done whose
/// result would be lost.
pub fn check_places<'a>(
    paths: impl IntoIterator<Item = &'a PathBuf>,
    overwrite: bool,
) -> Result<(), Failure> {
    let mut seen: Vec<real::Place> = Vec::new();
    for path in paths {
        check_place(path, overwrite)?;
        let place = real::Place::of(path);
        let file = matches!(Place::of(path), Ok(Place::New | Place::File(_)));
        if file && seen.contains(&place) {
            let message = format!("{}: two results would go to this file", path.display());
            return Err(Failure::wrong(message).with_help("name a file for each"));
        }
        seen.push(place);
    }
    Ok(())
}

/// The path with an ending more, whatever it ends in: `a.json` and `a.json.partial`.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses results that would go to a real target or to the marker beside it, whatever was allowed.
pub fn check_apart<'a>(
    results: impl IntoIterator<Item = &'a PathBuf>,
    targets: &[PathBuf],
) -> Result<(), Failure> {
    let with_markers = |target: &PathBuf| [target.clone(), real::marker::marker_path(target)];
    let taken: Vec<real::Place> =
        targets.iter().flat_map(with_markers).map(|path| real::Place::of(&path)).collect();
    for result in results {
        let partial = with_ending(result, ".partial");
        let places = [real::Place::of(result), real::Place::of(&partial)];
        if places.iter().any(|place| taken.contains(place)) {
            let message = format!("{}: a result would replace the target", result.display());
            return Err(Failure::wrong(message).with_help("name another file for the result"));
        }
    }
    Ok(())
}

/// Refuses a place at which no result can be written, and a file that holds something else than an
/// earlier report: whoever wants to lose that says `--overwrite`.
pub fn check_place(path: &Path, overwrite: bool) -> Result<(), Failure> {
    let wrong = |why: String, help: &str| {
        Err(Failure::wrong(format!("{}: {why}", path.display())).with_help(help))
    };
    let place = Place::of(path)?;
    if path.file_name().is_none() {
        return wrong("it names no file".to_owned(), "name a file");
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let why = format!("there is no directory {}", folder.display());
        return wrong(why, "make it, or name another place");
    }
    let file = match &place {
        // To open a pipe and close it again is the end of it for its reader.
        Place::Stream => return Ok(()),
        Place::New => path,
        Place::File(file) => file,
    };
    if let (Place::File(file), false) = (&place, overwrite) {
        match Content::of(file) {
            Content::Replaceable => {}
            Content::Record => {
                let help = "name another file, or replace it with --overwrite";
                return wrong("there is a Record already".to_owned(), help);
            }
            Content::Other => {
                let help = "name another file, or, to lose its content, add --overwrite";
                return wrong("the file exists".to_owned(), help);
            }
        }
    }
    // The only way to know is to try; what is tried leaves nothing behind.
    let probe = beside(file);
    match new_file(&probe) {
        Ok(_) => {
            let _ = fs::remove_file(&probe);
            Ok(())
        }
        Err(error) => wrong(format!("cannot be written: {error}"), "name another place"),
    }
}

/// What an existing file holds.
enum Content {
    /// Nothing, or a report, manual page or unfinished list of measurements that drivelab wrote and
    /// can write again.
    Replaceable,
    /// A Record: a measurement, which cannot be had again for nothing.
    Record,
    /// Anything else. A table or fio's report in a file looks like what others write.
    Other,
}

impl Content {
    fn of(file: &Path) -> Self {
        let mut head = Vec::new();
        let read = fs::File::open(file).and_then(|file| file.take(4096).read_to_end(&mut head));
        if read.is_err() {
            return Self::Other;
        }
        let head = String::from_utf8_lossy(&head);
        let page = head.starts_with("<!DOCTYPE html>")
            && head.contains(r#"<meta name="generator" content="drivelab "#);
        let manual = head.contains(".TH drivelab");
        if head.is_empty() || page || manual {
            return Self::Replaceable;
        }
        match head.starts_with('{') && stats::Record::load(file).is_ok() {
            true => Self::Record,
            false => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        check_place(&path, false).unwrap();
        assert!(!path.exists());
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(check_place(folder.path(), true).is_err());
        assert!(check_place(&folder.path().join("no/such/file"), true).is_err());
        assert!(write(&folder.path().join("no/file"), "x").is_err());
    }

    /// A link to it is `/dev/null` itself, which a mistake here would replace.
    #[test]
    fn the_null_device_is_written_to_and_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        check_place(&path, false).unwrap();
        write(&path, "gone").unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }

    /// A link stays a link, and what it leads to is replaced.
    #[test]
    fn a_link_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "text").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "text");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn what_is_no_file_is_refused_with_and_without_consent() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let dangling = folder.path().join("dangling");
        std::os::unix::fs::symlink("/nonexistent/x", &dangling).unwrap();
        let kernel = Path::new("/proc/self/comm");
        for path in [Path::new("/dev/zero"), Path::new("/dev/full"), &socket, &dangling, kernel] {
            assert_eq!(check_place(path, true).unwrap_err().exit, 2, "{}", path.display());
            assert!(write(path, "x").is_err(), "{}", path.display());
        }
    }

    /// What drivelab can write again is replaced; a Record and whatever else there is stay.
    #[test]
    fn only_an_earlier_report_is_replaced_without_consent() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let page = "<!DOCTYPE html><html><meta name=\"generator\" content=\"drivelab 0.1\">";
        check_place(&put("empty", ""), false).unwrap();
        check_place(&put("page", page), false).unwrap();
        let notes = put("notes", "about drivelab");
        let record = folder.path().join("record");
        let whole = stats::Record::new(stats::Outcome::default(), stats::Cost::default()).unwrap();
        fs::write(&record, whole.to_canonical_json().unwrap()).unwrap();
        for path in [&notes, &record] {
            let failure = check_place(path, false).unwrap_err();
            assert!(failure.help.unwrap().contains("--overwrite") && failure.exit == 2);
            check_place(path, true).unwrap();
        }
        assert_eq!(fs::read_to_string(&notes).unwrap(), "about drivelab");
        let twice = check_places([&notes, &notes], true).unwrap_err();
        assert!(twice.message.contains("two results"), "{}", twice.message);
    }
}
