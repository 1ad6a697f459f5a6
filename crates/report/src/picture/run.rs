//! Runs of job files, on models or by the installed fio: jobs side by side, percentiles,
//! histograms, the state of the drive and logs over time.

use super::method::{histogram, too_few};
use super::quantity::{Shown, short, text};
use super::radar::{Corner, Corners};
use super::{Options, tails, timeline};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::source::Source;
use stats::{Direction, DirectionResult, JobResult, LatencyResult, LogKind, NamedHistogram};
use std::collections::BTreeMap;

/// Percentiles of the table.
const PERCENTILES: [f64; 5] = [50.0, 99.0, 99.9, 99.99, 99.9999];

/// One direction of one job.
struct Flow<'s> {
    source: &'s Source,
    job: &'s JobResult,
    direction: &'static str,
    result: &'s DirectionResult,
    /// Its name in legends.
    name: String,
}

impl Flow<'_> {
    /// The latency that is shown: completion latency, or total latency where a job has only that.
    fn latency(&self) -> &LatencyResult {
        if self.result.clat.n > 0 { &self.result.clat } else { &self.result.lat }
    }
}

/// Sections of runs: what they have in common first, then each by itself.
pub fn sections(sources: &[&Source], options: &Options) -> Vec<Section> {
    let all = flows(sources);
    let mut sections = Vec::new();
    if sources.len() > 1 {
        let mut section = Section::new("Runs side by side", "runs");
        section.blocks.push(Block::Table(table("All jobs", &all)));
        section.blocks.extend(beside(&all).into_iter().map(Block::chart));
        section.blocks.extend(corners(&all, options).map(Block::chart));
        section.blocks.extend(percentiles("All jobs", &all).map(Block::chart));
        sections.push(section);
    }
    for source in sources {
        let flows = flows(&[source]);
        let mut section = Section::new(format!("Run {}", source.name), "run");
        for warning in &source.outcome.warnings {
            let about = match warning.concerns.as_str() {
                "" => String::new(),
                concerns => format!("{concerns}: "),
            };
            section.blocks.push(Block::Note(Tone::Warning, format!("{about}{}", warning.message)));
        }
        if flows.is_empty() {
            let text = "no job of this run has moved any data".to_owned();
            section.blocks.push(Block::Note(Tone::Warning, text));
        }
        section.blocks.push(Block::Table(table(&source.name, &flows)));
        section.blocks.extend(percentiles(&source.name, &flows).map(Block::chart));
        section.blocks.extend(histograms(&source.name, &flows).map(Block::chart));
        section.blocks.extend(logs(source).into_iter().map(Block::chart));
        let timeline = source.outcome.run.as_ref().and_then(|run| run.timeline.as_ref());
        let states = timeline.map(|series| timeline::state(&source.name, series));
        section.blocks.extend(states.into_iter().flatten().map(Block::chart));
        sections.push(section);
    }
    sections
}

/// The directions in which the jobs did anything.
fn flows<'s>(sources: &[&'s Source]) -> Vec<Flow<'s>> {
    let mut flows = Vec::new();
    for source in sources {
        let Some(run) = &source.outcome.run else { continue };
        for job in &run.jobs {
            let each = Direction::ALL.iter().map(|d| (d.name(), job.direction(*d)));
            let mixed = job.mixed.iter().map(|mixed| ("mixed", mixed));
            let busy = each.chain(mixed).filter(|(_, result)| result.total_ios > 0);
            for (direction, result) in busy {
                let before = match sources.len() {
                    1 => String::new(),
                    _ => format!("{}: ", stem(&source.name)),
                };
                let name = format!("{before}{} {direction}", job.jobname);
                flows.push(Flow { source, job, direction, result, name });
            }
        }
    }
    // Jobs may share a name.
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for flow in &mut flows {
        let count = seen.entry(flow.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            flow.name.push_str(&format!(" ({count})"));
        }
    }
    flows
}

/// A file name without folder and endings.
fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file)
}

