//! Job files: reading, resolving, refusing.
//!
//! The reader follows fio 3.42, and where fio's manual and fio differ, fio. It is stricter in
//! one respect: fio reads `4x` as 4 and a negative share as a huge one, and both are refused here.

mod apply;
mod apply_data;
mod apply_offsets;
mod apply_report;
mod apply_timing;
mod checks;
mod distribution;
mod draft;
mod file_name;
mod split;
mod sprandom;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Place};
use crate::job::Job;
use crate::source::{self, Item, Section, Source};
use value::{Entry, Warnings};

/// The values of the keywords `$pagesize`, `$mb_memory` and `$ncpus`. The numbers are fixed rather
/// than asked of the machine, so that a job file means the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// `$pagesize`, bytes.
    pub page_bytes: u64,
    /// `$mb_memory`, MiB.
    pub memory_mib: u64,
    /// `$ncpus`.
    pub cpus: u32,
}

impl Default for Machine {
    fn default() -> Self {
        Self { page_bytes: 4096, memory_mib: 16_384, cpus: 8 }
    }
}

/// What a job file may depend on besides itself.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Values of `${NAME}`. What is missing expands to nothing, with a warning.
    pub env: BTreeMap<String, String>,
    /// Values of keywords.
    pub machine: Machine,
    /// Options set after those of the file in every job, such as `("runtime", "10")`.
    pub overrides: Vec<(String, String)>,
    /// Name of the job to run if the file has `[global]` sections only, like fio's `--name`
    /// behind such a file. Without it such a file is refused, as in fio.
    pub implicit_job: Option<String>,
    /// Where [`parse_str`] looks for included files; without it `include` is refused there.
    pub include_dir: Option<PathBuf>,
}

/// A job file, read and checked.
#[derive(Clone, Debug)]
pub struct JobFile {
    /// Its jobs, in order; at least one.
    pub jobs: Vec<Job>,
    /// Options of all `[global]` sections in order, for the report: names as in
    /// [`crate::options::option_table`], values after expansion, a flag's empty.
    pub global_options: Vec<(String, String)>,
    /// What was ignored or read otherwise than it may have been meant; once a reason.
    pub warnings: Vec<Diagnostic>,
}

impl JobFile {
    /// The entries of its report by name, each with the places of its jobs. A group that reports
    /// together is one, named as its first job; copies that report by themselves share a name.
    pub fn entries(&self) -> Vec<(&str, Vec<usize>)> {
        let mut all: Vec<(&str, Vec<usize>)> = Vec::new();
        // The job before, and its entry.
        let mut last: Option<(&Job, usize)> = None;
        for (place, job) in self.jobs.iter().enumerate() {
            let joins = |last: &Job| {
                job.group_reporting && last.group_reporting && last.group_id == job.group_id
            };
            let known = || all.iter().position(|(name, _)| *name == job.name);
            let joined = last.filter(|(last, _)| joins(last)).map(|(_, entry)| entry);
            let entry = joined.or_else(known).unwrap_or(all.len());
            match all.get_mut(entry) {
                Some((_, places)) => places.push(place),
                None => all.push((job.name.as_str(), vec![place])),
            }
            last = Some((job, entry));
        }
        all
    }
}

/// Reads a job file.
///
/// # Errors
///
/// The first mistake: its place, the option or engine concerned, and how to fix it.
pub fn load(path: &Path, options: &LoadOptions) -> Result<JobFile, Diagnostic> {
    build(source::read_file(path)?, options)
}

/// Reads a job file that is in memory; messages call it `name`.
///
/// # Errors
///
/// As [`load`].
pub fn parse_str(name: &str, text: &str, options: &LoadOptions) -> Result<JobFile, Diagnostic> {
    build(source::read(name, text, options.include_dir.as_deref())?, options)
}

fn build(source: Source, options: &LoadOptions) -> Result<JobFile, Diagnostic> {
    let mut warnings = Warnings::default();
    let overrides = overrides(options)?;
    let mut globals: Vec<Entry> = Vec::new();
    let mut jobs: Vec<Job> = Vec::new();
    let start = source.start();
    for section in source.sections {
        let is_global = section.is_global();
        almost_global(&section, &mut warnings);
        let mut entries = Vec::new();
        for item in section.items {
            let entry = Entry::expand(item, options)?;
            warnings.unset(&entry);
            entries.push(entry);
        }
        if is_global {
            globals.extend(entries);
            continue;
        }
        let draft = draft::Draft::new(&section.name, section.place);
        let job = draft.resolve(&globals, &entries, &overrides, &mut warnings)?;
        jobs.push(job);
    }
    if jobs.is_empty() {
        let Some(name) = &options.implicit_job else {
            let message = "the file has no job: every section is [global]";
            let help = "add a section such as [job], or name a job to run with these options";
            return Err(Diagnostic::new(&start, message).with_help(help));
        };
        let draft = draft::Draft::new(name, start);
        jobs.push(draft.resolve(&globals, &[], &overrides, &mut warnings)?);
    }
    checks::check_waits(&jobs)?;
    number_groups(&mut jobs);
    let global_options = globals.iter().map(Entry::echo).collect();
    Ok(JobFile { jobs, global_options, warnings: warnings.list })
}

/// fio tells defaults from jobs by six letters; a name that only looks like them is explained.
fn almost_global(section: &Section, warnings: &mut Warnings) {
    let Section { name, place, .. } = section;
    let looks = name.trim().get(..6).is_some_and(|six| six.eq_ignore_ascii_case("global"));
    if !looks || name == "global" {
        return;
    }
    let (message, help) = match section.is_global() {
        true => (
            format!("`[{name}]` has defaults and is no job, as its name begins with `global`"),
            "write [global], or give the job another name",
        ),
        false => (
            format!("`[{name}]` is a job: only `global` in small letters has defaults"),
            "write [global] if these are defaults",
        ),
    };
    warnings.once(format!("global {name}"), Diagnostic::new(place, message).with_help(help));
}

fn overrides(options: &LoadOptions) -> Result<Vec<Entry>, Diagnostic> {
    let file: std::sync::Arc<str> = "<override>".into();
    let entry = |(line, (name, value)): (usize, &(String, String))| {
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let place = Place { file: file.clone(), line, column: 1 };
        let item = Item {
            name: name.clone(),
            value: Some(value.clone()).filter(|value| !value.is_empty()),
            name_place: place.clone(),
            value_place: place,
        };
        Entry::expand(item, options)
    };
    options.overrides.iter().enumerate().map(entry).collect()
}

/// A new group begins at each `new_group` or `stonewall` that has a job before it in the group.
fn number_groups(jobs: &mut [Job]) {
    let mut group = 0;
    for (index, job) in jobs.iter_mut().enumerate() {
        if index > 0 && (job.new_group || job.stonewall) {
            group += 1;
        }
        job.group_id = group;
    }
}
