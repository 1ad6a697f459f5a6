//! What each target is put through: methods with their parameters, and the metrics that count.

use super::args::CompareArgs;
use crate::method;
use crate::render::Failure;
use crate::subject;
use crate::values::Pair;
use lab::Method;
use lab::{FACTS, Run};
use metric::{Metric, Params, State, tail};

/// One load of the comparison.
#[derive(Clone, Debug)]
pub struct Load {
    /// Name of the method.
    pub method: String,
    /// Its parameters, complete.
    pub params: Params,
    /// The metrics that are compared, in the order of their rows. Those that no target gives are
    /// left out.
    pub metrics: Vec<String>,
    /// The entries of a job file's report, where there are several.
    pub entries: Vec<String>,
}

impl Load {
    /// The run of it on a target.
    pub fn on(&self, target: &str) -> Run {
        let (method, params) = (self.method.clone(), self.params.clone());
        Run { target: target.to_owned(), method, params }
    }

    /// In a few words.
    pub fn label(&self) -> String {
        self.on("").label()
    }
}

/// Metrics that count where a method gives every number of a job.
const OF_A_JOB: [&str; 9] = [
    "iops",
    "read_lat_mean",
    "read_lat_p99",
    "read_lat_p99.99",
    "write_lat_mean",
    "write_lat_p99",
    "write_lat_p99.99",
    "write_amplification",
    "power",
];

/// The usual loads: name of the method, parameters, metrics.
const USUAL: [(&str, &str, &[&str]); 5] = [
    ("corner", "op=read,pattern=seq", &["bandwidth", "power"]),
    ("corner", "op=write,pattern=seq", &["bandwidth", "power"]),
    ("corner", "op=read,pattern=rand", &["iops", "read_lat_mean"]),
    ("corner", "op=write,pattern=rand", &["iops", "write_amplification", "power"]),
    ("mixed", "read=70 %,qd=16", &["iops", "read_lat_mean", "read_lat_p99", "read_lat_p99.99"]),
];

/// The loads that were asked for, for targets of which some are `real`.
pub fn loads(args: &CompareArgs, real: bool) -> Result<Vec<Load>, Failure> {
    let wanted = wanted(&args.metric)?;
    let state = args.state.map(|state| Pair { key: "state".into(), value: state.word().into() });
    let of_all: Vec<Pair> = args.param.iter().cloned().chain(state).collect();
    let mut list = Vec::new();
    if args.method.is_empty() {
        for (method, pairs, metrics) in USUAL {
            let own = subject::pairs(pairs).map_err(Failure::wrong)?;
            let metrics = metrics.iter().map(|name| (*name).to_owned()).collect();
            list.push(load((method, Some(metrics)), &own, &of_all, real)?);
        }
    }
    for text in &args.method {
        list.push(named(text, &of_all, real)?);
    }
    unused(&list, &of_all)?;
    let same = |i: &usize| {
        let known = |load: &Load| (load.method.clone(), load.params.clone());
        list[..*i].iter().any(|other| known(other) == known(&list[*i]))
    };
    if let Some(i) = (0..list.len()).find(same) {
        return Err(Failure::wrong(format!("`{}` is asked for twice", list[i].label())));
    }
    if !wanted.is_empty() {
        choose(&mut list, &wanted)?;
    }
    Ok(list)
}

/// The state of a drive that has been used for long.
pub fn steady() -> Pair {
    Pair { key: "state".into(), value: State::Steady.word().into() }
}

/// The load that `METHOD@KEY=VALUE,...` names, with parameters for all that have them.
pub fn named(text: &str, of_all: &[Pair], real: bool) -> Result<Load, Failure> {
    let (name, own) = parts(text).map_err(|why| wrong(text, why))?;
    load((name, None), &own, of_all, real)
}

/// The name and the parameters of `METHOD@KEY=VALUE,...`.
///
/// # Errors
/// Parameters that are no pairs.
pub fn parts(text: &str) -> Result<(&str, Vec<Pair>), String> {
    match text.split_once('@') {
        Some((name, own)) => Ok((name, subject::pairs(own)?)),
        None => Ok((text, Vec::new())),
    }
}

fn wrong(text: &str, why: String) -> Failure {
    let name = text.split('@').next().unwrap_or(text);
    let named = format!("method `{text}` ");
    Failure::wrong(format!("method `{text}`: {}", why.strip_prefix(&named).unwrap_or(&why)))
        .with_help(format!("`drivelab show {name}` lists the parameters"))
}

