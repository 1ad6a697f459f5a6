//! The report of a run in fio's formats, and its logs.

use super::Finished;
use crate::console::Console;
use crate::files;
use crate::render::Failure;
use crate::values::Format;
use fio::Job;
use fio::output::{self, JsonKind, LogFormat, Provenance};
use stats::JobResult;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The report. Of several formats fio prints JSON before text.
pub fn report(finished: &Finished, formats: &[Format]) -> String {
    let Some(run) = &finished.outcome.run else { return String::new() };
    let normal = formats.contains(&Format::Normal);
    let kind = if formats.contains(&Format::JsonPlus) {
        Some(JsonKind::JsonPlus)
    } else {
        formats.contains(&Format::Json).then_some(JsonKind::Json)
    };
    let mut text = String::new();
    if normal && !finished.jobs.is_empty() {
        text.push_str(&output::banner(&finished.jobs));
    }
    if let Some(kind) = kind {
        let outcome = &finished.outcome;
        let provenance = Provenance {
            version: outcome.version.clone(),
            target: outcome.targets.first().map(|t| t.name.clone()).unwrap_or_default(),
            warnings: outcome.warnings.iter().map(|w| w.message.clone()).collect(),
        };
        text.push_str(&output::json(run, kind, Some(&provenance)));
    }
    if normal {
        text.push_str(&output::normal(run));
    }
    text
}

/// Refuses a run whose logs, of these names, would replace files that are there: logs of the real
/// fio look the same.
pub fn check_logs<'a>(
    names: impl IntoIterator<Item = &'a str>,
    folder: Option<&Path>,
    overwrite: bool,
) -> Result<(), Failure> {
    let folder = folder.unwrap_or(Path::new("."));
    for name in names {
        let stem = folder.join(place(name));
        let Ok(entries) = std::fs::read_dir(stem.parent().unwrap_or(folder)) else { continue };
        let stem = stem.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in entries.flatten() {
            if is_log_of(&stem, &entry.file_name().to_string_lossy()) {
                files::check_place(&entry.path(), overwrite)?;
            }
        }
    }
    Ok(())
}

/// Whether a file has a name that fio gives to logs: `NAME_bw.1.log`, `NAME_clat_hist.log`.
fn is_log_of(name: &str, file: &str) -> bool {
    let Some(rest) = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('_')) else {
        return false;
    };
    let mut parts = rest.split('.');
    let kind = parts.next().unwrap_or_default();
    let kinds = ["bw", "iops", "slat", "clat", "lat", "clat_hist"];
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    kinds.contains(&kind)
        && match (parts.next(), parts.next(), parts.next()) {
            (Some("log"), None, None) => true,
            (Some(part), Some("log"), None) => number(part),
            _ => false,
        }
}

/// Names of the logs that jobs ask for.
pub fn log_names(jobs: &[Job]) -> impl Iterator<Item = &str> {
    let all = jobs.iter().flat_map(|job| {
        let logs = &job.logs;
        [&logs.bw, &logs.lat, &logs.iops, &logs.hist]
    });
    all.filter_map(|name| name.as_deref())
}

/// Writes the logs that the jobs ask for below `folder`.
pub fn write_logs(
    finished: &Finished,
    folder: &Path,
    console: &mut Console,
) -> Result<(), Failure> {
    // Jobs that share a log (`per_job_logs=0`) append to it, in their order.
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    for result in finished.outcome.run.iter().flat_map(|run| &run.jobs) {
        for log in &result.logs {
            let format = format_of(finished, result, &log.name);
            let name = output::log_name(log, &format);
            texts.entry(place(&name)).or_default().push_str(&output::write_log(log, &format));
        }
        for log in &result.hist_logs {
            let format = format_of(finished, result, &log.name);
            let name = output::hist_log_name(log, &format);
            texts.entry(place(&name)).or_default().push_str(&output::write_hist_log(log));
        }
    }
    for (name, text) in &texts {
        let path = folder.join(name);
        if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
            std::fs::create_dir_all(parent).map_err(|error| {
                Failure::failed(format!("{}: cannot be made: {error}", parent.display()))
            })?;
        }
        files::write(&path, text)?;
    }
    if !texts.is_empty() {
        console.note(&format!("{} logs written below {}", texts.len(), folder.display()));
    }
    Ok(())
}

/// The columns of a log: those of the job that named it.
fn format_of(finished: &Finished, result: &JobResult, log: &str) -> LogFormat {
    let names_it = |job: &&Job| {
        let logs = &job.logs;
        [&logs.bw, &logs.lat, &logs.iops, &logs.hist].iter().any(|n| n.as_deref() == Some(log))
    };
    let by_name = || finished.jobs.iter().find(|job| job.name == result.jobname);
    finished
        .jobs
        .iter()
        .find(names_it)
        .or_else(by_name)
        .map(|job| LogFormat::from(&job.logs))
        .unwrap_or_default()
}

/// The place of a log below its folder. A job file names it, and a job file must not reach any
/// place that the user did not name: what leads out of the folder is left out.
fn place(name: &str) -> PathBuf {
    let inside = |part: &Component<'_>| matches!(part, Component::Normal(_));
    Path::new(name).components().filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_known_by_their_names() {
        for file in ["a_bw.1.log", "a_clat_hist.12.log", "a_iops.log"] {
            assert!(is_log_of("a", file), "{file}");
        }
        for file in ["a_bw.1.log.gz", "a.log", "a_notes.log", "ab_bw.1.log", "a_bw.x.log"] {
            assert!(!is_log_of("a", file), "{file}");
        }
    }

    #[test]
    fn no_log_leaves_its_folder() {
        assert_eq!(place("a_bw.1.log"), Path::new("a_bw.1.log"));
        assert_eq!(place("sub/a_bw.1.log"), Path::new("sub/a_bw.1.log"));
        assert_eq!(place("/etc/../../a_bw.1.log"), Path::new("etc/a_bw.1.log"));
    }
}
