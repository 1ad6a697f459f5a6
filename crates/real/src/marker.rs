//! The marker of a file made by drivelab: a small file beside it, `PATH.drivelab`.
//!
//! The marker names the file by device, inode and time of birth, and its content as drivelab left
//! it. A file that was copied, moved, replaced, or whose content somebody changed in place does not
//! match, and is treated as a foreign file. A sidecar works on every file system, also where
//! extended attributes are not kept.

use crate::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Greatest size of a marker that is read, bytes.
const SIZE_MAX: u64 = 4096;
/// What a marker says that it is, without the version of its format.
const FORMAT: &str = "drivelab/file/";
/// The version that is written.
const VERSION: &str = "2";

/// The content of a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marker {
    drivelab: String,
    device: u64,
    inode: u64,
    /// ns since 1970, as text; `None` where the file system does not keep it.
    born_ns: Option<String>,
    /// What drivelab left in it; `None` while a run writes.
    content: Option<Fingerprint>,
}

impl Marker {
    fn of(metadata: &Metadata, content: Option<Fingerprint>) -> Self {
        Self {
            drivelab: format!("{FORMAT}{VERSION}"),
            device: metadata.dev(),
            inode: metadata.ino(),
            born_ns: born_ns(metadata).map(|ns| ns.to_string()),
            content,
        }
    }

    /// Whether it is about this inode, whatever it holds.
    fn is_about(&self, metadata: &Metadata) -> bool {
        Self { content: None, ..self.clone() } == Self::of(metadata, None)
    }
}

fn born_ns(metadata: &Metadata) -> Option<u128> {
    let born = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(born.as_nanos())
}

/// Where the marker of `path` is.
pub fn marker_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".drivelab");
    PathBuf::from(name)
}

/// What is at the marker's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sidecar {
    /// Nothing.
    None,
    /// A marker of this very file, and the file holds what drivelab left in it.
    Matches,
    /// A marker of this very file, whose content somebody changed since.
    Changed,
    /// A marker of this very file, and the run that wrote it did not come to its end.
    CutOff,
    /// A marker of a file that is gone or was replaced, or one of an older version.
    Stale,
    /// Something that drivelab did not write.
    Foreign,
}

impl Sidecar {
    /// What it says about an existing file that is not as drivelab left it, as a clause.
    pub fn why(self) -> &'static str {
        match self {
            Sidecar::Changed => "its content is not what drivelab left in it",
            Sidecar::CutOff => {
                "the run of drivelab that wrote it was cut off, and what it holds now is not known"
            }
            Sidecar::Stale => "it is not the file that drivelab made here",
            Sidecar::None | Sidecar::Matches | Sidecar::Foreign => "drivelab did not make it",
        }
    }
}

/// Looks at the marker of `path`, whose metadata is given if it exists.
pub fn look(path: &Path, metadata: Option<&Metadata>) -> Sidecar {
    let place = marker_path(path);
    match fs::symlink_metadata(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Sidecar::None,
        Ok(found) if found.is_file() && found.len() <= SIZE_MAX => {}
        _ => return Sidecar::Foreign,
    }
    let parsed = fs::read(&place).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let ours =
        |value: &Value| value["drivelab"].as_str().is_some_and(|name| name.starts_with(FORMAT));
    let Some(value) = parsed.filter(ours) else { return Sidecar::Foreign };
    let Ok(marker) = serde_json::from_value::<Marker>(value) else { return Sidecar::Stale };
    let Some(metadata) = metadata else { return Sidecar::Stale };
    let about = marker.is_about(metadata);
    match marker.content {
        // fio deletes a file that is too short and makes another one.
        None if about || is_younger(metadata, &place) => Sidecar::CutOff,
        // What cannot be read cannot be known to be ours.
        Some(left) if about => match Fingerprint::of(path, metadata) {
            Ok(now) if now == left => Sidecar::Matches,
            _ => Sidecar::Changed,
        },
        Some(_) | None => Sidecar::Stale,
    }
}

/// Makes an empty file with its marker. Neither may exist, except for the marker of a file that is
/// gone.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    // `create_new` follows no symbolic link: whatever appeared meanwhile is left alone.
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let marked = file.metadata().and_then(|metadata| write(path, Marker::of(&metadata, None)));
    marked.inspect_err(|_| {
        // Without its marker the file would be a stranger the next time; it is still empty.
        let _ = fs::remove_file(path);
    })
}

/// Notes that a run begins to write a file of ours: should it be cut off, nobody knows what the
/// file holds.
pub(crate) fn begin(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    write(path, Marker::of(&metadata, None))
}

/// Marks the file at `path` after a run with what it holds now. fio deletes a file that is too
/// short and makes another one: that one is ours if it was born after the run began. If drivelab is
/// killed before this, the file counts as foreign, which errs on the safe side.
pub(crate) fn conclude(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let ours = look(path, Some(&metadata)) == Sidecar::CutOff;
    if ours && metadata.is_file() && metadata.nlink() == 1 {
        let content = Fingerprint::of(path, &metadata)?;
        write(path, Marker::of(&metadata, Some(content)))?;
    }
    Ok(())
}

/// Whether a file was born after its marker was written, by the same user. Both times are of the
/// same clock.
fn is_younger(metadata: &Metadata, marker: &Path) -> bool {
    let Ok(marked) = fs::symlink_metadata(marker) else { return false };
    let since = i128::from(marked.mtime()) * 1_000_000_000 + i128::from(marked.mtime_nsec());
    let born = born_ns(metadata).and_then(|ns| i128::try_from(ns).ok());
    metadata.uid() == marked.uid() && born.is_some_and(|born| born >= since)
}

/// Writes the marker of a file in the place of an older one of ours or of none.
fn write(path: &Path, marker: Marker) -> io::Result<()> {
    let place = marker_path(path);
    if look(path, None) == Sidecar::Foreign {
        let what = format!("{} was not written by drivelab", place.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    }
    // Beside it first: a full disk must not cost the marker that is there.
    let mut beside = place.clone().into_os_string();
    beside.push(format!(".{}", std::process::id()));
    let text = serde_json::to_string(&marker).map_err(io::Error::other)?;
    let put = |mut file: File| writeln!(file, "{text}");
    OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|file| {
        put(file).and_then(|()| fs::rename(&beside, &place)).inspect_err(|_| {
            let _ = fs::remove_file(&beside);
        })
    })
}

/// Removes a file made by drivelab together with its marker, also one that a run which was cut off
/// left; any other file is left alone.
///
/// Returns whether it was removed.
///
/// # Errors
///
/// What the system says when either cannot be removed.
pub fn remove(path: &Path) -> io::Result<bool> {
    remove_if(path, |sidecar| matches!(sidecar, Sidecar::Matches | Sidecar::CutOff))
}

/// Removes a file that was made in a run that did not come to its end.
pub(crate) fn discard(path: &Path) -> io::Result<bool> {
    remove_if(path, |sidecar| sidecar == Sidecar::CutOff)
}

fn remove_if(path: &Path, ours: impl Fn(Sidecar) -> bool) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    if !metadata.is_file() || !ours(look(path, Some(&metadata))) {
        return Ok(false);
    }
    fs::remove_file(path)?;
    fs::remove_file(marker_path(path))?;
    Ok(true)
}
