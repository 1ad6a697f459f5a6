//! `drivelab show DRIVE --interval METHOD`: which values of a model carry the uncertainty of its
//! answers.

use super::args::ShowArgs;
use crate::compare::loads;
use crate::console::Console;
use crate::ensemble::load;
use crate::files::{self, json_text};
use crate::laboratory::caught;
use crate::progress::Bar;
use crate::render::Failure;
use crate::target;
use answer::shown::{Carries, ShownUncertainty};
use lab::{BenchOptions, ModelBench, Run};
use library::Scale;
use metric::{Measurement, Metric, tail};
use prior::{Value, of_system};
use rayon::prelude::*;
use report::{Column, Table};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part of a drive, in mapping units, and I/Os that are enough to see how an answer moves.
const UNITS: u64 = 4 << 20;
const IOS: u64 = 80_000;

/// Metrics that are looked at if none is named.
const METRICS: [&str; 3] = ["iops", "read_lat_mean", "write_lat_mean"];

/// Values that carry less of it are left out of the table.
const LEAST: f64 = 0.005;

/// Runs the command.
pub fn command(args: &ShowArgs, load: &str) -> Result<(), Failure> {
    let system = target::model(&args.name, &[])?;
    let run = loads::named(load, &[], false)?.on(&system.slug);
    let options =
        BenchOptions { scale: Some(Scale::Units(UNITS)), ios: IOS, ..BenchOptions::default() };
    let bench = ModelBench::new(options);
    bench.check(&run)?;
    let start = bench.measure(&run.target, &run.method, &run.params)?;
    let metrics = metrics(&args.metric, &start)?;
    let of_model = of_system(&system).into_iter().map(|value| (value, Of::Model));
    let of_load = load::unknown(&run).into_iter().map(|value| (value, Of::Load));
    let values: Vec<(Value, Of)> =
        of_model.chain(of_load).filter(|(value, _)| value.at(LOW).is_some()).collect();
    let done = AtomicUsize::new(0);
    let bar = Bar::new(&Console::new(false), "moving one value after the other");
    let moved: Vec<Moved> = values
        .par_iter()
        .map(|(value, of)| {
            let moved = Moved::new(value, *of, &bench, &run, &start);
            let share = (done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / values.len() as f64;
            bar.set(share, value.key.clone());
            moved
        })
        .collect();
    drop(bar);
    let shown: Vec<ShownUncertainty> =
        metrics.iter().map(|metric| of_metric(metric, &start, &moved, &run)).collect();
    files::print(&match args.json {
        true => json_text(&shown)?,
        false => shown.iter().map(text).collect::<Vec<_>>().join("\n"),
    })
}

/// The metrics that are looked at: those that are asked for, or the usual ones that there are.
fn metrics(asked: &[String], start: &Measurement) -> Result<Vec<String>, Failure> {
    let has = |name: &str| start.metrics.get(name).is_some_and(|metric| metric.value > 0.0);
    if let Some(name) = asked.iter().find(|name| !has(name)) {
        let known: Vec<&str> = start.metrics.keys().map(String::as_str).collect();
        return Err(Failure::wrong(format!("the method gives no `{name}` above zero"))
            .with_help(metric::hint("metrics", name, known)));
    }
    if !asked.is_empty() {
        return Ok(asked.to_vec());
    }
    let usual: Vec<String> =
        METRICS.iter().filter(|name| has(name)).map(|name| (*name).to_owned()).collect();
    match usual.is_empty() {
        false => Ok(usual),
        true => Ok(start.metrics.keys().find(|name| has(name)).cloned().into_iter().collect()),
    }
}

/// What a value is one of.
#[derive(Clone, Copy)]
enum Of {
    Model,
    Load,
}

/// The ends of what a value may be.
const LOW: f64 = 0.0;
const HIGH: f64 = 1.0;

/// A value at both ends of what it may be, and what came of it.
struct Moved<'v> {
    value: &'v Value,
    ends: [(String, Option<Measurement>); 2],
}

