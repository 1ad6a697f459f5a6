//! A job file made to reach nothing but the permitted paths.

use crate::guard::{Permit, PermitKind};
use crate::options::{ENGINES, Fate, fate};
use crate::source::{self, SourceOptions};
use crate::trace_file::{TraceFile, TraceProblem};
use fio::source::{Item, Section, Source};
use fio::{Diagnostic, Place};
use stats::{LogKind, Warning};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A job file as it was written.
#[derive(Clone, Debug)]
pub struct RealJob {
    source: Source,
    options: SourceOptions,
}

/// Kinds of logs that one `write_..._log` option makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFamily {
    /// One value a row; `write_lat_log` makes three files.
    Values(&'static [LogKind]),
    /// A histogram a row.
    Histograms,
}

/// A log that was sent to the scratch directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogTarget {
    /// The name in the job file, without fio's `_bw.1.log`.
    pub name: String,
    /// The name used in the scratch directory instead.
    pub scratch_name: String,
    /// What it holds.
    pub family: LogFamily,
    /// `log_hist_coarseness` of the section, for histograms.
    pub coarseness: u32,
}

/// A job file that may be handed to fio, and what goes with it.
#[derive(Clone, Debug)]
pub struct Redirected {
    /// The job file.
    pub text: String,
    /// What was left out or replaced.
    pub warnings: Vec<Warning>,
    /// Logs to be read after the run.
    pub logs: Vec<LogTarget>,
    /// Bytes of the file behind a path, by its number, where the job says them.
    pub lengths: BTreeMap<usize, u64>,
    /// The traces that its jobs replay.
    pub traces: Vec<TraceFile>,
    /// Options used, each with the place of its first use.
    pub used: BTreeMap<String, String>,
    /// Engines used.
    pub engines: Vec<String>,
}

impl RealJob {
    /// Reads a job file.
    ///
    /// # Errors
    ///
    /// See [`source::read`]; and a file without a job.
    pub fn parse(text: &str, options: &SourceOptions) -> Result<Self, Diagnostic> {
        let source = source::read(text, options)?;
        if source.sections.iter().all(Section::is_global) {
            return refuse(&source.start(), "the file has no job", "add a section such as [job]");
        }
        Ok(Self { source, options: options.clone() })
    }

    /// Whether anything in the file may write or trim. What is not clearly a read is a write.
    pub fn writes(&self) -> bool {
        let all = self.source.sections.iter().flat_map(|section| &section.items);
        all.into_iter().any(|setting| match setting.name.as_str() {
            "rw" | "readwrite" => {
                let value = setting.value.as_deref().unwrap_or_default();
                let direction = value.split(':').next().unwrap_or_default().trim();
                !matches!(direction, "read" | "randread")
            }
            "read_iolog" | "write_mode" => true,
            _ => false,
        })
    }

    /// Turns the job file into one that reaches only the permitted paths. Of several, distinct
    /// names of devices (`/dev/...`) in the job file are these paths, in the order in which the
    /// names appear first; a job that names none runs on the first. `size` is used for jobs that
    /// have none of their own, or only a percentage, when their file is still empty.
    ///
    /// # Errors
    ///
    /// An option or an engine that may reach elsewhere and cannot be left out; a missing size; more
    /// names than paths, or a path that is permitted twice.
    pub fn redirect(
        &self,
        permits: &[Permit],
        size: Option<u64>,
    ) -> Result<Redirected, Diagnostic> {
        if permits.is_empty() || self.writes() && !permits.iter().all(Permit::may_write) {
            let what = "the job writes, but the path is permitted for reading only";
            return refuse(&self.source.start(), what, "examine it for writing");
        }
        for (i, permit) in permits.iter().enumerate() {
            if permits[..i].iter().any(|before| before.is_same(permit)) {
                let what = format!("{} is named twice", permit.path().display());
                return refuse(&self.source.start(), what, "name each path once");
            }
        }
        let chosen = self.devices(permits.len())?;
        let mut out =
            Rewriter { job: self, permits, chosen: None, warned: BTreeMap::new(), out: empty() };
        let mut globals = Vec::new();
        for (section, device) in self.source.sections.iter().zip(chosen) {
            if section.is_global() {
                globals.extend(&section.items);
                out.chosen = None;
                out.section(section, None)?;
                continue;
            }
            let all: Vec<&Item> = globals.iter().copied().chain(&section.items).collect();
            out.chosen = Some(device);
            out.section(section, Some((&all, size)))?;
        }
        out.out.warnings = out.warned.into_values().collect();
        Ok(out.out)
    }

