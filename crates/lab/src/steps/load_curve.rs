//! Latency over the rate, as VDBench's `iorate=curve` measures it.

use super::Action;
use crate::added;
use crate::failure::Failure;
use crate::load::Load;
use crate::metrics;
use crate::session::{Session, distributions};
use crate::target::{Ran, Work};
use crate::values::Values;
use crate::workload_load::Issued;
use engine::{Duration, index, whole};
use library::Workload;
use metric::{MeasureError, MetricValue, NamedHistogram, Point, State};
use schemars::JsonSchema;
use serde::Deserialize;

/// Loads the target with a workload profile: first as fast as its threads can, then at rates that
/// rise to 120 % of what that gave.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCurve {
    /// Name of its numbers.
    #[serde(rename = "as")]
    pub name: String,
    /// The profile: a name, or the path of a file.
    pub workload: String,
    /// Rates that are asked for, evenly from the first to 120 % of the maximum.
    pub points: String,
    /// Time of each on a real target; on a model the longest.
    pub time: String,
    /// Devices whose numbers are reported; all are loaded.
    pub reported: String,
}

/// The last rate that is asked for, over the maximum.
const LAST: f64 = 1.2;
/// A point fell behind if it achieved less than this share of what was asked: several times the
/// error of a rate of as few as 10,000 random arrivals.
const BEHIND: f64 = 0.97;
/// Time of a point on a real target where none is given, s.
const REAL_S: f64 = 60.0;
/// Shortest measured time on a model, s: many times the longest suspended read.
const SHORTEST_S: f64 = 0.02;
/// Time of the first look at how fast a model is, and of its ramp, s.
const LOOK_S: f64 = 0.1;
/// Times that the write buffers could be written before a point is measured: writes are faster than
/// the flash until the difference of both has filled them.
const BUFFERS: f64 = 8.0;
/// I/Os of a point on a model at least.
const LEAST_IOS: u64 = 20_000;
/// Superblocks of all drives that a point with writes fills at least, as far as the time allows it:
/// collection comes in waves of that length.
const LEAST_SUPERBLOCKS: f64 = 2.0;

/// What was measured at one rate.
struct Measured {
    /// Rate that was asked for, I/Os a second; 0 for as fast as possible.
    asked: f64,
    /// The numbers.
    values: Values,
    /// Distributions of its latencies.
    histograms: Vec<NamedHistogram>,
}

impl Measured {
    fn value(&self, name: &str) -> f64 {
        self.values.get(name).map_or(0.0, |value| value.value)
    }
}

/// A profile on the devices of a target.
struct Curve {
    issued: Issued,
    spans: Vec<u64>,
    reported: usize,
    longest_s: f64,
}

