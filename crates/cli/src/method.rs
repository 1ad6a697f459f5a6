//! Methods by name, or of a file of the user's own: a method, fio jobs or a block trace.

use crate::job_source::{self, JobSource};
use crate::render::Failure;
use crate::trace;
use lab::Method;
use std::path::Path;

/// Whether the name of a method is that of a file.
pub fn is_file(name: &str) -> bool {
    lab::is_method_file(name) || lab::find(name).is_err() && trace::is_trace(Path::new(name))
}

/// Refuses a block trace on something real: the installed fio reads its own format only, and `run`
/// translates.
///
/// # Errors
/// If the method of this name is a trace, and `real`.
pub fn check_real(name: &str, real: bool) -> Result<(), Failure> {
    let has_ending = [".toml", ".fio"].iter().any(|ending| name.ends_with(ending));
    if !real || has_ending || !is_file(name) {
        return Ok(());
    }
    Err(Failure::wrong(format!("{name}: a block trace is a method of models only"))
        .with_help(format!("`drivelab run {name} --on PATH` replays it on something real")))
}

/// The method of a name; one that ends in `.toml` or `.fio` is a file, and so is a block trace.
///
/// # Errors
/// A name that is not known, and all mistakes in a file.
pub fn find(name: &str) -> Result<&'static Method, Failure> {
    if name.ends_with(".fio") {
        let (source, env) = (JobSource::read(Path::new(name))?, job_source::environment());
        // Mistakes are placed in the file as it is written.
        source.parse(&env, None)?;
        return Ok(lab::own_job(name, &source.alone(&env))?);
    }
    if lab::is_method_file(name) {
        return Ok(lab::own_method(name)?);
    }
    let known = lab::find(name);
    if known.is_err() && trace::is_trace(Path::new(name)) {
        return Ok(lab::own_job(name, &trace::method_job(name)?)?);
    }
    known.map_err(|help| {
        Failure::wrong(format!("unknown method `{name}`")).with_help(format!(
            "{help}; a method of your own is a file: ./mine.toml, ./mine.fio or a trace"
        ))
    })
}