    /// The number of the path that each section runs on.
    fn devices(&self, there: usize) -> Result<Vec<usize>, Diagnostic> {
        let mut names: Vec<&str> = Vec::new();
        let mut global = None;
        let mut chosen = Vec::new();
        for section in &self.source.sections {
            let mut own = section.items.iter().filter(|setting| setting.name == "filename");
            let own = own.next_back();
            if section.is_global() {
                global = own.or(global);
                chosen.push(0);
                continue;
            }
            let named = own.or(global).and_then(|s| Some((s, s.value.as_deref()?)));
            let Some((setting, name)) = named.filter(|(_, name)| name.starts_with("/dev/")) else {
                chosen.push(0);
                continue;
            };
            if there > 1 && name.replace("\\:", "").contains(':') {
                let what = format!("the job `{}` names several files at once", section.name);
                let help = "give each device a section of its own";
                return refuse(&setting.name_place, what, help);
            }
            let known = names.iter().position(|known| *known == name);
            let device = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            if device >= there {
                let what = format!(
                    "`{name}` is device {} of the job file, and {there} {} given",
                    device + 1,
                    if there == 1 { "path is" } else { "paths are" }
                );
                let help = "name as many paths with --on, separated by commas, or fewer devices";
                return refuse(&setting.name_place, what, help);
            }
            chosen.push(device);
        }
        Ok(chosen)
    }
}

fn refuse<T>(place: &Place, what: impl Into<String>, help: &str) -> Result<T, Diagnostic> {
    Err(Diagnostic::new(place, what).with_help(help))
}

fn empty() -> Redirected {
    Redirected {
        text: String::new(),
        warnings: Vec::new(),
        logs: Vec::new(),
        lengths: BTreeMap::new(),
        traces: Vec::new(),
        used: BTreeMap::new(),
        engines: Vec::new(),
    }
}

struct Rewriter<'a> {
    job: &'a RealJob,
    permits: &'a [Permit],
    /// The path of the section at hand; none of a global one, whose settings hold for all.
    chosen: Option<usize>,
    /// By option and message: one each, however often it occurs.
    warned: BTreeMap<(String, String), Warning>,
    out: Redirected,
}

