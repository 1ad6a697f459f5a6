//! Methods of the user's own, from files.

use super::super::load::Load;
use super::super::steps::Step;
use super::{Method, Param, check};
use fio::Diagnostic;
use library::{mistakes, user_file};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Files that were read. One is read once a process, so that all runs of a test are of one text
/// even if the file changes meanwhile.
static READ: Mutex<BTreeMap<String, &'static Method>> = Mutex::new(BTreeMap::new());

/// Whether the name of a method is the path of a file: of a method, of fio jobs, or of what
/// [`job`] was called with.
pub fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || is_job(name) || known(name).is_some()
}

/// The method of a file that was read.
fn known(path: &str) -> Option<&'static Method> {
    READ.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
}

/// Whether the name of a method is the path of a fio job file.
pub(super) fn is_job(name: &str) -> bool {
    name.ends_with(".fio")
}

/// The method of a file. That of fio jobs is known once [`job`] was called with it.
///
/// # Errors
/// All mistakes that are found in it, each with its place.
pub fn read(path: &str) -> Result<&'static Method, Diagnostic> {
    kept(path, || {
        let help = "`drivelab show mixed --toml` prints a method to start from";
        let text = user_file::read(Path::new(path), "method", help)?;
        if is_job(path) { of_job(path, &text) } else { parse(path, &text) }
    })
}

/// Makes a method of fio jobs: `text` is that of their file, with its variables and the files that
/// it includes put in.
///
/// # Errors
/// All mistakes that are found in it, each with its place.
pub fn job(path: &str, text: &str) -> Result<&'static Method, Diagnostic> {
    kept(path, || of_job(path, text))
}

/// What a block trace is, as a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Requests at recorded times.
    Timed,
    /// JEDEC's client workload, which has no times and rates the endurance of a drive.
    ClientWorkload,
}

/// Makes a method of a block trace: `text` is a job with `${DEPTH}` that replays it, and `depth`
/// the I/Os in flight at most where the user says nothing.
///
/// # Errors
/// All mistakes that are found in it, each with its place.
pub fn trace(
    path: &str,
    text: &str,
    depth: u32,
    kind: TraceKind,
) -> Result<&'static Method, Diagnostic> {
    kept(path, || {
        let about =
            "I/Os in flight at most; 1 on something real, where fio is late to see more end";
        let depth =
            Param { about: about.to_owned(), default: Some(depth.to_string()), ..Param::default() };
        let mut method = match kind {
            TraceKind::ClientWorkload => of_job_in(path, text, super::shipped::client_workload())?,
            TraceKind::Timed => of_times(of_job(path, text)?),
        };
        method.params.insert(DEPTH.to_owned(), depth);
        Ok(method)
    })
}

/// The method of a trace with times.
fn of_times(method: Method) -> Method {
    Method {
        title: "A block trace at its recorded times".to_owned(),
        description: "Each request where and when it was recorded, however long those before it \
                      take, as far as `qd` allows."
            .to_owned(),
        provenance: "exact: the requests are those of the trace".to_owned(),
        ..method
    }
}

/// The parameter of a block trace for its I/Os in flight.
pub(super) const DEPTH: &str = "qd";

/// The method of a path, made if it was not made before.
fn kept(
    path: &str,
    make: impl FnOnce() -> Result<Method, Diagnostic>,
) -> Result<&'static Method, Diagnostic> {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(method) = read.get(path) {
        return Ok(method);
    }
    let method: &'static Method = Box::leak(Box::new(make()?));
    read.insert(path.to_owned(), method);
    Ok(method)
}

/// A method that runs a job file as it is.
fn of_job(path: &str, text: &str) -> Result<Method, Diagnostic> {
    of_job_in(path, text, super::shipped::job_file())
}

/// A method with a job file as its first step.
fn of_job_in(path: &str, text: &str, mut method: Method) -> Result<Method, Diagnostic> {
    Load::own(path, text, 0, 1).parse(0, 0)?;
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    method.steps[0] = Step::of_jobs(path);
    Ok(Method {
        name: stem.into_owned(),
        jobs: BTreeMap::from([(path.to_owned(), text.to_owned())]),
        text: text.to_owned(),
        path: Some(path.to_owned()),
        ..method
    })
}

