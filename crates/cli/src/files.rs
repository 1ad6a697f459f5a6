//! Results on standard output and in files; a file is there whole or not at all.

use crate::render::Failure;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Prints a result. A reader that has seen enough (`drivelab list drives | head -1`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// The same for a result that is no text.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
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
/// part: it is written beside it and then renamed. What is no plain file (`/dev/null`, a pipe) is
/// written to as it is.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_with(path, |to| to.write_all(text.as_bytes()))
}

/// The same for content that is better not held in memory.
pub fn write_with(
    path: &Path,
    put: impl FnOnce(&mut std::io::BufWriter<fs::File>) -> std::io::Result<()>,
) -> Result<(), Failure> {
    if is_special(path) {
        return fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map(std::io::BufWriter::new)
            .and_then(|mut to| put(&mut to).and_then(|()| to.flush()))
            .map_err(|error| {
                Failure::failed(format!("{}: cannot be written: {error}", path.display()))
            });
    }
    let beside = beside(path);
    let written = fs::File::create(&beside)
        .map(std::io::BufWriter::new)
        .and_then(|mut to| put(&mut to).and_then(|()| to.flush()))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        // The first error is the one to tell, whether or not cleaning up works.
        let _ = fs::remove_file(&beside);
        Failure::failed(format!("{}: cannot be written: {error}", path.display()))
    })
}

/// A device or a pipe: a rename would put a file in its place.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir())
}

fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Refuses a path at which no file can be made, before work is done whose result would be lost.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let wrong = |why: String, help: &str| {
        Err(Failure::wrong(format!("{}: {why}", path.display())).with_help(help))
    };
    if path.is_dir() {
        return wrong("it is a directory".to_owned(), "name a file in it");
    }
    if path.file_name().is_none() {
        return wrong("it names no file".to_owned(), "name a file");
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let why = format!("there is no directory {}", folder.display());
        return wrong(why, "make it, or name another place");
    }
    // To open a pipe and close it again is the end of it for its reader.
    if is_special(path) {
        return Ok(());
    }
    // The only way to know is to try; what is tried leaves nothing behind.
    let probe = beside(path);
    match fs::write(&probe, "") {
        Ok(()) => {
            let _ = fs::remove_file(&probe);
            Ok(())
        }
        Err(error) => wrong(format!("cannot be written: {error}"), "name another place"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        check_writable(&path).unwrap();
        assert!(!path.exists());
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(check_writable(folder.path()).is_err());
        assert!(check_writable(&folder.path().join("no/such/file")).is_err());
        assert!(write(&folder.path().join("no/file"), "x").is_err());
    }

    /// A link to it stands for `/dev/null` itself, which a mistake here would replace.
    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        check_writable(&path).unwrap();
        write(&path, "gone").unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }
}
