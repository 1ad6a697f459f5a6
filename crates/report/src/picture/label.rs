//! Names of runs in legends: the target, and what distinguishes it from the other runs of its
//! group.

use super::colour::Owner;
use super::measured::Measured;
use answer::Origin;
use answer::origin::apart;
use std::collections::{BTreeMap, BTreeSet};

/// Parameters that differ within a group of runs, in the order of their names.
pub fn varying<'m>(runs: &[&'m Measured]) -> Vec<&'m str> {
    let mut values: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    for run in runs {
        for name in run.params.keys() {
            values.entry(name).or_default();
        }
    }
    for (name, seen) in &mut values {
        seen.extend(runs.iter().map(|run| run.params.get(*name).map(String::as_str)));
    }
    values.into_iter().filter(|(_, seen)| seen.len() > 1).map(|(name, _)| name).collect()
}

/// The name of each run: its target where the targets differ, and the values of `varying`. Where
/// some were measured and others modelled, each says which.
pub fn labels(runs: &[&Measured], varying: &[&str]) -> Vec<String> {
    apart(&names(runs, varying))
}

/// The same with what each run is beside it.
pub fn names(runs: &[&Measured], varying: &[&str]) -> Vec<(String, Origin)> {
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let label = |run: &&Measured| {
        let mut parts: Vec<String> = Vec::new();
        if targets.len() > 1 || varying.is_empty() {
            parts.push(run.target.clone());
        }
        let values = varying.iter().filter_map(|name| Some((*name, run.params.get(*name)?)));
        parts.extend(values.map(|(name, value)| format!("{} {value}", words(name))));
        parts.join(", ")
    };
    // Two files may hold the same run: both are shown.
    let mut seen = Seen::default();
    runs.iter().map(|run| (seen.apart(label(run)), run.origin)).collect()
}

/// The names of runs in legends, each with its drive.
pub fn owners(runs: &[&Measured]) -> Vec<Owner> {
    let names = labels(runs, &varying(runs)).into_iter();
    let of_runs = names.zip(runs).map(|(name, run)| (name, run.target.clone()));
    // Where only drives differ, as in a radar, they are named by themselves.
    of_runs.chain(runs.iter().map(|run| (run.target.clone(), run.target.clone()))).collect()
}

/// Names that were given: what has the same name again gets a number.
#[derive(Default)]
pub struct Seen(BTreeMap<String, usize>);

impl Seen {
    /// The name, or from the second time on `NAME (2)`.
    pub fn apart(&mut self, name: String) -> String {
        let count = self.0.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{name} ({count})") } else { name }
    }
}

/// A name of a parameter or metric in words.
pub fn words(name: &str) -> String {
    if let Some((of, metric)) = name.split_once('.')
        && !metric.starts_with(|c: char| c.is_ascii_digit())
    {
        // `read.read_lat_mean` says twice what was done.
        return match metric.starts_with(of) {
            true => words(metric),
            false => format!("{}, {}", words(of), words(metric)),
        };
    }
    match name {
        "qd" => "QD".to_owned(),
        "bs" => "block size".to_owned(),
        "iodepth" => "queue depth".to_owned(),
        "iops" => "IOPS".to_owned(),
        "tps" => "transactions/s".to_owned(),
        name => {
            let words =
                name.replace('_', " ").replace(" lat ", " latency ").replace("iops", "IOPS");
            match words.strip_suffix(" lat") {
                Some(kind) => format!("{kind} latency"),
                None => words,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(target: &str, params: &[(&str, &str)]) -> Measured {
        let params = params.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Measured { target: target.to_owned(), params, ..Measured::default() }
    }

    #[test]
    fn what_is_the_same_in_all_is_not_named() {
        let runs = [run("a", &[("qd", "1"), ("block", "4 KiB")]), run("a", &[("qd", "32")])];
        let runs: Vec<&Measured> = runs.iter().collect();
        assert_eq!(varying(&runs), ["block", "qd"]);
        assert_eq!(labels(&runs, &["qd"]), ["QD 1", "QD 32"]);
        let two = [run("a", &[("qd", "1")]), run("b", &[("qd", "1")])];
        let two: Vec<&Measured> = two.iter().collect();
        assert_eq!(labels(&two, &varying(&two)), ["a", "b"]);
    }

    #[test]
    fn what_was_measured_and_what_was_modelled_is_told_where_both_are() {
        let real = Measured { origin: Origin::Measured, ..run("./f", &[]) };
        let runs = [real, run("a", &[])];
        let both: Vec<&Measured> = runs.iter().collect();
        assert_eq!(labels(&both, &[]), ["./f (measured)", "a (modelled)"]);
        assert_eq!(labels(&both[..1], &[]), ["./f"]);
    }

    #[test]
    fn equal_runs_are_told_apart() {
        let runs = [run("a", &[]), run("a", &[])];
        let runs: Vec<&Measured> = runs.iter().collect();
        assert_eq!(labels(&runs, &[]), ["a", "a (2)"]);
    }
}
