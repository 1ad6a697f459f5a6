//! What a twin is made from: tests of a drive, and the numbers of each that count.

use crate::fit::figures::bucket;
use crate::fit::row::is_sampled;
use crate::on_target::Asked;
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
    /// The test before leaves a drive as this one needs it.
    follows: bool,
}

impl Probe {
    const fn following(self) -> Self {
        Probe { follows: true, ..self }
    }
}

const READ_TAIL: &[&str] = &["read_lat_mean", "read_lat_p90", "read_lat_p99", "read_lat_p99.9"];

/// Rates of bursts by their volume.
const BURSTS: &[&str] =
    &["burst_1mib", "burst_4mib", "burst_16mib", "burst_64mib", "burst_256mib", "burst_1gib"];

/// Latencies of reads beside random writes: where erases begin to show, and how long they are.
const ERASE_TAIL: &[&str] = &[
    "read_lat_mean",
    "read_lat_p90",
    "read_lat_p99",
    "read_lat_p99.5",
    "read_lat_p99.9",
    "read_lat_p99.95",
];

const fn probe(
    id: &'static str,
    method: &'static str,
    params: &'static [(&'static str, &'static str)],
    metrics: &'static [&'static str],
    device: bool,
) -> Probe {
    Probe { id, method, params, metrics, device, follows: false }
}

const READ: (&str, &str) = ("op", "read");
const WRITE: (&str, &str) = ("op", "write");
const FILLED: (&str, &str) = ("state", "filled");
const ONE: (&str, &str) = ("qd", "1");

/// A test of single reads or reads at depth on a filled drive.
const fn read(
    id: &'static str,
    params: &'static [(&'static str, &'static str)],
    metrics: &'static [&'static str],
) -> Probe {
    probe(id, "corner", params, metrics, false).following()
}

/// The tests of a drive that is empty, then filled.
const IN_ORDER: &[Probe] = &[
    probe(
        "empty",
        "corner",
        &[READ, ONE, ("block", "4 KiB"), ("state", "fresh")],
        &["read_lat_mean"],
        true,
    ),
    probe("burst-empty", "write-burst", &[("state", "fresh")], BURSTS, true),
    probe(
        "fill",
        "sustained-write",
        &[],
        &["bandwidth_first", "bandwidth_steady", "first_knee"],
        true,
    ),
    probe("read-4k", "corner", &[READ, ONE, ("block", "4 KiB"), FILLED], &["read_lat_mean"], false),
    read("read-16k", &[READ, ONE, ("block", "16 KiB"), FILLED], &["read_lat_mean"]),
    read("read-64k", &[READ, ONE, ("block", "64 KiB"), FILLED], &["read_lat_mean"]),
    read("depth-4", &[READ, ("qd", "4"), FILLED], &["read_iops"]),
    read("depth-16", &[READ, ("qd", "16"), FILLED], &["read_iops"]),
    read("depth-64", &[READ, ("qd", "64"), FILLED], &["read_iops"]),
    read("depth-512", &[READ, ("qd", "512"), FILLED], &["read_iops"]),
    read("stream-read", &[READ, ("pattern", "seq"), ("qd", "64"), FILLED], &["read_bandwidth"]),
    probe(
        "stream-write",
        "corner",
        &[WRITE, ("pattern", "seq"), ("qd", "32"), FILLED],
        &["write_bandwidth"],
        false,
    )
    .following(),
    probe("sync", "write-sync", &[FILLED], &["write_lat_p50", "flushed_iops"], false).following(),
];

/// A test of random writes of a size.
const fn scattered(id: &'static str, params: &'static [(&'static str, &'static str)]) -> Probe {
    probe(id, "corner", params, &["write_iops"], true)
}

/// The tests of a drive that is written at random.
const SCATTERED: &[Probe] = &[
    scattered("random-4k", &[WRITE, ("qd", "64"), ("block", "4 KiB")]),
    scattered("random-16k", &[WRITE, ("qd", "64"), ("block", "16 KiB")]).following(),
    scattered("random-64k", &[WRITE, ("qd", "64"), ("block", "64 KiB")]).following(),
    probe("burst", "write-burst", &[], BURSTS, true).following(),
];

/// The test of a drive with more spare area.
const SPARE: &[Probe] = &[scattered("spare-20", &[WRITE, ("qd", "64"), ("give_up", "20 %")])];

/// Names of the two tests of reads beside writes in order, and the share of the rate of writes in
/// order to which the writes are held.
const BESIDE: [(&str, f64); 2] = [("beside-25", 0.25), ("beside-60", 0.6)];

/// The test of reads beside random writes of 128 KiB, and the share of the rate of random writes of
/// 64 KiB to which they are held.
const BESIDE_RANDOM: (&str, f64) = ("beside-random", 0.5);

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
    /// The test before leaves a real drive as this one needs it.
    pub follows: bool,
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