impl Action for LoadCurve {
    fn said(&self) -> String {
        format!("load_curve `{}`: {} rates of {}", self.name, self.points, self.workload)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn check(&self, session: &Session<'_>) -> Result<(), Failure> {
        let name = session.text(&self.workload).unwrap_or_default();
        let workload = Workload::named(&name).map_err(wrong)?;
        let curve = self.curve(session, &workload)?;
        let load = curve.issued.load(&curve.spans, None);
        session.target.check(&Work::timed(&load, 0.0, 1.0))
    }

    fn run(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let name = session.text(&self.workload).unwrap_or_default();
        let workload = Workload::named(&name).map_err(wrong)?;
        let points = session.count(&self.points)?.unwrap_or(12).max(1);
        let curve = self.curve(session, &workload)?;
        session.warn(format!("workload `{}`: {}", workload.name, one_line(&workload.provenance)));

        session.tell("the maximum", 0.0);
        // What a point writes would be another share of the drive at every scale and budget: each
        // begins with the drive as it was preconditioned.
        session.target.remember();
        let free = match session.state {
            State::Steady => session.target.free_bytes().unwrap_or(0.0),
            _ => 0.0,
        };
        let seen = curve.measure(session, None, (LOOK_S, LOOK_S))?;
        let curve = Curve { longest_s: curve.longest(session, &seen), ..curve };
        let most = seen.value("iops").max(1.0);
        let seconds = curve.seconds(session, most, &seen, points);
        for _ in 0..=points {
            session.cut_short(&self.time, curve.longest_s, seconds);
        }
        let times = (curve.ramp(session, seconds, &seen, free), seconds);
        let full = curve.measure(session, None, times)?;
        let most = full.value("iops").max(1.0);
        let mut all = Vec::new();
        for i in 1..=points {
            let share = LAST * i as f64 / points as f64;
            let percent = format!("{:.0} %", share * 100.0);
            session.tell(&percent, i as f64 / (points + 1) as f64);
            let one = curve.measure(session, Some(share * most), times)?;
            let at = vec![("asked".to_owned(), percent)];
            session.points.push(Point { at, metrics: one.values.clone() });
            all.push((share, one));
        }
        warn_of_those_behind(session, &all);
        if let Some((_, highest)) = highest(&all) {
            session.histograms.extend(highest.histograms.iter().cloned());
        }
        session.results.insert(self.name.clone(), summary(&full, &all));
        Ok(())
    }
}

impl LoadCurve {
    fn curve(&self, session: &Session<'_>, workload: &Workload) -> Result<Curve, Failure> {
        let devices = session.target.devices();
        if let Some(drives) = session.params.count("drives").filter(|n| *n != devices.len() as u64)
        {
            let why = format!("drives = {drives}, but the target has {}", devices.len());
            return Err(Failure::left_out(why));
        }
        let reported = session.count(&self.reported)?.unwrap_or(devices.len() as u64);
        if reported == 0 || reported > devices.len() as u64 {
            let loaded = devices.len();
            let why = format!("reported_drives = {reported}, but {loaded} are under load");
            return Err(Failure::left_out(why));
        }
        let span = |bytes: &u64| super::super::load::span_of(&session.params, *bytes);
        let spans = devices.iter().map(|bytes| span(bytes).unwrap_or(*bytes)).collect();
        let asked = session.seconds(&self.time)?.unwrap_or(REAL_S);
        Ok(Curve {
            issued: Issued::new(workload, &session.params),
            spans,
            reported: index(reported),
            longest_s: asked.max(1e-3),
        })
    }
}

impl Curve {
    /// Longest time of a point with its ramp, s. A drive that was written in order uses up its
    /// spare area under random writes and is another one then. On a part of it a point writes no
    /// more than its share, or than half of the spare area, which changes nothing. A steady state
    /// is one that more writing does not change.
    fn longest(&self, session: &Session<'_>, seen: &Measured) -> f64 {
        if session.state == State::Steady || !session.target.modelled() {
            return self.longest_s;
        }
        let written = seen.value("write_bandwidth") * self.spans.len() as f64;
        let unnoticed = match session.target.spare_bytes() {
            Some(bytes) if written > 0.0 => bytes / 2.0 * self.reported as f64 / written,
            _ => self.longest_s,
        };
        (self.longest_s * session.target.scale()).max(unnoticed).min(self.longest_s)
    }

    /// Measured time of a point, s. On a model half of the I/Os of the measurement are shared out:
    /// with the ramps, and with the longer points of profiles that write little, it is about all.
    fn seconds(&self, session: &Session<'_>, most: f64, seen: &Measured, points: u64) -> f64 {
        if !session.target.modelled() {
            return self.longest_s;
        }
        let ios = (session.options.ios / (2 * (points + 1))).max(LEAST_IOS);
        let loaded = self.spans.len() as f64 / self.reported as f64;
        let programmed = seen.value("write_bandwidth")
            * loaded
            * seen.values.get("write_amplification").map_or(1.0, |value| value.value);
        // At most four times as long, or a profile with few writes would take for ever.
        let plain = ios as f64 / (most * loaded);
        let waves = match session.target.superblock_bytes() {
            Some(bytes) if programmed > 0.0 => LEAST_SUPERBLOCKS * bytes / programmed,
            _ => 0.0,
        };
        plain.max(waves.min(4.0 * plain)).clamp(SHORTEST_S.min(self.longest_s), self.longest_s)
    }

