//! What a user says about real paths, and the guard's consent to them.

use super::{failed, left_out};
use crate::failure::Failure;
use real::{Permit, PermitKind, Request, System};
use std::path::{Path, PathBuf};

/// What a user says about a real target.
#[derive(Clone, Debug)]
pub struct RealOptions {
    /// The files or devices, in the order in which jobs name them.
    pub paths: Vec<PathBuf>,
    /// Bytes of each file that is made.
    pub size: Option<u64>,
    /// Existing files that drivelab did not make may be overwritten.
    pub overwrite: bool,
    /// Serial number of each device whose data may be destroyed, in the order of the paths.
    pub destroy_data: Vec<Option<String>>,
    /// Asked now and then whether to stop.
    pub interrupted: fn() -> bool,
    /// Where the steps are kept until the test has ended, and what they are of; another test makes
    /// other steps.
    pub journal: Option<(PathBuf, String)>,
}

impl RealOptions {
    /// What is asked of the guard.
    pub(super) fn requests(&self) -> Vec<Request> {
        let request = |(number, path): (usize, &PathBuf)| Request {
            path: path.clone(),
            writes: true,
            purge: true,
            overwrite: self.overwrite,
            destroy_data: self.destroy_data.get(number).cloned().flatten(),
        };
        self.paths.iter().enumerate().map(request).collect()
    }
}

impl Default for RealOptions {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            size: None,
            overwrite: false,
            destroy_data: Vec::new(),
            interrupted: || false,
            journal: None,
        }
    }
}

/// The guard's consent to a path, and the bytes that it has or will have. A file of drivelab's own
/// that has another size than the one asked for goes: it is made anew.
pub(super) fn permitted(
    system: &System,
    request: &Request,
    size: Option<u64>,
) -> Result<(Permit, u64), Failure> {
    let (mut permit, bytes) = consent(system, request, size)?;
    if *permit.kind() == PermitKind::OwnFile && permit.size_bytes() != bytes {
        drop(permit);
        real::marker::remove(&request.path).map_err(failed)?;
        permit = system.examine(request).map_err(left_out)?;
    }
    Ok((permit, bytes))
}

/// The guard's consent to a path as it is, and the bytes that it is to have.
pub(super) fn consent(
    system: &System,
    request: &Request,
    size: Option<u64>,
) -> Result<(Permit, u64), Failure> {
    let permit = system.examine(request).map_err(left_out)?;
    let bytes = bytes_of(&permit, &request.path, size)?;
    permit.check_room(bytes).map_err(left_out)?;
    Ok((permit, bytes))
}

/// Bytes that a target has or, as a file that is made, will have.
fn bytes_of(permit: &Permit, path: &Path, size: Option<u64>) -> Result<u64, Failure> {
    let (path, there) = (path.display(), permit.size_bytes());
    let refuse = |why: &str| Err(Failure::left_out(format!("{path}: {why}")));
    match (permit.kind(), size) {
        (_, Some(0)) => refuse("--size 0 B leaves nothing to be measured"),
        (PermitKind::NewFile, None) => refuse("there is no such file; to make it, add --size"),
        (PermitKind::BlockDevice(_) | PermitKind::ServedDrive(_), Some(_)) => {
            refuse("--size is for files that drivelab makes, and this is a device; leave it out")
        }
        (PermitKind::ForeignFile, Some(size)) if size != there => refuse(&format!(
            "it has {there} bytes, and --size is for files that drivelab makes; leave it out"
        )),
        (_, None) if there == 0 => refuse("it is empty; to make it anew, add --size"),
        (_, size) => Ok(size.unwrap_or(there)),
    }
}
