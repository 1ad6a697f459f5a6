//! Where the files of a job file are on the devices of the target.
//!
//! Names like `/dev/...` are the devices, in the order in which the jobs name them first; a name
//! that all jobs share is the first one. Every other file is an extent of the first device;
//! extents follow each other in the order in which the jobs name them.
//!
//! What a job's `size` asks beyond the end of a device is left out with a warning: fio takes the
//! smaller of `size` and what the device has. A file that does not fit is refused.

use super::warn::warning;
use fio::workload::Size;
use fio::{Diagnostic, Job};
use stats::Warning;
use std::collections::{BTreeMap, BTreeSet};

/// The bytes that one copy of a job works on, at the real size of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Number of the device, from 0.
    pub device: usize,
    /// First byte on it.
    pub start: u64,
    /// Bytes.
    pub span: u64,
    /// It belongs to a file, which fio writes before it reads it.
    pub is_file: bool,
}

/// The regions of all jobs.
#[derive(Clone, Debug)]
pub(super) struct Extents {
    /// By job and copy.
    pub regions: Vec<Vec<Region>>,
    /// By device: bytes from the first to the last that a job may touch; 0 if none does.
    pub hulls: Vec<u64>,
}

struct File {
    device: usize,
    is_drive: bool,
    start: u64,
    bytes: u64,
}

/// A file as one copy of a job uses it.
struct Use {
    file: usize,
    /// Bytes from the start of the file.
    offset: u64,
    /// `None`: as far as the file goes.
    span: Option<u64>,
}

/// Places all files on devices of these capacities, each from a multiple of `align` on.
pub(super) fn place(jobs: &[Job], devices: &[u64], align: u64) -> Result<Extents, Diagnostic> {
    let names = device_names(jobs, devices.len())?;
    let whole = names_one_drive(jobs);
    let mut files: Vec<File> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut uses: Vec<Vec<Vec<Use>>> = Vec::new();
    for job in jobs {
        let mut of_job = Vec::new();
        for clone in 0..job.numjobs {
            let mut of_clone = Vec::new();
            // A replay has places of its own, anywhere on the drive.
            let replays = job.replay.is_some();
            let named = if replays { vec![String::new()] } else { names_of(job, clone) };
            for name in &named {
                let is_drive = whole || replays || is_device(name);
                let device = names.iter().position(|known| known == name).unwrap_or(0);
                let drive_bytes = devices[device];
                let key = if is_drive { format!("/{device}") } else { name.clone() };
                let file = *index.entry(key).or_insert_with(|| {
                    let bytes = if is_drive { drive_bytes } else { 0 };
                    files.push(File { device, is_drive, start: 0, bytes });
                    files.len() - 1
                });
                if replays {
                    of_clone.push(Use { file, offset: 0, span: Some(drive_bytes) });
                    continue;
                }
                let offset = job.offset_of_clone(clone, drive_bytes);
                let kind = Kind { is_drive, is_device: is_device(name) };
                let span = span_of(job, clone, named.len() as u64, drive_bytes, kind)?;
                if let Some(span) = span
                    && !is_drive
                {
                    let end = offset.saturating_add(span);
                    files[file].bytes = files[file].bytes.max(end);
                }
                of_clone.push(Use { file, offset, span });
            }
            of_job.push(of_clone);
        }
        uses.push(of_job);
    }
    let end = lay_out(&mut files, align);
    let first = devices.first().copied().unwrap_or(0);
    if end > first {
        return Err(too_large(&jobs[0], "the files of all jobs together", end, first));
    }
    let mut regions = Vec::new();
    for (job, of_job) in jobs.iter().zip(&uses) {
        let of_job: Result<Vec<Region>, Diagnostic> =
            of_job.iter().map(|uses| region(job, uses, &files, align, devices)).collect();
        regions.push(of_job?);
    }
    let hulls = (0..devices.len()).map(|device| hull(&regions, device)).collect();
    Ok(Extents { regions, hulls })
}

/// Gives each file its start; returns the end of the last.
fn lay_out(files: &mut [File], align: u64) -> u64 {
    let mut end = 0_u64;
    for file in files.iter_mut().filter(|file| !file.is_drive) {
        file.start = end;
        end = end.saturating_add(file.bytes.div_ceil(align).saturating_mul(align));
    }
    end
}

