//! Runs of job files, on models or by the installed fio: jobs side by side, percentiles,
//! histograms, the state of the drive and logs over time.

use super::colour::{Owner, owned};
use super::label::Seen;
use super::measured::Measured;
use super::radar::{Corner, Corners};
use super::reach::{is_largest, too_few};
use super::{Options, histogram, jobs, limits, logs, nines, origin, state};
use crate::document::{
    Axis, Block, Careful, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style,
};
use crate::quantity::{Shown, short, text};
use crate::source::Source;
use answer::origin::{apart, of_all};
use answer::{Answer, Origin};
use stats::{Direction, DirectionResult, JobResult, LatencyResult, NamedHistogram, Warning};

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
pub fn sections(sources: &[Source], options: &Options) -> Vec<Section> {
    let is_run = |source: &&Source| matches!(source.answer, Answer::Run(_));
    let sources: Vec<&Source> = sources.iter().filter(is_run).collect();
    let all = flows(&sources);
    let mut sections = Vec::new();
    if sources.len() > 1 {
        let mut section = Section::new("Runs side by side", "runs");
        section.blocks.extend(tables("All jobs", &all));
        let swept = jobs::measured(&sources, |source| owner(source).1);
        let mut charts = owned_by_names(jobs::charts("All jobs", &swept), &swept);
        charts.extend(beside(&all));
        charts.extend(corners(&all, options));
        charts.extend(percentiles("All jobs", &all));
        section.blocks.extend(blocks(charts, &sources));
        sections.push(section);
    }
    for source in &sources {
        let flows = flows(&[source]);
        let mut section = Section::new(format!("Run {}", source.name), "run");
        section.blocks.extend(answer(source, &flows));
        for warning in &source.outcome.warnings {
            section.blocks.push(Block::Careful(careful(warning, source, sources.len() > 1)));
        }
        if flows.is_empty() {
            let text = "no job of this run has moved any data".to_owned();
            section.blocks.push(Block::Careful(Careful::of_all(text)));
        }
        section.blocks.extend(tables(&source.name, &flows));
        section.blocks.extend(limits::of_source(source));
        let mut charts = Vec::new();
        if sources.len() == 1 {
            let swept = jobs::measured(&sources, |source| owner(source).1);
            charts.extend(owned_by_names(jobs::charts(&source.name, &swept), &swept));
        }
        charts.extend(percentiles(&source.name, &flows));
        charts.extend(histograms(&source.name, &flows));
        charts.extend(logs::charts(source));
        let timeline = source.outcome.run.as_ref().and_then(|run| run.timeline.as_ref());
        let states = timeline.map(|series| state::of_series(&source.name, series));
        charts.extend(states.into_iter().flatten());
        section.blocks.extend(blocks(charts, &[source]));
        sections.push(section);
    }
    sections
}

/// Charts of runs as blocks, each with a word on where its numbers come from.
fn blocks(charts: Vec<Chart>, sources: &[&Source]) -> impl Iterator<Item = Block> {
    let origin = of_all(sources.iter().map(|source| source.run_origin()));
    let owners: Vec<Owner> = sources.iter().map(|source| owner(source)).collect();
    let chart =
        move |chart| Block::chart(owned(Chart { origin: origin.to_owned(), ..chart }, &owners));
    charts.into_iter().map(chart)
}

/// A file by the name that it has in legends, with its drive: the target, if it has only one.
fn owner(source: &Source) -> Owner {
    let file = stem(&source.name).to_owned();
    match source.outcome.targets.as_slice() {
        [target] => (file, target.name.clone()),
        _ => (file.clone(), file),
    }
}

/// What a run comes to: the rates of its jobs, the quickest first, and what limits it.
fn answer(source: &Source, flows: &[Flow<'_>]) -> Option<Block> {
    let mut list: Vec<&Flow<'_>> = flows.iter().collect();
    list.sort_by_key(|flow| std::cmp::Reverse(flow.result.bw_bytes_s));
    let shown = |flow: &&Flow<'_>| {
        let iops = text("1/s", "iops", flow.result.iops);
        let bandwidth = text("B/s", "", flow.result.bw_bytes_s as f64);
        let mean = text("s", "lat", flow.latency().mean_ns * 1e-9);
        format!("{} {iops}, {bandwidth}, mean {mean}", flow.name)
    };
    let mut said: Vec<String> = list.iter().take(4).map(shown).collect();
    if list.len() > said.len() {
        said.push(format!("{} more", list.len() - said.len()));
    }
    let limits = super::headline::limited(std::iter::once(("", limits::of_run(source))));
    let target = owner(source).1;
    let text = format!("{target}: {}.{limits}", said.join("; "));
    (!said.is_empty()).then_some(Block::Answer(text))
}