impl Rewriter<'_> {
    /// The permits that hold for the section at hand.
    fn concerned(&self) -> &[Permit] {
        match self.chosen {
            Some(chosen) => &self.permits[chosen..=chosen],
            None => self.permits,
        }
    }

    fn only_devices(&self) -> bool {
        let is_device = |permit: &Permit| {
            matches!(permit.kind(), PermitKind::BlockDevice(_) | PermitKind::ServedDrive(_))
        };
        self.concerned().iter().all(is_device)
    }

    fn only_served(&self) -> bool {
        self.concerned().iter().all(is_served)
    }

    /// Writes a section; `effective` is given for jobs: all settings that hold for it, and the
    /// size to fall back on.
    fn section(
        &mut self,
        section: &Section,
        effective: Option<(&[&Item], Option<u64>)>,
    ) -> Result<(), Diagnostic> {
        let name = safe_name(&section.name);
        if name != section.name {
            let message = format!("the job `{}` runs as `{name}`", section.name);
            self.warn("job-renamed", &section.name, message);
        }
        self.line(&format!("[{name}]"));
        for setting in &section.items {
            self.setting(section, setting)?;
        }
        let Some((all, size)) = effective else { return Ok(()) };
        let permits = self.permits;
        let chosen = self.chosen.unwrap_or(0);
        let permit = &permits[chosen];
        if let Some(trace) = all.iter().find(|setting| setting.name == "read_iolog") {
            let path = permit.path().display().to_string();
            if is_served(permit) {
                let what = "a trace cannot be replayed on a served drive: fio wants a file";
                return refuse(&trace.name_place, what, "replay it on the model itself");
            }
            if path.contains(':') {
                // fio takes `\\:` back in `filename` only, and would make a file of another name.
                let what = format!("a trace cannot be replayed on {path}: its name holds a colon");
                return refuse(&trace.name_place, what, "name a path without `:`");
            }
            self.line(&format!("replay_redirect={path}"));
        }
        if is_served(permit) {
            self.line("ioengine=nbd");
            self.line(&format!("uri=nbd+unix:///?socket={}", permit.path().display()));
        } else {
            self.line(&format!("filename={}", escaped(permit)));
        }
        if !self.only_devices() && permit.size_bytes() == 0 && !has_absolute_size(all) {
            let Some(size) = size else {
                let what = format!("the job `{}` does not say how large the file is", section.name);
                let help = "add size=... to the job, or give --size";
                return refuse(&section.place, what, help);
            };
            self.line(&format!("size={size}"));
        }
        let length = length_of(all, size);
        if let Some(length) = length {
            let known = self.out.lengths.entry(chosen).or_default();
            *known = length.max(*known);
        }
        Ok(())
    }

    fn setting(&mut self, section: &Section, setting: &Item) -> Result<(), Diagnostic> {
        let Item { name, value, name_place: place, .. } = setting;
        let text = value.as_deref().unwrap_or_default();
        let refuse = |what: String, help: &str| refuse(place, what, help);
        match fate(name) {
            Fate::Pass => {
                let value = match name.as_str() {
                    "wait_for" | "name" => value.as_deref().map(safe_name),
                    _ => value.clone(),
                };
                self.pass(name, value.as_deref(), place);
            }
            Fate::Files => {
                let paths: Vec<String> =
                    self.permits.iter().map(|one| one.path().display().to_string()).collect();
                let paths = paths.join(", ");
                let message = match self.permits.len() {
                    1 => format!("{name} is replaced: all jobs run on {paths}"),
                    _ => format!("{name} is replaced: the devices are {paths}, in this order"),
                };
                self.warn("file-replaced", name, message);
            }
            Fate::Drop(reason) => {
                self.warn("option-dropped", name, format!("{name} is left out: {reason}"));
            }
            Fate::Log => self.log(section, setting),
            Fate::Trace => self.trace(text, place)?,
            Fate::Engine if self.only_served() => {
                let message = format!("{name}={text} is replaced: served drives speak NBD");
                self.warn("engine-replaced", name, message);
            }
            Fate::Engine if ENGINES.contains(&text) => {
                if !self.out.engines.iter().any(|engine| engine == text) {
                    self.out.engines.push(text.to_owned());
                }
                self.pass(name, Some(text), place);
            }
            Fate::Engine => {
                let help = format!("use one of {}", ENGINES.join(", "));
                return refuse(format!("the engine `{text}` is not for named files"), &help);
            }
            Fate::Memory if !text.contains([':', '/']) => self.pass(name, value.as_deref(), place),
            Fate::Memory => {
                return refuse(format!("{name}={text} maps another file"), "leave the file out");
            }
            Fate::Pattern if !text.contains('\'') => self.pass(name, value.as_deref(), place),
            Fate::Pattern => {
                return refuse(format!("{name}={text} reads another file"), "write the pattern");
            }
            Fate::FillDevice if self.only_devices() => {
                self.pass(name, value.as_deref(), place);
            }
            Fate::FillDevice => {
                let what = format!("{name} would fill the file system that holds the file");
                return refuse(what, "give a size instead");
            }
            Fate::Refuse(reason) => {
                return refuse(format!("{name} cannot be used on a real drive"), reason);
            }
            Fate::Unknown => {
                let what = format!("`{name}` is not known to touch only the named file");
                return refuse(what, "correct its name, or leave it out");
            }
        }
        Ok(())
    }

    fn pass(&mut self, name: &str, value: Option<&str>, place: &Place) {
        self.used(name, place);
        match value {
            Some(value) => self.line(&format!("{name}={value}")),
            None => self.line(name),
        }
    }

    /// Sends a log to the scratch directory, where the process runs. Without a name fio would
    /// use that of the job, slashes and all.
    fn log(&mut self, section: &Section, setting: &Item) {
        let family = match setting.name.as_str() {
            "write_bw_log" => LogFamily::Values(&[LogKind::Bw]),
            "write_iops_log" => LogFamily::Values(&[LogKind::Iops]),
            "write_lat_log" => LogFamily::Values(&[LogKind::Slat, LogKind::Clat, LogKind::Lat]),
            _ => LogFamily::Histograms,
        };
        let scratch_name = format!("log{}", self.out.logs.len());
        let given = setting.value.as_deref().filter(|name| !name.is_empty() && *name != "1");
        let coarseness = section.items.iter().chain(self.globals());
        let coarseness = coarseness
            .filter(|setting| setting.name == "log_hist_coarseness")
            .find_map(|setting| setting.value.as_deref()?.parse().ok());
        let target = LogTarget {
            name: given.unwrap_or(&section.name).to_owned(),
            scratch_name: scratch_name.clone(),
            family,
            coarseness: coarseness.unwrap_or(0),
        };
        self.out.logs.push(target);
        self.used(&setting.name, &setting.name_place);
        self.line(&format!("{}={scratch_name}", setting.name));
    }

    fn trace(&mut self, name: &str, place: &Place) -> Result<(), Diagnostic> {
        let path = source::resolve(name, &self.job.options);
        if self.job.options.replays.get(name).is_none() && !path.is_file() {
            let what = format!("there is no trace {}", path.display());
            return refuse(place, what, "correct its name (one file, not a list)");
        }
        let capacity = self.concerned().iter().map(Permit::size_bytes).min().unwrap_or(0);
        let scratch_name = format!("trace{}", self.out.traces.len());
        let made = TraceFile::new((name, &path), &self.job.options, capacity, scratch_name);
        let (trace, told) = made.or_else(|problem: TraceProblem| {
            let (what, help) = problem.told();
            refuse(place, what, &help)
        })?;
        self.used("read_iolog", place);
        self.line(&format!("read_iolog={}", trace.scratch_name));
        self.out.traces.push(trace);
        told.into_iter().for_each(|message| self.warn("trace", name, message));
        Ok(())
    }

    fn globals(&self) -> impl Iterator<Item = &Item> {
        let globals = self.job.source.sections.iter().filter(|section| section.is_global());
        globals.flat_map(|section| &section.items)
    }

    fn used(&mut self, name: &str, place: &Place) {
        self.out.used.entry(name.to_owned()).or_insert_with(|| place.to_string());
    }

    fn warn(&mut self, code: &str, concerns: &str, message: String) {
        let key = (concerns.to_owned(), message.clone());
        let (code, concerns) = (code.to_owned(), concerns.to_owned());
        self.warned.entry(key).or_insert(Warning { code, message, concerns });
    }

    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.out.text, "{line}");
    }
}

