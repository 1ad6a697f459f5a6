//! Methods by name, or of a file of the user's own.

use crate::job_source::{self, JobSource};
use crate::render::Failure;
use lab::Method;
use std::path::Path;

/// The method of a name; one that ends in `.toml` or `.fio` is a file.
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
    lab::find(name).map_err(|help| {
        Failure::wrong(format!("unknown method `{name}`"))
            .with_help(format!("{help}; a method of your own is a file: ./mine.toml or ./mine.fio"))
    })
}