impl<'v> Moved<'v> {
    fn new(value: &'v Value, of: Of, bench: &ModelBench, run: &Run, start: &Measurement) -> Self {
        let same = bench.signature(run).ok();
        let ends = [LOW, HIGH].map(|place| {
            let text = value.at(place).unwrap_or_default();
            let set = vec![(value.key.clone(), text.clone())];
            let (bench, moved) = match of {
                Of::Model => (bench.clone().with_set(set), Some(run.clone())),
                Of::Load => (bench.clone(), load::otherwise(run, &set)),
            };
            let made = moved.and_then(|moved| match bench.signature(&moved).ok() {
                // Nothing of the run changes.
                now if now == same && moved == *run => Some(start.clone()),
                Some(_) => {
                    caught(|| bench.measure(&moved.target, &moved.method, &moved.params)).ok()
                }
                None => None,
            });
            (text, made)
        });
        Moved { value, ends }
    }

    /// The logarithm of what a metric becomes at each end, over what it is.
    fn off(&self, metric: &str, start: f64) -> [Option<f64>; 2] {
        [&self.ends[0], &self.ends[1]].map(|(_, made)| {
            let value = made.as_ref()?.metrics.get(metric)?.value;
            (value > 0.0).then(|| (value / start).ln())
        })
    }
}

fn of_metric(
    metric: &str,
    start: &Measurement,
    moved: &[Moved<'_>],
    run: &Run,
) -> ShownUncertainty {
    let now = start.metrics.get(metric).map_or(f64::NAN, |metric| metric.value);
    let mut carries: Vec<Carries> = Vec::new();
    let mut unmoved = Vec::new();
    for one in moved {
        let off = one.off(metric, now);
        if off.iter().all(Option::is_none) {
            unmoved.push(one.value.key.clone());
            continue;
        }
        let low = off[0].or(off[1].map(|other| -other)).unwrap_or_default();
        let high = off[1].or(off[0].map(|other| -other)).unwrap_or_default();
        carries.push(Carries {
            value: one.value.key.clone(),
            now: one.value.text.clone(),
            may_be: (one.ends[0].0.clone(), one.ends[1].0.clone()),
            source: one.value.source.clone(),
            becomes: (now * low.exp(), now * high.exp()),
            // Even over its logarithm between the ends: a third of the squares.
            share: (low * low + high * high) / 6.0,
        });
    }
    let variance: f64 = carries.iter().map(|one| one.share).sum();
    carries.iter_mut().for_each(|one| one.share /= variance.max(f64::MIN_POSITIVE));
    carries.sort_by(|a, b| b.share.total_cmp(&a.share));
    // Nine of ten within 1.645 standard deviations: many values add up to a normal distribution.
    let half = 1.645 * variance.sqrt();
    ShownUncertainty {
        target: run.target.clone(),
        run: run.label(),
        metric: metric.to_owned(),
        value: now,
        interval90: (now * (-half).exp(), now * half.exp()),
        carries,
        unmoved,
    }
}

fn text(shown: &ShownUncertainty) -> String {
    let dimension =
        Metric::parse(tail(&shown.metric)).map_or(metric::Dimension::Number, |m| m.0.dimension());
    let show = |value: f64| metric::show_metric(tail(&shown.metric), dimension, value);
    let mut text = format!(
        "{}, {}: {} {}, by its values {} to {} (90 %)\n\n",
        shown.target,
        shown.run,
        shown.metric,
        show(shown.value),
        show(shown.interval90.0),
        show(shown.interval90.1)
    );
    let loud = || shown.carries.iter().filter(|one| one.share >= LEAST);
    if loud().next().is_none() {
        text.push_str("What is not known of its values does not move it.\n");
        return text;
    }
    let mut table = Table::new(vec![
        Column::left("Measure this to know more"),
        Column::right("Share"),
        Column::left("Now"),
        Column::left("May be"),
        Column::left(&shown.metric),
        Column::left("Source"),
    ]);
    for one in loud() {
        table.row(vec![
            one.value.clone(),
            format!("{:.0} %", one.share * 100.0),
            short(&one.now),
            format!("{} to {}", short(&one.may_be.0), short(&one.may_be.1)),
            format!("{} to {}", show(one.becomes.0), show(one.becomes.1)),
            one.source.clone(),
        ]);
    }
    text.push_str(&table.to_text());
    text
}

/// A list with its unit once: `36, 48, 60 us`.
fn short(text: &str) -> String {
    let Some((_, unit)) = text.rsplit_once(' ').filter(|_| text.contains(", ")) else {
        return text.to_owned();
    };
    text.replace(&format!(" {unit}, "), ", ")
}
