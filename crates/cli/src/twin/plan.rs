//! What a twin is made from: tests of a drive, and the numbers of each that count.

use crate::fit::figures::BUCKET;
use crate::fit::row::is_sampled;
use lab::Run;
use metric::{Measurement, Metric, Params};
use stats::difference::relative_sigma;
use std::collections::BTreeMap;

/// A test, and what of its result counts.
pub struct Probe {
    /// Its name, which begins the names of its numbers.
    pub id: &'static str,
    method: &'static str,
    params: &'static [(&'static str, &'static str)],
    /// The numbers that values are fitted to.
    metrics: &'static [&'static str],
    /// It needs a whole device: on a file it measures something else.
    device: bool,
}

const READ_TAIL: &[&str] = &["read_lat_mean", "read_lat_p90", "read_lat_p99", "read_lat_p99.9"];

const fn probe(
    id: &'static str,
    method: &'static str,
    params: &'static [(&'static str, &'static str)],
    metrics: &'static [&'static str],
    device: bool,
) -> Probe {
    Probe { id, method, params, metrics, device }
}

const READ: (&str, &str) = ("op", "read");
const WRITE: (&str, &str) = ("op", "write");
const FILLED: (&str, &str) = ("state", "filled");
const ONE: (&str, &str) = ("qd", "1");

/// The tests that come first, in the order in which a drive is put through them: those on a drive
/// written in order before those that scatter it.
const PROBES: &[Probe] = &[
    probe(
        "empty",
        "corner",
        &[READ, ONE, ("block", "4 KiB"), ("state", "fresh")],
        &["read_lat_mean"],
        true,
    ),
    probe(
        "fill",
        "sustained-write",
        &[],
        &["bandwidth_first", "bandwidth_steady", "first_knee"],
        true,
    ),
    probe("read-4k", "corner", &[READ, ONE, ("block", "4 KiB"), FILLED], &["read_lat_mean"], false),
    probe(
        "read-16k",
        "corner",
        &[READ, ONE, ("block", "16 KiB"), FILLED],
        &["read_lat_mean"],
        false,
    ),
    probe(
        "read-64k",
        "corner",
        &[READ, ONE, ("block", "64 KiB"), FILLED],
        &["read_lat_mean"],
        false,
    ),
    probe("depth-4", "corner", &[READ, ("qd", "4"), FILLED], &["read_iops"], false),
    probe("depth-16", "corner", &[READ, ("qd", "16"), FILLED], &["read_iops"], false),
    probe("depth-64", "corner", &[READ, ("qd", "64"), FILLED], &["read_iops"], false),
    probe("depth-512", "corner", &[READ, ("qd", "512"), FILLED], &["read_iops"], false),
    probe(
        "stream-read",
        "corner",
        &[READ, ("pattern", "seq"), ("qd", "64"), FILLED],
        &["read_bandwidth"],
        false,
    ),
    probe(
        "stream-write",
        "corner",
        &[WRITE, ("pattern", "seq"), ("qd", "32"), FILLED],
        &["write_bandwidth"],
        false,
    ),
    probe("sync", "write-sync", &[FILLED], &["write_lat_p50", "flushed_iops"], false),
    probe("random-4k", "corner", &[WRITE, ("qd", "64"), ("block", "4 KiB")], &["write_iops"], true),
    probe(
        "random-16k",
        "corner",
        &[WRITE, ("qd", "64"), ("block", "16 KiB")],
        &["write_iops"],
        true,
    ),
    probe(
        "random-64k",
        "corner",
        &[WRITE, ("qd", "64"), ("block", "64 KiB")],
        &["write_iops"],
        true,
    ),
    probe("spare-20", "corner", &[WRITE, ("qd", "64"), ("give_up", "20 %")], &["write_iops"], true),
    probe(
        "burst",
        "write-burst",
        &[],
        &["burst_1mib", "burst_4mib", "burst_16mib", "burst_64mib", "burst_256mib"],
        true,
    ),
];

/// Names of the two tests of reads beside writes, and the share of the rate of writes in order to
/// which the writes are held.
const BESIDE: [(&str, f64); 2] = [("beside-25", 0.25), ("beside-60", 0.6)];

/// How long each test of a real drive is.
const REAL_TIME: &str = "10 s";

/// A test of a plan.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its name.
    pub id: String,
    /// How it is run on the model.
    pub run: Run,
    /// How it is run on the target.
    pub measured: Run,
    metrics: &'static [&'static str],
}

/// A number of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// `TEST.METRIC`.
    pub id: String,
    /// The run that gives it on a model.
    pub run: Run,
    /// The metric.
    pub metric: String,
    /// The value in its base unit.
    pub value: f64,
    /// Its relative standard uncertainty.
    pub sigma: f64,
}

/// A number that is this far off, as a natural logarithm, is as wrong as one can be.
const FURTHEST: f64 = 3.0;

impl Number {
    /// Whether it is of a test.
    pub fn is_of(&self, test: &str) -> bool {
        self.id.split('.').next() == Some(test)
    }

