//! Methods by name, or of a file of the user's own: a method, fio jobs or a block trace.

use crate::job_source::{self, JobSource};
use crate::render::Failure;
use crate::trace;
use crate::values::Pair;
use lab::Method;
use std::path::Path;

/// Whether the name of a method is that of a file.
pub fn is_file(name: &str) -> bool {
    lab::is_method_file(name) || lab::find(name).is_err() && trace::is_trace(Path::new(name))
}

/// What has to be said for a method on targets of which some are `real`, where the user says
/// nothing: fio 3.33 looks for completions only when it issues, so that at a greater depth the
/// latencies of a trace hold its pauses. Models beside it get the same load.
pub fn for_real(method: &Method, real: bool) -> Option<Pair> {
    let key = method.trace_depth().filter(|_| real)?;
    Some(Pair { key: key.to_owned(), value: "1".to_owned() })
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
        let (job, depth) = trace::method_job(name)?;
        return Ok(lab::own_trace(name, &job, depth)?);
    }
    known.map_err(|help| {
        Failure::wrong(format!("unknown method `{name}`")).with_help(format!(
            "{help}; a method of your own is a file: ./mine.toml, ./mine.fio or a trace"
        ))
    })
}
