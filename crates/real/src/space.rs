//! Free space on the file system of a file that is to be laid out.

use crate::refusal::{Reason, Refusal};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Refuses a file of `bytes` for which its file system has no room. What the file holds already
/// counts as free: it is written in place, or given back first.
pub(crate) fn check(given: &Path, path: &Path, bytes: u64) -> Result<(), Refusal> {
    let held = fs::metadata(path).map_or(0, |metadata| metadata.blocks().saturating_mul(512));
    let folder = path.parent().unwrap_or(Path::new("/"));
    let free = free(folder).map_err(|error| {
        let why = format!("how much room there is on its file system is not known ({error})");
        let help = "what cannot be checked is not written; name another place";
        Refusal::new(given, Reason::Unknown, why, help)
    })?;
    if bytes <= free.saturating_add(held) {
        return Ok(());
    }
    let why = format!("it would be {}, and {} are free", text(bytes), text(free + held));
    Err(Refusal::new(given, Reason::NoRoom, why, "take a smaller size, or another file system"))
}

/// Bytes that a user without privileges may still take on the file system of a file, which need not
/// be there yet; `None` if that is not known.
pub fn free_beside(path: &Path) -> Option<u64> {
    free(path.parent()?).ok()
}

/// Bytes that a user without privileges may still take.
pub(crate) fn free(folder: &Path) -> std::io::Result<u64> {
    let stat = rustix::fs::statvfs(folder)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// A size in words.
pub(crate) fn text(bytes: u64) -> String {
    metric::show(metric::Dimension::Bytes, bytes as f64)
}