/// The method of a text; `file` is named in errors.
pub(super) fn parse(file: &str, text: &str) -> Result<Method, Diagnostic> {
    let found = check::mistakes(file, text);
    let read = mistakes::read::<Method>(file, text, text, super::shipped::FILES);
    match (read, Diagnostic::several(found)) {
        (Ok(method), None) => {
            Ok(Method { text: text.to_owned(), path: Some(file.to_owned()), ..method })
        }
        (_, Some(found)) => Err(found),
        (Err(wrong), None) => Err(wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OWN: &str = r#"
name = "my-blocks"
title = "Random reads over the block size"
description = "One I/O in flight."
provenance = "approximation: chosen for this test"

[metrics]
iops = "load.4k.iops else load.first.iops"
read_lat_mean = "load.first.read_lat_mean"

[[step]]
do = "prepare"
state = "${state}"

[[step]]
do = "sweep"
as = "load"
over = "block"
values = ["4 KiB", "16 KiB"]

[[step.step]]
do = "job"
as = "point"
job = "one"
with = { op = "read", qd = "1" }

[jobs]
one = """
[global]
filename=/dev/target
ioengine=libaio
direct=1
time_based=1
ramp_time=${RAMP_US}us
runtime=${RUNTIME_US}us

[one]
rw=${RW}
bs=${BLOCK_BYTES}
iodepth=${DEPTH}
"""

[params.block]
about = "transfer size; without it the sweep"

[params.state]
about = "drive before the run"
default = "filled"
"#;

    /// The mistakes of a text: line and message.
    fn mistakes_of(text: &str) -> Vec<String> {
        let wrong = parse("mine.toml", text).expect_err("mistakes");
        wrong.alone().map(|one| format!("{}: {}", one.line, one.message)).collect()
    }

    /// The same after one change, which must be one.
    fn after(from: &str, to: &str) -> Vec<String> {
        assert!(OWN.contains(from), "{from}");
        mistakes_of(&OWN.replacen(from, to, 1))
    }

    fn line(words: &str) -> usize {
        1 + OWN.lines().position(|line| line.starts_with(words)).expect("there")
    }

    #[test]
    fn a_method_of_ones_own_is_read() {
        let method = parse("mine.toml", OWN).unwrap();
        assert_eq!((method.name.as_str(), method.steps.len()), ("my-blocks", 2));
        assert_eq!(method.path.as_deref(), Some("mine.toml"));
        assert_eq!(method.text, OWN);
    }

    #[test]
    fn each_mistake_has_its_line() {
        let at = |words: &str, message: &str| vec![format!("{}: {message}", line(words))];
        assert_eq!(
            after("state = \"${state}\"", "state = \"${stat}\""),
            at("state =", "the method has no parameter `stat`")
        );
        assert_eq!(
            after("over = \"block\"", "over = \"blcok\""),
            at("over =", "no parameter is called `blcok`")
        );
        assert_eq!(after("\"16 KiB\"", "\"16 Kib\"").len(), 1);
        assert_eq!(
            after("job = \"one\"", "job = \"two\""),
            at("job =", "the method has no job `two`")
        );
        assert_eq!(
            after("do = \"sweep\"", "do = \"sweeep\""),
            at("do = \"sweep\"", "unknown variant `sweeep`")
        );
        assert_eq!(after("over = ", "ovr = ").len(), 1);
        assert_eq!(
            after("iops = \"load.4k", "ipos = \"load.4k"),
            at("iops =", "no metric is called `ipos`")
        );
        assert_eq!(
            after("load.4k.iops else", "laod.4k.iops else"),
            at("iops =", "no step gives `laod`")
        );
        assert_eq!(
            after("[params.block]", "[params.blok]"),
            at("[params.block]", "no parameter is called `blok`")
        );
        assert_eq!(after("default = \"filled\"", "default = \"worn\"").len(), 1);
        assert_eq!(
            after("bs=${BLOCK_BYTES}", "bz=${BLOCK_BYTES}")[0].split(':').next(),
            Some(line("bs=").to_string().as_str())
        );
        assert_eq!(
            after("name = \"my-blocks\"", "name = \"corner\""),
            at("name =", "`corner` is a method that comes with the program")
        );
        assert_eq!(after("approximation: ", "").len(), 1);
    }

    #[test]
    fn the_range_of_a_parameter_is_around_all_of_its_default() {
        let with = |range: &str| {
            let depth = "[params.qd]\nabout = \"I/Os in flight\"\ndefault = \"4\"\nrange = ";
            parse("mine.toml", &format!("{OWN}\n{depth}{range}\n"))
        };
        assert!(with("[\"50 %\", \"200 %\"]").is_ok());
        let word = ("default = \"filled\"", "default = \"filled\"\nrange = [\"50 %\", \"200 %\"]");
        assert_eq!(after(word.0, word.1).len(), 1, "there is no half of a word");
        for wrong in ["[\"50 %\", \"90 %\"]", "[\"0 %\", \"200 %\"]", "[\"1 us\", \"2 us\"]"] {
            let why = with(wrong).expect_err("refused").to_string();
            assert!(why.contains("no range of a parameter"), "{wrong}: {why}");
        }
    }

    #[test]
    fn several_mistakes_are_found_at_once() {
        let text = OWN
            .replacen("over = \"block\"", "over = \"blcok\"", 1)
            .replacen("iops = ", "ipos = ", 1)
            .replacen("[params.block]", "[params.blok]", 1);
        assert_eq!(mistakes_of(&text).len(), 3, "{:?}", mistakes_of(&text));
    }

    /// What comes with the program passes the same checks, but for its name.
    #[test]
    fn methods_of_the_program_have_none() {
        for method in super::super::methods() {
            let text = method.text.replacen("name = \"", "name = \"my-", 1);
            if let Err(wrong) = parse("mine.toml", &text) {
                panic!("{}: {wrong}", method.name);
            }
        }
    }

    proptest! {
        /// Nothing that a file may hold ends the program.
        #[test]
        fn a_text_with_a_hole_is_read_or_refused(from in 0..OWN.len(), length in 0..40usize) {
            let to = (from + length).min(OWN.len());
            let text = format!("{}{}", &OWN[..from], &OWN[to..]);
            let _ = parse("mine.toml", &text);
        }
    }
}