impl Of<'_> {
    /// The tests that fit the target.
    fn fitting(self, probes: &[Probe]) -> Vec<Planned> {
        let fits = |probe: &&Probe| self.device || !probe.device;
        let planned = |probe: &Probe| {
            let planned = planned(probe.id, probe.method, probe.params, probe.metrics, self)?;
            Some(Planned { follows: probe.follows, ..planned })
        };
        probes.iter().filter(fits).filter_map(planned).collect()
    }
}

/// The tests of a drive that is empty, then filled.
pub fn in_order(of: Of<'_>) -> Vec<Planned> {
    of.fitting(IN_ORDER)
}

/// The tests of a drive that is written at random.
pub fn scattered_over(of: Of<'_>) -> Vec<Planned> {
    of.fitting(SCATTERED)
}

/// The test of a drive with more spare area.
pub fn with_spare(of: Of<'_>) -> Vec<Planned> {
    of.fitting(SPARE)
}

/// Reads beside writes in order, at shares of the rate in B/s at which the target takes them.
pub fn beside_in_order(of: Of<'_>, rate: f64) -> Vec<Planned> {
    let one = |beside: &(&str, f64)| reads_beside(*beside, rate, &[], READ_TAIL, of);
    BESIDE.iter().filter_map(one).collect()
}

/// Reads beside random writes, at a share of the rate in B/s at which the target takes them.
pub fn beside_random(of: Of<'_>, rate: f64) -> Vec<Planned> {
    let scattered = [("pattern", "rand"), ("state", "steady")];
    reads_beside(BESIDE_RANDOM, rate, &scattered, ERASE_TAIL, of).into_iter().collect()
}

fn reads_beside(
    (id, share): (&str, f64),
    rate: f64,
    more: &[(&str, &str)],
    metrics: &'static [&'static str],
    of: Of<'_>,
) -> Option<Planned> {
    let rate = format!("{} MB/s", (rate * share / 1e6).round().max(1.0));
    let params = [&[("rate", rate.as_str())], more].concat();
    let planned = planned(id, "read-beside", &params, metrics, of)?;
    Some(Planned { follows: true, ..planned })
}

/// Reads in order of what was never written: a drive's flash does not limit them.
pub fn of_the_link(target: &str) -> Option<Planned> {
    let params = [READ, ("pattern", "seq"), ("qd", "64"), ("state", "fresh")];
    let of = Of { target, real: false, device: true };
    planned("link", "corner", &params, &["read_bandwidth"], of)
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
    let (run, measured) = (run(&[])?, run(more)?);
    Some(Planned { id: id.to_owned(), run, measured, follows: false, metrics })
}

impl Planned {
    /// As it is asked of the target.
    pub fn asked(&self) -> Asked<'_> {
        Asked { run: &self.measured, follows: self.follows }
    }

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
        let bucket = bucket(&parsed);
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
        assert_eq!(in_order(of(true)).len(), IN_ORDER.len());
        assert_eq!(scattered_over(of(true)).len(), SCATTERED.len());
        assert_eq!(with_spare(of(true)).len(), SPARE.len());
        let of_file = in_order(of(false)).len();
        assert!(of_file > 5 && of_file < IN_ORDER.len());
        assert!(scattered_over(of(false)).is_empty() && with_spare(of(false)).is_empty());
        assert_eq!(beside_in_order(of(true), 3e9).len(), BESIDE.len());
        assert_eq!(beside_random(of(true), 3e8).len(), 1);
        assert_eq!(unseen("p4510-8tb", 1e8).len(), 6);
    }

    /// Each finds the state that it names after the test before it, or makes it.
    #[test]
    fn a_test_follows_only_one_that_leaves_its_state() {
        let of = Of { target: "p4510-8tb", real: true, device: true };
        let states = |all: Vec<Planned>| {
            let state = |planned: Planned| (planned.follows, planned.run.params.state());
            all.into_iter().map(state).collect::<Vec<_>>()
        };
        for all in [states(in_order(of)), states(scattered_over(of)), states(with_spare(of))] {
            assert!(!all[0].0, "the first of a group makes its state");
            for pair in all.windows(2) {
                assert!(!pair[1].0 || pair[0].1 == pair[1].1, "{pair:?}");
            }
        }
        let given_up = |planned: &Planned| planned.run.params.give_up() > 0.0;
        let shared = [in_order(of), scattered_over(of)].concat();
        assert!(!shared.iter().any(given_up), "what is given up is another drive");
    }

    #[test]
    fn every_number_of_the_plan_is_a_metric() {
        let of = Of { target: "p4510-8tb", real: false, device: true };
        let all = [in_order(of), scattered_over(of), with_spare(of)].concat();
        for metric in all.iter().flat_map(|planned| planned.metrics) {
            assert!(Metric::parse(metric).is_ok(), "{metric}");
        }
    }
}
