//! How a file made by drivelab is recognised: a small file beside it, `PATH.drivelab`.
//!
//! The marker names the file by device, inode and time of birth. A file that was copied, moved
//! or replaced by another program does not match, and is treated as anyone's. A sidecar works
//! on every file system, also where extended attributes are not kept.

use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Greatest size of a marker that is read, bytes.
const SIZE_MAX: u64 = 4096;
/// What a marker says that it is.
const FORMAT: &str = "drivelab/file/1";

/// The content of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marker {
    drivelab: String,
    device: u64,
    inode: u64,
    /// ns since 1970, as text; `None` where the file system does not keep it.
    born_ns: Option<String>,
}

impl Marker {
    fn of(metadata: &Metadata) -> Self {
        let born = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            drivelab: FORMAT.to_owned(),
            device: metadata.dev(),
            inode: metadata.ino(),
            born_ns: born.map(|since| since.as_nanos().to_string()),
        }
    }
}

/// Where the marker of `path` is.
pub fn marker_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".drivelab");
    PathBuf::from(name)
}

/// What stands at the marker's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sidecar {
    /// Nothing.
    None,
    /// A marker of this very file.
    Matches,
    /// A marker of a file that is gone or was replaced.
    Stale,
    /// Something that drivelab did not write.
    Foreign,
}

/// Looks at the marker of `path`, whose metadata is given if it exists.
pub fn look(path: &Path, metadata: Option<&Metadata>) -> Sidecar {
    let marker = marker_path(path);
    match fs::symlink_metadata(&marker) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Sidecar::None,
        Ok(found) if found.is_file() && found.len() <= SIZE_MAX => {}
        _ => return Sidecar::Foreign,
    }
    let content = fs::read(&marker).ok();
    let parsed = content.and_then(|bytes| serde_json::from_slice::<Marker>(&bytes).ok());
    match (parsed, metadata) {
        (Some(marker), _) if marker.drivelab != FORMAT => Sidecar::Foreign,
        (Some(marker), Some(metadata)) if marker == Marker::of(metadata) => Sidecar::Matches,
        (Some(_), _) => Sidecar::Stale,
        (None, _) => Sidecar::Foreign,
    }
}

/// Makes an empty file with its marker. Neither may exist, except for a stale marker.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    // `create_new` follows no symbolic link: whatever appeared meanwhile is left alone.
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let marked = file.metadata().and_then(|metadata| write(path, &metadata));
    marked.inspect_err(|_| {
        // Without its marker the file would be a stranger the next time; it is still empty.
        let _ = fs::remove_file(path);
    })
}

/// Marks the file at `path` again after a run: fio deletes a file that is too short and makes
/// another one. If drivelab is killed before this, the new file counts as a stranger's, which
/// errs on the safe side.
pub(crate) fn renew(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let ours = metadata.is_file() && metadata.nlink() == 1;
    if ours && look(path, Some(&metadata)) == Sidecar::Stale {
        write(path, &metadata)?;
    }
    Ok(())
}

/// Writes the marker of a file in the place of a stale one or of none.
fn write(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let marker = marker_path(path);
    match look(path, None) {
        Sidecar::Foreign => {
            let what = format!("{} was not written by drivelab", marker.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
        }
        Sidecar::Stale | Sidecar::Matches => fs::remove_file(&marker)?,
        Sidecar::None => {}
    }
    let text = serde_json::to_string(&Marker::of(metadata)).map_err(io::Error::other)?;
    let mut sidecar = OpenOptions::new().write(true).create_new(true).open(&marker)?;
    writeln!(sidecar, "{text}")
}

/// Removes a file made by drivelab together with its marker; any other file is left alone.
///
/// Returns whether it was removed.
///
/// # Errors
///
/// What the system says when either cannot be removed.
pub fn remove(path: &Path) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    if !metadata.is_file() || look(path, Some(&metadata)) != Sidecar::Matches {
        return Ok(false);
    }
    fs::remove_file(path)?;
    fs::remove_file(marker_path(path))?;
    Ok(true)
}