/// All jobs, one line a direction.
fn table(caption: &str, flows: &[Flow<'_>]) -> DataTable {
    let titles = ["File", "Job", "Op", "#IOPS", "#Bandwidth", "#I/Os", "#Mean latency", "#Longest"];
    let mut table = DataTable::new(caption, &titles);
    for percent in PERCENTILES {
        table.number_column(format!("p{percent}"));
    }
    for flow in flows {
        let (result, latency) = (flow.result, flow.latency());
        let time = |ns: f64| Cell::number(text("s", "lat", ns * 1e-9), ns);
        let mut row = vec![
            Cell::text(stem(&flow.source.name)),
            Cell::text(flow.job.jobname.clone()),
            Cell::text(flow.direction),
            Cell::number(text("1/s", "iops", result.iops), result.iops),
            Cell::number(text("B/s", "", result.bw_bytes_s as f64), result.bw_bytes_s as f64),
            Cell::number(result.total_ios.to_string(), result.total_ios as f64),
            time(latency.mean_ns),
            time(latency.max_ns as f64),
        ];
        for percent in PERCENTILES {
            row.push(match percentile(latency, percent) {
                Some(ns) => time(ns as f64).noted(too_few(percent, latency.n)),
                None => Cell::text("-"),
            });
        }
        table.rows.push(row);
    }
    table
}

/// A percentile as it is printed, or else out of the buckets.
fn percentile(latency: &LatencyResult, percent: f64) -> Option<u64> {
    let printed = latency.percentile_ns(percent);
    printed.or_else(|| latency.histogram.as_ref()?.percentile_ns(percent))
}

/// IOPS, bandwidth and mean latency of all jobs as bars: one group a job, one bar a source.
fn beside(flows: &[Flow<'_>]) -> Vec<Chart> {
    let mut jobs: Vec<String> = Vec::new();
    let mut files: Vec<&str> = Vec::new();
    for flow in flows {
        let job = format!("{} {}", flow.job.jobname, flow.direction);
        if !jobs.contains(&job) {
            jobs.push(job);
        }
        if !files.contains(&flow.source.name.as_str()) {
            files.push(&flow.source.name);
        }
    }
    type Value = fn(&Flow<'_>) -> f64;
    let metrics: [(&str, &str, Value); 3] = [
        ("IOPS", "1/s", |flow| flow.result.iops),
        ("bandwidth", "B/s", |flow| flow.result.bw_bytes_s as f64),
        ("mean latency", "s", |flow| flow.latency().mean_ns * 1e-9),
    ];
    let chart = |(name, unit, value): (&str, &str, Value)| {
        let most = flows.iter().map(value).fold(0.0, f64::max);
        let base = if unit == "1/s" { "iops" } else { "" };
        let y = Shown::of(unit, base, most);
        let line = |file: &&str| {
            let own = flows.iter().filter(|flow| flow.source.name == **file);
            let place = |flow: &Flow<'_>| {
                let job = format!("{} {}", flow.job.jobname, flow.direction);
                jobs.iter().position(|known| *known == job).unwrap_or(0) as f64
            };
            let points = own.map(|flow| [place(flow), short(value(flow) * y.factor)]).collect();
            Line::new(stem(file), Style::Line, points)
        };
        Chart {
            kind: ChartKind::Bars,
            title: format!("All jobs: {name}"),
            x: Axis::names("job", jobs.clone()),
            y: Axis { from: Some(0.0), ..Axis::new(name, &y.unit, Scale::Linear) },
            lines: files.iter().map(line).collect(),
            ..Chart::default()
        }
    };
    metrics.into_iter().map(chart).collect()
}

/// Four corners out of jobs that are purely one of them.
fn corners(flows: &[Flow<'_>], options: &Options) -> Option<Chart> {
    let mut corners = Corners::default();
    for flow in flows {
        let options = flow.job.job_options.iter();
        let globals = flow.source.outcome.run.iter().flat_map(|run| &run.global_options);
        let rw = options.chain(globals).find(|(name, _)| name == "rw" || name == "readwrite");
        let corner = match rw.map(|(_, value)| value.as_str()) {
            Some("read") => Corner::SequentialRead,
            Some("write") => Corner::SequentialWrite,
            Some("randread") => Corner::RandomRead,
            Some("randwrite") => Corner::RandomWrite,
            _ => continue,
        };
        corners.add(stem(&flow.source.name), corner, flow.result.bw_bytes_s as f64);
    }
    corners.chart("Four corners", options.reference.as_deref())
}

/// Latency by percentile: to the last I/O where the buckets are known, else the printed ones.
fn percentiles(title: &str, flows: &[Flow<'_>]) -> Option<Chart> {
    let longest = flows.iter().map(|flow| flow.latency().max_ns).max()? as f64 * 1e-9;
    let (y, shown) = tails::latency_axis(longest);
    let line = |flow: &Flow<'_>| {
        let latency = flow.latency();
        let points: Vec<[f64; 2]> = match bins(latency) {
            Some(histogram) => tails::of_histogram(&histogram, shown.factor),
            None => {
                let printed = latency.percentiles.iter().filter(|p| p.percent < 100.0 && p.ns > 0);
                let value = |ns: u64| short(ns as f64 * 1e-9 * shown.factor);
                printed.map(|p| [short(tails::nines(p.percent)), value(p.ns)]).collect()
            }
        };
        Line::new(&flow.name, Style::Plain, points)
    };
    let lines: Vec<Line> =
        flows.iter().map(line).filter(|line| line.points.len() > 1).take(12).collect();
    let last = lines.iter().flat_map(|line| &line.points).map(|p| p[0]).fold(0.0, f64::max);
    (!lines.is_empty()).then(|| Chart {
        title: format!("{title}: completion latency by percentile"),
        about: "The further a line stays low to the right, the steadier the drive.".to_owned(),
        x: tails::axis(last),
        y,
        lines,
        ..Chart::default()
    })
}

/// The buckets of a distribution, if they were kept.
fn bins(latency: &LatencyResult) -> Option<NamedHistogram> {
    let histogram = latency.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
    let mut bins = NamedHistogram::default();
    for (index, count) in histogram.sparse() {
        bins.upper_ns.push(stats::histogram::upper_ns(index));
        bins.counts.push(count);
    }
    Some(bins)
}

fn histograms(title: &str, flows: &[Flow<'_>]) -> Option<Chart> {
    let named: Vec<(String, NamedHistogram)> =
        flows.iter().filter_map(|flow| Some((flow.name.clone(), bins(flow.latency())?))).collect();
    let group: Vec<(String, &NamedHistogram)> = named.iter().map(|(n, h)| (n.clone(), h)).collect();
    (!group.is_empty()).then(|| histogram(&format!("{title}: completion latency"), &group))
}

/// Most points of a line out of a log.
const POINTS: usize = 1500;

/// What the logs of the jobs say over time; one picture a kind.
fn logs(source: &Source) -> Vec<Chart> {
    let Some(run) = &source.outcome.run else { return Vec::new() };
    let mut kinds: BTreeMap<LogKind, Vec<Line>> = BTreeMap::new();
    for job in &run.jobs {
        for log in &job.logs {
            let (base, name, factor) = unit(log.kind);
            for direction in Direction::ALL {
                let rows = log.rows().filter(|row| usize::from(row.ddir) == direction.index());
                let points: Vec<[f64; 2]> =
                    rows.map(|row| [row.ms as f64 * 1e-3, row.value as f64 * factor]).collect();
                if points.len() < 2 {
                    continue;
                }
                let most = points.iter().map(|point| point[1]).fold(0.0, f64::max);
                let shown = Shown::of(base, name, most);
                let name = format!("{} {}", job.jobname, direction.name());
                let points = thinned(&points, POINTS);
                let points = points.iter().map(|p| [short(p[0]), short(p[1] * shown.factor)]);
                let line = Line::new(name, Style::Plain, points.collect());
                kinds.entry(log.kind).or_default().push(line);
            }
        }
    }
    let chart = |(kind, lines): (LogKind, Vec<Line>)| {
        let (base, name, factor) = unit(kind);
        let values = run.jobs.iter().flat_map(|job| &job.logs).filter(|log| log.kind == kind);
        let most = values.flat_map(|log| &log.value).max().map_or(0.0, |m| *m as f64 * factor);
        let shown = Shown::of(base, name, most);
        Chart {
            title: format!("{}: {name} over time", source.name),
            about: "Out of the logs of the jobs; of many values in a row the largest is drawn."
                .to_owned(),
            x: Axis::new("time", "s", Scale::Linear),
            y: Axis { from: Some(0.0), ..Axis::new(name, &shown.unit, Scale::Linear) },
            lines,
            ..Chart::default()
        }
    };
    kinds.into_iter().map(chart).collect()
}

/// Base unit and name of a log, and its factor to the base unit.
fn unit(kind: LogKind) -> (&'static str, &'static str, f64) {
    match kind {
        LogKind::Bw => ("B/s", "bandwidth", 1024.0),
        LogKind::Iops => ("1/s", "iops", 1.0),
        LogKind::Slat => ("s", "submission latency", 1e-9),
        LogKind::Clat => ("s", "completion latency", 1e-9),
        LogKind::Lat => ("s", "total latency", 1e-9),
    }
}

/// At most so many points: of each stretch the largest, since tails are what is looked for.
fn thinned(points: &[[f64; 2]], most: usize) -> Vec<[f64; 2]> {
    let stretch = points.len().div_ceil(most).max(1);
    let largest = |part: &[[f64; 2]]| part.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
    points.chunks(stretch).filter_map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_tails() {
        let points: Vec<[f64; 2]> =
            (0..1000).map(|i| [f64::from(i), f64::from(u8::from(i == 777))]).collect();
        let thin = thinned(&points, 100);
        assert_eq!(thin.len(), 100);
        assert!(thin.contains(&[777.0, 1.0]));
        assert!(thinned(&[], 10).is_empty());
    }
}