    /// Time before a point is measured, s: on a model long enough to fill the write buffers at the
    /// rate at which the flash takes what is written, and to write the `free` bytes that it takes
    /// before collection begins.
    fn ramp(&self, session: &Session<'_>, seconds: f64, seen: &Measured, free: f64) -> f64 {
        let plain = (seconds * 0.25).clamp(SHORTEST_S / 2.0, 1.0);
        let written = seen.value("write_bandwidth") * self.spans.len() as f64;
        let fills = match session.target.buffer_bytes() {
            Some(bytes) if written > 0.0 => {
                (BUFFERS * bytes + free) * self.reported as f64 / written
            }
            _ => 0.0,
        };
        plain.max(fills.min(1.0)).min(self.longest_s / 2.0)
    }

    /// Measures a point after its ramp, s each, on the drive as it was remembered.
    fn measure(
        &self,
        session: &mut Session<'_>,
        rate: Option<f64>,
        (ramp_s, seconds): (f64, f64),
    ) -> Result<Measured, Failure> {
        // The offered load of devices that are not reported is left out.
        let all = rate.map(|rate| rate * self.spans.len() as f64 / self.reported as f64);
        let load: Load = self.issued.load(&self.spans, all);
        session.target.take_back();
        let window = Duration::from_ps(whole(seconds / 20.0 * 1e12));
        let work = Work { window, tried: rate.is_some(), ..Work::timed(&load, ramp_s, seconds) };
        let ran = session.measure(&work)?;
        let asked = rate.unwrap_or(0.0);
        let ran = added::first(&ran, self.reported);
        let histograms = distributions("peak", &ran.run.jobs.iter().collect::<Vec<_>>());
        Ok(Measured { asked, values: values(&ran, asked), histograms })
    }
}

fn values(ran: &Ran, asked: f64) -> Values {
    let mut values = metrics::of(ran);
    values.remove("iops_cv");
    if asked > 0.0 {
        values.insert("asked_iops".to_owned(), MetricValue::exact(asked));
    }
    let latency = ran.run.jobs.first().and_then(added::mean_latency);
    if let Some((value, interval95, n)) = latency {
        let value = MetricValue { value, samples: Some(n), interval95: Some(interval95) };
        values.insert("lat_mean".to_owned(), value);
        // Little's law: what is in flight is what arrives a second times how long it stays.
        let iops = values.get("iops").map_or(0.0, |iops| iops.value);
        values.insert("outstanding".to_owned(), MetricValue::exact(iops * value.value));
    }
    values
}

/// The point with the highest rate.
fn highest(points: &[(f64, Measured)]) -> Option<&(f64, Measured)> {
    let rate = |one: &&(f64, Measured)| one.1.value("iops");
    points.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))
}

/// The numbers of the point with the highest rate under their own names, the peak, and the curve at
/// some loads.
fn summary(full: &Measured, points: &[(f64, Measured)]) -> Values {
    let Some((_, highest)) = highest(points) else { return Values::new() };
    let mut all = highest.values.clone();
    all.remove("asked_iops");
    let (iops, latency) =
        peak(full, points).unwrap_or_else(|| (highest.value("iops"), highest.value("lat_mean")));
    all.insert("peak_iops".to_owned(), MetricValue::exact(iops));
    all.insert("latency_at_peak".to_owned(), MetricValue::exact(latency));
    all.extend(full.values.get("iops").map(|value| ("max_iops".to_owned(), *value)));
    for percent in [10, 20, 50, 80] {
        if let Some(latency) = latency_at(points, f64::from(percent) / 100.0) {
            all.insert(format!("latency_at_{percent}"), MetricValue::exact(latency));
        }
    }
    all
}

