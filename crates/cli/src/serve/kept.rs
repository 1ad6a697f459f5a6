//! What a served drive remembers beside its store, from one server to the next.

use super::args::Store;
use crate::console::Console;
use crate::files;
use crate::render::Failure;
use ::serve::drive::{LiveDrive, is_kept};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Enough of a state to know one by.
const HEAD: u64 = 64;

/// Where it is: `FILE.state` beside a store that is a file.
pub fn place(store: &Store) -> Option<PathBuf> {
    match store {
        Store::File(path) => Some(files::with_ending(path, ".state")),
        Store::Memory | Store::Nowhere => None,
    }
}

/// Refuses a place where something else is: it would be written over.
pub fn check(path: &Path) -> Result<(), Failure> {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut begin));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(_) if is_kept(&begin) => Ok(()),
        _ => Err(Failure::wrong("what is there is no state of a served drive")
            .at(path.display().to_string())
            .with_help(
                "the state of the drive is kept there: move the file, or name another store",
            )),
    }
}

/// Gives a drive what it remembered when it was switched off, if that is there; whether it was.
/// What does not fit is told, and the drive begins as the user says.
pub fn switch_on(drive: &mut LiveDrive, path: &Path, console: &mut Console) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let on = drive.switch_on(&mut BufReader::new(file));
    if let Err(why) = &on {
        let name = path.display();
        console.warn(&format!("{name}: {why}: map, wear and health are those of --state"));
    }
    on.is_ok()
}

/// Keeps what a drive remembers.
pub fn switch_off(drive: &mut LiveDrive, path: &Path, console: &mut Console) {
    if !drive.volumes_are_whole() {
        let _ = std::fs::remove_file(path);
        console.warn(
            "what the drives remember is not kept: a drive is gone, or members of an array do not \
             agree",
        );
        return;
    }
    if let Err(failure) = files::write_with(path, |to| drive.switch_off(to)) {
        // An older state is not that of what the store holds now.
        let _ = std::fs::remove_file(path);
        console.warn(&format!("what the drive remembers is not kept: {}", failure.message));
    }
}