fn is_served(permit: &Permit) -> bool {
    matches!(permit.kind(), PermitKind::ServedDrive(_))
}

/// The permitted path as the value of `filename`, where a colon separates names.
fn escaped(permit: &Permit) -> String {
    permit.path().display().to_string().replace(':', "\\:")
}

/// Names of jobs become parts of file names in fio; they must not lead out of a directory.
fn safe_name(name: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "._-+=@,: ()%".contains(c);
    name.chars().map(|c| if safe(c) { c } else { '_' }).collect()
}

/// The last of several settings of these names counts.
fn last<'a>(settings: &[&'a Item], names: &[&str]) -> Option<&'a str> {
    let found = settings.iter().rev().find(|setting| names.contains(&setting.name.as_str()));
    found.and_then(|setting| setting.value.as_deref())
}

/// Whether a job states the size of its file.
fn has_absolute_size(settings: &[&Item]) -> bool {
    let absolute = |value: &str| !value.is_empty() && !value.trim_end().ends_with('%');
    match last(settings, &["size"]) {
        Some(size) => absolute(size),
        None => last(settings, &["filesize"]).is_some_and(absolute),
    }
}

/// Bytes that the file of a job may grow to, from above: fio lays out what it will read or write.
fn length_of(settings: &[&Item], otherwise: Option<u64>) -> Option<u64> {
    let bytes = |names: &[&str]| last(settings, names).and_then(source::bytes);
    let size = match has_absolute_size(settings) {
        true => bytes(&["size"]).max(bytes(&["filesize"])),
        false => otherwise,
    };
    size.map(|size| size.saturating_add(bytes(&["offset"]).unwrap_or(0)))
}
