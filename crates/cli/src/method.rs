//! Methods by name, or of a file of the user's own: a method, fio jobs or a block trace.

use crate::job_source::{self, JobSource};
use crate::render::Failure;
use crate::trace;
use lab::Method;
use metric::Params;
use std::path::Path;

/// What is no method of its own without its trace.
const CLIENT_WORKLOAD: &str = "jesd219-client";

/// Whether the name of a method is that of a file.
pub fn is_file(name: &str) -> bool {
    lab::is_method_file(name) || lab::find(name).is_err() && trace::is_trace(Path::new(name))
}

/// Fills in the defaults of a method, for targets of which some are `real`: a trace has the depth
/// of those then, on models beside them too, so that all get the same load.
///
/// # Errors
/// As [`Method::complete`].
pub fn complete(method: &Method, params: &mut Params, real: bool) -> Result<(), String> {
    if let Some(depth) = method.trace_depth().filter(|_| real) {
        let usual = Params::from_pairs([(depth, trace::REAL_DEPTH.to_string().as_str())])?;
        *params = params.over(&usual);
    }
    method.complete(params)
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
        let (job, depth, kind) = trace::method_job(name)?;
        return Ok(lab::own_trace(name, &job, depth, kind)?);
    }
    if name == CLIENT_WORKLOAD {
        let message = "JEDEC's client workload is a trace, which JEDEC gives to those who register";
        return Err(Failure::wrong(message)
            .with_help("name its file in place of the method: ./Client_128_GB_Master_Trace.txt"));
    }
    known.map_err(|help| {
        Failure::wrong(format!("unknown method `{name}`")).with_help(format!(
            "{help}; a method of your own is a file: ./mine.toml, ./mine.fio or a trace"
        ))
    })
}
