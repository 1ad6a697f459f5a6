//! Reads every job file below a folder and prints which are accepted, and why the others are not.
//!
//! `cargo run -p fio --example check -- DIR [NAME=VALUE...]`; the pairs are the environment that
//! `${NAME}` is taken from. A file of `[global]` sections only is run as one job. Paths in
//! messages are as given, so that an editor can follow them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: check DIR [NAME=VALUE...]");
        return ExitCode::from(2);
    };
    let mut options =
        fio::LoadOptions { implicit_job: Some("job".to_owned()), ..Default::default() };
    for argument in arguments {
        if let Some((name, value)) = argument.split_once('=') {
            options.env.insert(name.to_owned(), value.to_owned());
        }
    }
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    files.sort();
    let (mut accepted, mut warned) = (0, 0);
    let mut warnings: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        match fio::jobfile::load(file, &options) {
            Ok(job_file) => {
                accepted += 1;
                warned += usize::from(!job_file.warnings.is_empty());
                for warning in job_file.warnings {
                    *warnings.entry(warning.message).or_default() += 1;
                }
            }
            Err(error) => println!("{error}"),
        }
    }
    println!("\nwarnings, by number of files:");
    for (message, count) in warnings {
        println!("{count:6}  {message}");
    }
    println!(
        "\n{} files: {accepted} accepted ({warned} with warnings), {} refused",
        files.len(),
        files.len() - accepted
    );
    ExitCode::SUCCESS
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "fio") {
            files.push(path);
        }
    }
}