fn hull(regions: &[Vec<Region>], device: usize) -> u64 {
    let all = || regions.iter().flatten().filter(|region| region.device == device);
    let first = all().map(|region| region.start).min().unwrap_or(0);
    all().map(|region| region.start + region.span).max().unwrap_or(0) - first
}

/// How many drives the jobs name by their devices, such as `/dev/sda` and `/dev/nvme1n1`; files lie
/// on the first. `None` if two of the names are partitions or namespaces of the same drive.
pub fn drives_named(jobs: &[Job]) -> Option<usize> {
    let names = jobs.iter().flat_map(|job| &job.filenames).filter(|name| is_device(name));
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    let drives: BTreeSet<&str> = names.iter().map(|name| drive_of(name)).collect();
    (drives.len() == names.len()).then_some(drives.len())
}

/// The name of a device without its namespace and partition: `/dev/nvme0` of `/dev/nvme0n1p2`,
/// `/dev/sda` of `/dev/sda3`.
fn drive_of(name: &str) -> &str {
    let last = name.rfind('/').map_or(0, |at| at + 1);
    if let Some(number) = name[last..].strip_prefix("nvme") {
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        return &name[..name.len() - number.len() + digits];
    }
    let numbered = ["sd", "hd", "vd", "xvd"].iter().any(|kind| name[last..].starts_with(kind));
    if numbered { name.trim_end_matches(|c: char| c.is_ascii_digit()) } else { name }
}

/// The names of devices in the order in which the jobs name them.
fn device_names(jobs: &[Job], there: usize) -> Result<Vec<String>, Diagnostic> {
    if there == 0 {
        let message = "the target has no device: all its namespaces are detached".to_owned();
        return Err(Diagnostic::new(&jobs[0].place, message).with_help("attach one of them"));
    }
    let mut devices: Vec<String> = Vec::new();
    for job in jobs {
        for name in job.filenames.iter().filter(|name| is_device(name)) {
            if !devices.contains(name) {
                devices.push(name.clone());
            }
            if devices.len() > there {
                return Err(one_too_many(job, name, there));
            }
        }
    }
    Ok(devices)
}

fn one_too_many(job: &Job, name: &str, there: usize) -> Diagnostic {
    let (message, help) = match there {
        1 => (
            format!("names a second device, `{name}`; the target is one drive"),
            "give all jobs the same device, or choose a target with several, such as \
             `--drives 2` or `--namespaces 2`"
                .to_owned(),
        ),
        _ => (
            format!("names device {} of {there}, `{name}`", there + 1),
            format!("names are the target's {there} devices in the order of their first use"),
        ),
    };
    let message = format!("job `{}`: `filename` {message}", job.name);
    Diagnostic::new(&job.place, message).with_help(help)
}

/// Whether every job means the whole first device: all give the same name, or nobody says
/// anything.
fn names_one_drive(jobs: &[Job]) -> bool {
    let named = |job: &Job| job.filenames.len() == 1;
    if jobs.iter().all(named) {
        return jobs.iter().all(|job| job.filenames[0] == jobs[0].filenames[0]);
    }
    let silent =
        |job: &Job| job.filenames.is_empty() && job.size.is_none() && job.file_size.is_none();
    jobs.iter().all(silent)
}

fn is_device(name: &str) -> bool {
    name.starts_with("/dev/") || name.starts_with(r"\\.\")
}

/// The names of a copy's files, as fio derives them.
fn names_of(job: &Job, clone: u32) -> Vec<String> {
    if !job.filenames.is_empty() {
        let directory = job.directories.first();
        let full = |name: &String| match directory {
            Some(directory) if !is_device(name) => format!("{directory}/{name}"),
            _ => name.clone(),
        };
        return job.filenames.iter().map(full).collect();
    }
    let format = job.filename_format.as_deref().unwrap_or("$jobname.$jobnum.$filenum");
    let name = |number: u32| {
        format
            .replace("$jobname", &job.name)
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &number.to_string())
    };
    (0..job.nrfiles).map(name).collect()
}

/// What a name of a job stands for.
#[derive(Clone, Copy)]
struct Kind {
    /// All of a device, whatever its name.
    is_drive: bool,
    /// It has the name of a device.
    is_device: bool,
}