    /// The base unit of its value.
    pub fn unit(&self) -> &'static str {
        Metric::parse(&self.metric).map_or("", |(metric, _)| metric.dimension().base())
    }

    /// How far off another one is, as a natural logarithm; one that is not there is as far as it
    /// can be.
    pub fn distance(&self, other: Option<&Number>) -> f64 {
        let off = |other: &Number| (other.value / self.value).ln().abs();
        other.map_or(FURTHEST, off).min(FURTHEST)
    }
}

/// A target of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// Its name.
    pub target: &'a str,
    /// It exists.
    pub real: bool,
    /// It is a whole drive, and not a file on one.
    pub device: bool,
}

/// The tests that come first.
pub fn first(of: Of<'_>) -> Vec<Planned> {
    let fits = |probe: &&Probe| of.device || !probe.device;
    let planned = |probe: &Probe| planned(probe.id, probe.method, probe.params, probe.metrics, of);
    PROBES.iter().filter(fits).filter_map(planned).collect()
}

/// Reads beside writes, at shares of the rate at which the target writes in order, in B/s.
pub fn beside(of: Of<'_>, rate: f64) -> Vec<Planned> {
    let planned = |(id, share): &(&str, f64)| {
        let held = format!("{} MB/s", (rate * share / 1e6).round().max(1.0));
        planned(id, "read-beside", &[("rate", &held)], READ_TAIL, of)
    };
    BESIDE.iter().filter_map(planned).collect()
}

/// Tests that no twin is made from, with reads beside random writes of 8 KiB at a rate in B/s.
pub fn unseen(target: &str, rate: f64) -> Vec<Planned> {
    let of = Of { target, real: false, device: true };
    let held = format!("{} MB/s", (rate / 1e6).round().max(1.0));
    let seq = ("pattern", "seq");
    let pressure = [("block", "8 KiB"), ("rate", held.as_str())];
    let mix = [("read", "70 %"), ("qd", "16")];
    let tests: [Probed<'_>; 6] = [
        ("corner-random-read", "corner", &[READ], &["read_iops"]),
        ("corner-random-write", "corner", &[WRITE], &["write_iops"]),
        ("corner-stream-read", "corner", &[READ, seq], &["read_bandwidth"]),
        ("corner-stream-write", "corner", &[WRITE, seq], &["write_bandwidth"]),
        ("mix-70", "mixed", &mix, &["iops", "read_lat_p99", "read_lat_p99.9"]),
        ("pressure", "write-pressure", &pressure, READ_TAIL),
    ];
    tests
        .iter()
        .filter_map(|(id, method, params, metrics)| planned(id, method, params, metrics, of))
        .collect()
}

/// Name, method, parameters and numbers of a test.
type Probed<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'static [&'static str]);

fn planned(
    id: &str,
    method: &str,
    params: &[(&str, &str)],
    metrics: &'static [&'static str],
    of: Of<'_>,
) -> Option<Planned> {
    let known = lab::find(method).ok()?;
    let run = |more: &[(&str, &str)]| {
        let mut given = Params::default();
        for (name, value) in params.iter().chain(more) {
            given.give(name, value).ok()?;
        }
        known.complete(&mut given).ok()?;
        Some(Run { target: of.target.to_owned(), method: method.to_owned(), params: given })
    };
    let timed = of.real && known.params.contains_key("duration");
    let more: &[(&str, &str)] = if timed { &[("duration", REAL_TIME)] } else { &[] };
    Some(Planned { id: id.to_owned(), run: run(&[])?, measured: run(more)?, metrics })
}

impl Planned {
    /// The numbers that count, as far as the result has them.
    pub fn numbers(&self, made: &Measurement) -> Vec<Number> {
        self.metrics.iter().filter_map(|metric| self.number(metric, made)).collect()
    }

    /// A number of the result.
    pub fn number(&self, metric: &str, made: &Measurement) -> Option<Number> {
        let seen = made.metrics.get(metric)?;
        let (parsed, _) = Metric::parse(metric).ok()?;
        let enough = is_sampled(&parsed, seen.samples);
        if !enough || !seen.value.is_finite() || seen.value <= 0.0 {
            return None;
        }
        let sampling =
            seen.interval95.map_or(0.0, |(low, high)| relative_sigma(low, high, seen.value));
        let bucket = if parsed.percent().is_some() { BUCKET } else { 0.0 };
        Some(Number {
            id: format!("{}.{metric}", self.id),
            run: self.run.clone(),
            metric: metric.to_owned(),
            value: seen.value,
            sigma: sampling.min(0.5).hypot(bucket),
        })
    }
}

/// What was measured: numbers by name.
pub type Numbers = BTreeMap<String, Number>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_of_the_plan_is_one_that_the_program_has() {
        let of = |device| Of { target: "p4510-8tb", real: true, device };
        assert_eq!(first(of(true)).len(), PROBES.len());
        let of_file = first(of(false)).len();
        assert!(of_file > 5 && of_file < PROBES.len());
        assert_eq!(beside(of(true), 3e9).len(), BESIDE.len());
        assert_eq!(unseen("p4510-8tb", 1e8).len(), 6);
    }

    #[test]
    fn every_number_of_the_plan_is_a_metric() {
        let all = first(Of { target: "p4510-8tb", real: false, device: true });
        for metric in all.iter().flat_map(|planned| planned.metrics) {
            assert!(Metric::parse(metric).is_ok(), "{metric}");
        }
    }
}