/// A method with its own parameters and those for all that it has.
///
/// # Errors
/// A method that is not known, a parameter that it lacks or needs, a value that cannot be read.
pub fn load(
    (name, metrics): (&str, Option<Vec<String>>),
    own: &[Pair],
    of_all: &[Pair],
    real: bool,
) -> Result<Load, Failure> {
    if name == FACTS {
        let help = "`drivelab test facts --on A --on B` shows them side by side";
        return Err(Failure::wrong("facts are stated, not measured").with_help(help));
    }
    let method = method::find(name)?;
    let wrong = |why: String| wrong(name, why);
    let params = |list: &[Pair]| {
        Params::from_pairs(list.iter().map(|pair| (pair.key.as_str(), pair.value.as_str())))
    };
    let own = params(own).map_err(wrong)?;
    if let Some(foreign) = method.foreign(&own).first() {
        return Err(wrong(format!("it has no parameter `{foreign}`")));
    }
    let mut general = params(of_all).map_err(Failure::wrong)?;
    for foreign in method.foreign(&general) {
        general.remove(foreign);
    }
    let mut params = own.over(&general);
    method::complete(method, &mut params, real).map_err(wrong)?;
    let metrics = metrics.unwrap_or_else(|| usual_metrics(method, &params));
    Ok(Load { method: name.to_owned(), params, metrics, entries: entries(method) })
}

/// The entries of the report of a job file.
pub fn entries(method: &Method) -> Vec<String> {
    let file = job_file(method);
    let entries = file.iter().flat_map(fio::JobFile::entries);
    entries.map(|(name, _)| name.to_owned()).collect()
}

/// The jobs of a method that is a job file or replays a trace.
pub fn job_file(method: &Method) -> Option<fio::JobFile> {
    let text = method.jobs.values().next().filter(|_| method.is_job_file())?;
    // The job that replays a trace leaves its depth open.
    let env = std::collections::BTreeMap::from([("DEPTH".to_owned(), "1".to_owned())]);
    let options = fio::LoadOptions { env, ..fio::LoadOptions::default() };
    fio::jobfile::parse_str(&method.name, text, &options).ok()
}

fn usual_metrics(method: &Method, params: &Params) -> Vec<String> {
    if method.gives(OF_SERVERS[0]) {
        return OF_SERVERS.map(str::to_owned).to_vec();
    }
    if method.metrics.contains_key("all") {
        let sequential = params.pattern() == Some(metric::Pattern::Sequential);
        let rate = if sequential { "bandwidth" } else { "iops" };
        let rest = OF_A_JOB.iter().skip(1);
        return std::iter::once(&rate).chain(rest).map(|name| (*name).to_owned()).collect();
    }
    let mut names: Vec<String> = method.metrics.keys().cloned().collect();
    names.sort_by_key(|name| crate::test::place(name));
    names
}

/// A parameter for all methods that none of them has is a mistake.
fn unused(list: &[Load], of_all: &[Pair]) -> Result<(), Failure> {
    for pair in of_all {
        let one = Params::from_pairs([(pair.key.as_str(), pair.value.as_str())]);
        let one = one.map_err(Failure::wrong)?;
        let has = |load: &Load| match lab::find(&load.method) {
            Ok(method) => method.foreign(&one).is_empty(),
            Err(_) => false,
        };
        if !list.iter().any(has) {
            let mut names: Vec<&str> = list.iter().map(|load| load.method.as_str()).collect();
            names.dedup();
            let message = format!("no method here has a parameter `{}`", pair.key);
            let help = format!("`drivelab show {}` lists the parameters", names.join("`, `"));
            return Err(Failure::wrong(message).with_help(help));
        }
    }
    Ok(())
}

/// The metrics that were asked for, in their canonical spelling; one of a part of a method has the
/// name of the part before it.
fn wanted(names: &[String]) -> Result<Vec<String>, Failure> {
    let mut list = Vec::new();
    for name in names {
        let plain = tail(name);
        let part = name.strip_suffix(plain).unwrap_or_default();
        let unknown = |help| Failure::wrong(format!("unknown metric `{name}`")).with_help(help);
        let metric = match Metric::parse(plain).map_err(unknown)? {
            (metric, None) => format!("{part}{metric}"),
            (metric, Some(_)) => {
                let message = format!("`{name}` is a bound, not what is measured");
                return Err(Failure::wrong(message).with_help(format!("write `{part}{metric}`")));
            }
        };
        if !list.contains(&metric) {
            list.push(metric);
        }
    }
    Ok(list)
}

