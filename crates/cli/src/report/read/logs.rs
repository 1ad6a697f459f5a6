//! fio's logs beside its JSON, found by the options of the jobs and fio's rule for names.

use fio::log_in::{parse_hist_log, parse_log};
use stats::{JobResult, LogKind, RunResult};
use std::path::{Path, PathBuf};

/// A longer log is left out: its points would fill the memory, and no chart shows them.
const LONGEST: u64 = 256 << 20;

/// An option that makes logs, and the kinds in the names of the files.
const FAMILIES: [(&str, &[&str]); 4] = [
    ("write_bw_log", &["bw"]),
    ("write_iops_log", &["iops"]),
    ("write_lat_log", &["slat", "clat", "lat"]),
    ("write_hist_log", &["clat_hist"]),
];

/// Reads the logs of all jobs into them; problems are returned as sentences.
pub fn attach(run: &mut RunResult, folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    // fio numbers its threads through all jobs, and so the files.
    let mut thread = 0_u64;
    let global = run.global_options.clone();
    for job in &mut run.jobs {
        let threads = thread + 1..=thread.saturating_add(job.numjobs.clamp(1, 4096));
        thread = *threads.end();
        // What the job does not say, all jobs say.
        let own = job.job_options.clone();
        let find = |option: &str| {
            let all = own.iter().chain(&global);
            all.filter(|(key, _)| key == option).map(|(_, value)| value.as_str()).next()
        };
        let offset = find("log_offset").is_some_and(|value| value != "0");
        for (option, kinds) in FAMILIES {
            let given = find(option);
            let name = given.filter(|name| !name.is_empty()).unwrap_or(&job.jobname).to_owned();
            let mut found = false;
            for kind in kinds {
                // One file a thread, or one for all (per_job_logs=0); the latter would be read
                // again by every job that shares it, and is only taken by the first.
                let shared = (threads.start() == &1).then_some(None);
                for number in threads.clone().map(Some).chain(shared) {
                    let Some(path) = place(folder, &name, kind, number) else { continue };
                    found = true;
                    let number = number.unwrap_or(*threads.start());
                    if let Err(message) = read(job, &path, kind, &name, number, offset) {
                        problems.push(message);
                    }
                }
            }
            if given.is_some() && !found {
                missing.push(format!("{name}_{}.{}.log", kinds[0], threads.start()));
            }
        }
    }
    if let Some(first) = missing.first() {
        let more = match missing.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("logs of the jobs are not beside it: {first}{more}");
        problems.push(text + "; nothing is shown over time from them");
    }
    problems
}

/// Path of a log: as named, seen from the JSON's folder, or in this folder by its last name.
fn place(folder: &Path, name: &str, kind: &str, number: Option<u64>) -> Option<PathBuf> {
    let file = match number {
        Some(number) => format!("{name}_{kind}.{number}.log"),
        None => format!("{name}_{kind}.log"),
    };
    let file = Path::new(&file);
    let here = file.file_name().map(|last| folder.join(last));
    [Some(folder.join(file)), here].into_iter().flatten().find(|path| path.is_file())
}

fn read(
    job: &mut JobResult,
    path: &Path,
    kind: &str,
    name: &str,
    number: u64,
    offset: bool,
) -> Result<(), String> {
    let shown = path.display();
    let wrong = |error: &dyn std::fmt::Display| format!("log {shown} is left out: {error}");
    let length = std::fs::metadata(path).map_err(|error| wrong(&error))?.len();
    if length > LONGEST {
        let (mib, most) = (length >> 20, LONGEST >> 20);
        return Err(wrong(&format!(
            "{mib} MiB, where {most} are read at most; log_avg_msec helps"
        )));
    }
    let text = std::fs::read(path).map_err(|error| wrong(&error))?;
    let text = String::from_utf8_lossy(&text);
    let kind = match kind {
        "bw" => LogKind::Bw,
        "iops" => LogKind::Iops,
        "slat" => LogKind::Slat,
        "clat" => LogKind::Clat,
        "lat" => LogKind::Lat,
        _ => {
            let log = parse_hist_log(&text, name, number).map_err(|error| wrong(&error))?;
            if !log.rows.is_empty() {
                job.hist_logs.push(log);
            }
            return Ok(());
        }
    };
    let log = parse_log(&text, kind, name, number, offset).map_err(|error| wrong(&error))?;
    // fio makes files of kinds that did not occur, too.
    if !log.ms.is_empty() {
        job.logs.push(log);
    }
    Ok(())
}