/// Rate and mean latency of the end of the curve, over the maximum and all points at which as much
/// or more is asked for: `None` if there is no such point. They are measurements of one thing, and
/// the highest of them would be above its mean by their noise.
fn peak(full: &Measured, points: &[(f64, Measured)]) -> Option<(f64, f64)> {
    let busy = points.iter().filter(|(share, _)| *share >= 1.0 - 1e-9).map(|(_, one)| one);
    let busy: Vec<&Measured> = busy.collect();
    let number = busy.len() as f64 + 1.0;
    let all = || busy.iter().copied().chain([full]);
    let iops: f64 = all().map(|one| one.value("iops")).sum();
    let in_flight: f64 = all().map(|one| one.value("iops") * one.value("lat_mean")).sum();
    (!busy.is_empty() && iops > 0.0).then(|| (iops / number, in_flight / iops))
}

/// Mean latency where this share of the maximum is asked for, between the points around it, s.
fn latency_at(points: &[(f64, Measured)], share: f64) -> Option<f64> {
    let after = points.iter().position(|(at, _)| *at >= share - 1e-9)?;
    let (at, one) = &points[after];
    let here = one.value("lat_mean");
    if (at - share).abs() < 1e-9 {
        return Some(here);
    }
    let (before_at, before) = points.get(after.checked_sub(1)?)?;
    let part = (share - before_at) / (at - before_at);
    let before = before.value("lat_mean");
    Some(before + (here - before) * part)
}

fn warn_of_those_behind(session: &mut Session<'_>, points: &[(f64, Measured)]) {
    let behind = |one: &&(f64, Measured)| one.1.value("iops") < BEHIND * one.1.asked;
    let Some((share, first)) = points.iter().find(behind) else { return };
    let most = points.iter().map(|(_, one)| one.value("iops")).fold(0.0, f64::max);
    session.warn(format!(
        "from {:.0} % of the maximum on ({:.0} IOPS asked for) the rate falls behind what is \
         asked for; {most:.0} IOPS are the most that was achieved",
        share * 100.0,
        first.asked
    ));
}

fn wrong(error: fio::Diagnostic) -> Failure {
    Failure::Measure(MeasureError::NotModelled(error.to_string().replace("\n  help: ", "; ")))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(asked: f64, iops: f64, lat: f64) -> Measured {
        let values = [("iops", iops), ("lat_mean", lat)]
            .map(|(name, value)| (name.to_owned(), MetricValue::exact(value)));
        Measured { asked, values: values.into(), histograms: Vec::new() }
    }

    #[test]
    fn the_peak_is_the_mean_of_what_is_measured_at_full_load() {
        let points = [(0.3, 30.0, 1.0), (0.6, 60.0, 2.0), (0.9, 91.0, 4.0), (1.2, 88.0, 5.0)]
            .map(|(share, iops, lat)| (share, point(share * 100.0, iops, lat)));
        let all = summary(&point(0.0, 90.0, 9.0), &points);
        assert_eq!(all["peak_iops"].value, 89.0);
        let in_flight = 88.0 * 5.0 + 90.0 * 9.0;
        assert!((all["latency_at_peak"].value - in_flight / 178.0).abs() < 1e-9);
        assert_eq!(all["iops"].value, 91.0);
        let below = summary(&point(0.0, 90.0, 9.0), &points[..3]);
        assert_eq!((below["peak_iops"].value, below["latency_at_peak"].value), (91.0, 4.0));
        assert_eq!(all["max_iops"].value, 90.0);
        // Between 30 and 60 %, and below the first point not at all.
        assert!((all["latency_at_50"].value - (1.0 + 2.0 / 3.0)).abs() < 1e-9);
        assert!(!all.contains_key("latency_at_20"));
    }
}
