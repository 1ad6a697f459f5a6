//! Where the files of a job file are on the devices of the target.
//!
//! Names like `/dev/...` are the devices, in the order in which the jobs name them first; a name
//! that all jobs share is the first one. Every other file is an extent of the first device;
//! extents follow each other in the order in which the jobs name them.
//!
//! What a job's `size` asks beyond the end of a device is left out with a warning: fio takes the
//! smaller of `size` and what the device has. Files that do not fit together are all shortened to
//! the same share of their size, so that they fill the device; a job goes over what is left of
//! them. A warning says the share.

use super::warn::warning;
use engine::saturated;
use fio::workload::Size;
use fio::{Diagnostic, Job};
use stats::Warning;
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of a file or device that one copy of a job works on, at the real size of the device.
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
    /// By job and copy: its files, in the order in which they are named.
    pub regions: Vec<Vec<Vec<Region>>>,
    /// By device: bytes from the first to the last that a job may touch; 0 if none does.
    pub hulls: Vec<u64>,
    /// Bytes that the files ask for together, where the device has less.
    pub asked: Option<u64>,
}

impl Extents {
    /// The regions of all jobs on a device.
    pub fn on(&self, device: usize) -> impl Iterator<Item = &Region> {
        on(&self.regions, device)
    }
}

fn on(regions: &[Vec<Vec<Region>>], device: usize) -> impl Iterator<Item = &Region> {
    regions.iter().flatten().flatten().filter(move |region| region.device == device)
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
                let count = named.len() as u64;
                let span = span_of(job, clone, count, drive_bytes, is_drive)?;
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
    let asked = fit(&mut files, &mut uses, jobs, (devices[0], align))?;
    let mut regions = Vec::new();
    for (job, of_job) in jobs.iter().zip(&uses) {
        let mut of_copies = Vec::new();
        for of_copy in of_job {
            let of_copy = of_copy.iter().map(|one| region(job, one, &files, devices));
            of_copies.push(of_copy.collect::<Result<Vec<Region>, Diagnostic>>()?);
        }
        regions.push(of_copies);
    }
    let hulls = (0..devices.len()).map(|device| hull(&regions, device)).collect();
    Ok(Extents { regions, hulls, asked })
}

/// Lays the files out on the first device, shortened where they do not fit. Gives what they ask
/// for if they are.
fn fit(
    files: &mut [File],
    uses: &mut [Vec<Vec<Use>>],
    jobs: &[Job],
    (room, align): (u64, u64),
) -> Result<Option<u64>, Diagnostic> {
    let asked = lay_out(files, align);
    if asked <= room {
        return Ok(None);
    }
    // Each may lose a unit more to rounding.
    let ends = u64::try_from(files.len()).unwrap_or(u64::MAX).saturating_mul(align);
    let left = room.saturating_sub(ends);
    let share = |bytes: u64| -> u64 {
        saturated(u128::from(bytes) * u128::from(left) / u128::from(asked.max(1)))
    };
    for file in files.iter_mut().filter(|file| !file.is_drive) {
        file.bytes = share(file.bytes);
    }
    for (job, of_job) in jobs.iter().zip(uses) {
        let block = job.min_block_bytes().max(1);
        for one in of_job.iter_mut().flatten().filter(|one| !files[one.file].is_drive) {
            one.offset = share(one.offset) / block * block;
            one.span = one.span.map(|span| share(span) / block * block);
            if one.span == Some(0) {
                return Err(too_large(job, "the files of all jobs together", asked, room));
            }
        }
    }
    match lay_out(files, align) {
        end if end > room => Err(too_large(&jobs[0], "the files of all jobs together", end, room)),
        _ => Ok(Some(asked)),
    }
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

/// What regions have on each of so many devices together, bytes.
pub(super) fn bytes_by_device(regions: &[Region], devices: usize) -> Vec<u64> {
    let mut bytes = vec![0_u64; devices];
    for region in regions {
        bytes[region.device] = bytes[region.device].saturating_add(region.span);
    }
    bytes
}

fn hull(regions: &[Vec<Vec<Region>>], device: usize) -> u64 {
    let first = on(regions, device).map(|region| region.start).min().unwrap_or(0);
    on(regions, device).map(|region| region.start + region.span).max().unwrap_or(0) - first
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

/// Says that a job is to go beyond the end of one of its devices, and does not.
pub(super) fn cut_at_end(job: &Job, regions: &[Region]) -> Option<Warning> {
    let Some(Size::Bytes(bytes)) = job.size else { return None };
    let each = bytes / (regions.len() as u64).max(1);
    let left_out =
        |region: &Region| each.checked_sub(region.span).filter(|_| !region.is_file).unwrap_or(0);
    let cut = regions.iter().max_by_key(|region| left_out(region))?;
    let rest = left_out(cut);
    if rest < job.min_block_bytes().max(1) || job.fill_device {
        return None;
    }
    let Region { start, span, .. } = cut;
    let message = format!(
        "job `{}`: `size` goes {rest} bytes beyond the end of the device: {span} bytes from \
         {start} on are used, as fio does on a block device",
        job.name
    );
    Some(warning("size-cut", job.name.clone(), message))
}

/// Says that files are shortened, if they are.
pub(super) fn shortened(extents: &Extents, device: u64) -> Option<Warning> {
    let asked = extents.asked?;
    let percent = device as f64 / asked.max(1) as f64 * 100.0;
    let message = format!(
        "the files of all jobs have {asked} bytes together, and the device has {device}: each is \
         {percent:.3} % as long as the job file says"
    );
    Some(warning("files-shortened", "size", message))
}

/// Bytes of one of `count` files that a copy works on.
fn span_of(
    job: &Job,
    clone: u32,
    count: u64,
    drive_bytes: u64,
    is_drive: bool,
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
        Some(Size::Bytes(bytes)) if is_drive => (bytes / count).min(rest()?),
        Some(Size::Bytes(bytes)) => bytes / count,
        // A share is of each device; what of it is beyond the end is left out, as in fio. Files
        // that are not there yet divide it among them.
        Some(size @ Size::Percent(_)) if is_drive => size.resolve(drive_bytes).min(rest()?),
        Some(size @ Size::Percent(_)) => (size.resolve(drive_bytes) / count).min(rest()?),
        None if is_drive => rest()?,
        None => return Ok(None),
    };
    Ok(Some(if span >= least { span - span % least } else { span }))
}

/// The bytes of a device that a file is, as one copy of a job uses it.
fn region(job: &Job, one: &Use, files: &[File], devices: &[u64]) -> Result<Region, Diagnostic> {
    let file = &files[one.file];
    let (device, drive_bytes) = (file.device, devices[file.device]);
    let span = one.span.unwrap_or(file.bytes.saturating_sub(one.offset));
    if span < job.min_block_bytes() || span == 0 {
        let message = format!("job `{}` has no `size`, nor has any other of its file", job.name);
        return Err(
            Diagnostic::new(&job.place, message).with_help("add size=, or filename= of the device")
        );
    }
    let start = file.start.saturating_add(one.offset);
    let end = start.saturating_add(span);
    if end > drive_bytes {
        return Err(too_large(job, "`offset` and `size`", end, drive_bytes));
    }
    Ok(Region { device, start, span, is_file: !file.is_drive })
}

fn too_large(job: &Job, what: &str, end: u64, drive_bytes: u64) -> Diagnostic {
    let message = format!(
        "job `{}`: {what} reach to byte {end}, and the drive has {drive_bytes} bytes",
        job.name
    );
    Diagnostic::new(&job.place, message)
        .with_help("make size smaller, or give it as a share such as size=50%")
}