/// A warning of a run; one about a job names it, and its file where there are several.
fn careful(warning: &Warning, source: &Source, several: bool) -> Careful {
    let mut jobs = source.outcome.run.iter().flat_map(|run| &run.jobs);
    let Some(job) = jobs.find(|job| job.jobname == warning.concerns) else {
        return Careful::of_all(origin::said(warning));
    };
    let name = &job.jobname;
    let said = warning.message.strip_prefix(&format!("job `{name}`: "));
    let job = if several { format!("{} {name}", stem(&source.name)) } else { name.clone() };
    let said = said.unwrap_or(&warning.message).to_owned();
    Careful { said, concerns: vec![job] }
}

/// Curves of jobs with the drive of each line.
fn owned_by_names(charts: Vec<Chart>, jobs: &[Measured]) -> Vec<Chart> {
    let pair = |job: &Measured| (job.target.clone(), job.target.clone());
    let owners: Vec<Owner> = jobs.iter().map(pair).collect();
    charts.into_iter().map(|chart| owned(chart, &owners)).collect()
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
    let mut seen = Seen::default();
    let mut name = |flow: &Flow<'_>| (seen.apart(flow.name.clone()), flow.source.run_origin());
    let names: Vec<(String, Origin)> = flows.iter().map(&mut name).collect();
    for (flow, name) in flows.iter_mut().zip(apart(&names)) {
        flow.name = name;
    }
    flows
}

/// A file name without folder and endings.
fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file)
}

/// All jobs, one line a direction: what was done, and how long it took.
fn tables(caption: &str, flows: &[Flow<'_>]) -> [Block; 2] {
    let head = ["File", "Origin", "Job", "Op"];
    let titles = |more: &[&'static str]| [&head[..], more].concat();
    let mut rates =
        DataTable::new(format!("{caption}: rates"), &titles(&["#IOPS", "#Bandwidth", "#I/Os"]));
    let mut times = DataTable::new(format!("{caption}: latency"), &titles(&["#Mean"]));
    // Where not one I/O of any job is beyond a percentile, it says nothing.
    let most = flows.iter().map(|flow| flow.latency().n).max().unwrap_or(0);
    let percentiles: Vec<f64> =
        PERCENTILES.into_iter().filter(|percent| !is_largest(*percent, most)).collect();
    for percent in &percentiles {
        times.number_column(format!("p{percent}"));
    }
    times.number_column("Longest");
    for flow in flows {
        let (result, latency) = (flow.result, flow.latency());
        let time = |ns: f64| Cell::number(text("s", "lat", ns * 1e-9), ns);
        let origin = flow.source.run_origin().word();
        let head = [stem(&flow.source.name), origin, &flow.job.jobname, flow.direction];
        let mut row: Vec<Cell> = head.map(Cell::text).to_vec();
        let mut done = row.clone();
        done.extend([
            Cell::number(text("1/s", "iops", result.iops), result.iops),
            Cell::number(text("B/s", "", result.bw_bytes_s as f64), result.bw_bytes_s as f64),
            Cell::number(result.total_ios.to_string(), result.total_ios as f64),
        ]);
        rates.rows.push(done);
        row.push(time(latency.mean_ns));
        for percent in percentiles.iter().copied() {
            let known = percentile(latency, percent);
            row.push(match known.filter(|_| !is_largest(percent, latency.n)) {
                Some(ns) => time(ns as f64).noted(too_few(percent, latency.n)),
                None => Cell::text("-"),
            });
        }
        row.push(time(latency.max_ns as f64));
        times.rows.push(row);
    }
    [Block::Table(rates), Block::Table(times)]
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
    let (y, shown) = nines::latency_axis(longest);
    let line = |flow: &Flow<'_>| {
        let latency = flow.latency();
        let points: Vec<[f64; 2]> = match histogram::bins(latency) {
            Some(histogram) => histogram::cumulative(&histogram, shown.factor),
            None => {
                let printed = latency.percentiles.iter().filter(|p| p.percent < 100.0 && p.ns > 0);
                let value = |ns: u64| short(ns as f64 * 1e-9 * shown.factor);
                printed.map(|p| [short(nines::nines(p.percent)), value(p.ns)]).collect()
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
        x: nines::axis(last),
        y,
        lines,
        ..Chart::default()
    })
}

fn histograms(title: &str, flows: &[Flow<'_>]) -> Option<Chart> {
    let named: Vec<(String, NamedHistogram)> = flows
        .iter()
        .filter_map(|flow| Some((flow.name.clone(), histogram::bins(flow.latency())?)))
        .collect();
    let group: Vec<(String, &NamedHistogram)> = named.iter().map(|(n, h)| (n.clone(), h)).collect();
    (!group.is_empty()).then(|| histogram::chart(&format!("{title}: completion latency"), &group))
}