/// Says that a job is to go beyond the end of its device, and does not.
pub(super) fn cut_at_end(job: &Job, region: &Region) -> Option<Warning> {
    let Some(Size::Bytes(bytes)) = job.size else { return None };
    let left_out = bytes.checked_sub(region.span).filter(|rest| *rest >= job.min_block_bytes());
    let left_out = left_out.filter(|_| !region.is_file && !job.fill_device)?;
    let Region { start, span, .. } = region;
    let message = format!(
        "job `{}`: `size` goes {left_out} bytes beyond the end of the device: {span} bytes from \
         {start} on are used, as fio does on a block device",
        job.name
    );
    Some(warning("size-cut", job.name.clone(), message))
}

/// Bytes of one of `count` files that a copy works on.
fn span_of(
    job: &Job,
    clone: u32,
    count: u64,
    drive_bytes: u64,
    Kind { is_drive, is_device }: Kind,
) -> Result<Option<u64>, Diagnostic> {
    let offset = job.offset_of_clone(clone, drive_bytes);
    let least = job.min_block_bytes().max(1);
    let rest = || -> Result<u64, Diagnostic> {
        drive_bytes.checked_sub(offset).filter(|rest| *rest >= least).ok_or_else(|| {
            let message = format!(
                "job `{}`: `offset` of copy {clone} is {offset}, and the drive has {drive_bytes} \
                 bytes",
                job.name
            );
            Diagnostic::new(&job.place, message)
                .with_help("make `offset` or `offset_increment` smaller")
        })
    };
    if let Some((_, high)) = job.file_size {
        return Ok(Some(high.resolve(drive_bytes).saturating_sub(offset).max(least)));
    }
    let span = match job.size {
        _ if job.fill_device && is_drive => rest()?,
        Some(Size::Bytes(bytes)) if is_device => (bytes / count).min(rest()?),
        Some(Size::Bytes(bytes)) => bytes / count,
        // A share is of the whole; what of it is beyond the end is left out, as in fio.
        Some(size @ Size::Percent(_)) => (size.resolve(drive_bytes) / count).min(rest()?),
        None if is_drive => rest()?,
        None => return Ok(None),
    };
    Ok(Some(if span >= least { span - span % least } else { span }))
}

fn region(
    job: &Job,
    uses: &[Use],
    files: &[File],
    align: u64,
    devices: &[u64],
) -> Result<Region, Diagnostic> {
    let mut whole: Option<Region> = None;
    for one in uses {
        let file = &files[one.file];
        let (device, drive_bytes) = (file.device, devices[file.device]);
        let span = one.span.unwrap_or(file.bytes.saturating_sub(one.offset));
        let least = job.min_block_bytes();
        if span < least || span == 0 {
            let message =
                format!("job `{}` has no `size`, nor has any other of its file", job.name);
            return Err(Diagnostic::new(&job.place, message)
                .with_help("add size=, or filename= of the device"));
        }
        let start = file.start.saturating_add(one.offset);
        let end = start.saturating_add(span);
        if end > drive_bytes {
            return Err(too_large(job, "`offset` and `size`", end, drive_bytes));
        }
        whole = Some(match whole {
            None => Region { device, start, span, is_file: !file.is_drive },
            Some(region) if region.device != device => {
                let message = format!("job `{}`: `filename`: it names several devices", job.name);
                return Err(Diagnostic::new(&job.place, message)
                    .with_help("give each device a section of its own"));
            }
            Some(region) => {
                // Gaps between files are less than `align`: the region may run over them.
                let end_before = region.start + region.span;
                if start < end_before || start - end_before >= align {
                    let message = format!(
                        "job `{}`: `filename`: its files do not follow each other on the drive",
                        job.name
                    );
                    return Err(Diagnostic::new(&job.place, message).with_help(
                        "name the files in the order of their first use, without offset",
                    ));
                }
                Region { span: end - region.start, ..region }
            }
        });
    }
    // A job has at least one file.
    Ok(whole.unwrap_or(Region { device: 0, start: 0, span: devices[0], is_file: false }))
}

fn too_large(job: &Job, what: &str, end: u64, drive_bytes: u64) -> Diagnostic {
    let message = format!(
        "job `{}`: {what} reach to byte {end}, and the drive has {drive_bytes} bytes",
        job.name
    );
    Diagnostic::new(&job.place, message)
        .with_help("make size smaller, or give it as a share such as size=50%")
}