/// Metrics of servers that are compared where none is asked for.
const OF_SERVERS: [&str; 3] = ["tps", "mean_ms", "p99_ms"];

/// Keeps of each load the metrics asked for; each of them has to come from some load, and each
/// load has to give one.
fn choose(list: &mut Vec<Load>, wanted: &[String]) -> Result<(), Failure> {
    // The rows of a job file are those of its entries, each with the metric.
    let gives =
        |load: &Load, name: &str| lab::find(&load.method).is_ok_and(|method| method.gives(name));
    let help = || {
        let names: Vec<String> =
            list.iter().map(|l| format!("`drivelab show {}`", l.method)).collect();
        let mut names = names;
        names.dedup();
        format!("{} says what is measured", names.join(", "))
    };
    for name in wanted {
        if !list.iter().any(|load| gives(load, name)) {
            let message = format!("no method here measures `{name}`");
            return Err(Failure::wrong(message).with_help(help()));
        }
    }
    for load in list.iter_mut() {
        load.metrics = wanted.iter().filter(|name| gives(load, name)).cloned().collect();
    }
    list.retain(|load| !load.metrics.is_empty());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn read(words: &[&str]) -> Result<Vec<Load>, Failure> {
        let line = ["drivelab", "compare", "p5430", "p5316"].iter().chain(words);
        match Cli::try_parse_from(line).unwrap().command {
            Command::Compare(args) => loads(&args, false),
            _ => unreachable!("another command"),
        }
    }

    #[test]
    fn without_a_method_the_corners_and_a_mix_are_measured() {
        let labels: Vec<String> = read(&[]).unwrap().iter().map(Load::label).collect();
        let usual = ["seq read", "seq write", "rand read", "rand write", "rand 70 % read, QD 16"];
        assert_eq!(labels, usual);
        let only = read(&["--metric", "clat_mean"]).unwrap();
        assert!(only.iter().all(|load| load.metrics == ["read_lat_mean"]));
    }

    #[test]
    fn a_parameter_is_of_the_method_it_stands_behind_or_of_all() {
        let list = read(&[
            "--method",
            "corner@op=read,qd=1",
            "--method",
            "mixed@read=50%",
            "--param",
            "block=8 KiB",
        ])
        .unwrap();
        let labels: Vec<String> = list.iter().map(Load::label).collect();
        assert_eq!(labels, ["rand read, 8 KiB, QD 1", "rand 50 % read, 8 KiB, QD 256"]);
        assert_eq!(list[0].metrics[..2], ["iops", "read_lat_mean"]);
    }

    #[test]
    fn servers_are_compared_by_their_transactions() {
        let list = read(&["--method", "sysbench-oltp"]).unwrap();
        assert_eq!(list[0].metrics, ["tps", "mean_ms", "p99_ms"]);
        let one = read(&["--method", "sysbench-oltp", "--metric", "tps"]).unwrap();
        assert_eq!(one[0].metrics, ["tps"]);
    }

    #[test]
    fn what_nothing_measures_is_refused_before_anything_runs() {
        let message = |words: &[&str]| read(words).unwrap_err().message;
        assert!(message(&["--metric", "iopz"]).contains("unknown metric"));
        assert!(message(&["--metric", "iops_min"]).contains("a bound"));
        assert!(message(&["--metric", "seq_read"]).contains("no method here measures"));
        assert!(message(&["--method", "cornre"]).contains("unknown method"));
        assert!(message(&["--method", "corner"]).contains("read = 70 %"));
        assert!(message(&["--method", "facts"]).contains("stated"));
        assert!(message(&["--method", "corner@op=read,colour=red"]).contains("colour"));
        assert!(message(&["--param", "duration_h=x"]).contains("duration"));
        assert!(message(&["--method", "file-scan", "--param", "qd=1"]).contains("no method here"));
        let twice = ["--method", "corner@op=read", "--method", "corner@op=read,qd=256"];
        assert!(message(&twice).contains("twice"));
    }
}
