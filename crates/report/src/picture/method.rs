//! Runs of methods: a section a method, with pictures, a table of all metrics and what they rest
//! on.

use super::colour::owned;
use super::label::{labels, names, owners, varying, words};
use super::measured::Measured;
use super::radar::{Corner, Corners};
use super::reach::{percentile, told, too_few};
use super::{Options, charts, gates, header, headline, limits, sweep};
use crate::document::{Block, Careful, Cell, Chart, DataTable, Section, Tone};
use crate::quantity::text;
use crate::source::Source;
use answer::measured::Number;
use answer::origin::{named, of_all};
use std::collections::{BTreeMap, BTreeSet};

/// A section for every method, in the order in which they appear.
pub fn sections(sources: &[Source], options: &Options) -> Vec<Section> {
    let measured: Vec<Measured> = sources.iter().flat_map(Measured::of_method).collect();
    let mut sections = Vec::new();
    for (method, runs) in groups(&measured) {
        let mut section = Section::new(format!("Method {method}"), "method");
        section
            .blocks
            .extend(header::table(method, sources, options.operator.as_deref()).map(Block::Table));
        section.blocks.extend(blocks(method, &runs, options));
        section.blocks.extend(gates::table(method, sources).map(Block::Table));
        sections.push(section);
    }
    sections
}

/// Runs by method, in the order in which the methods appear.
pub fn groups(measured: &[Measured]) -> Vec<(&str, Vec<&Measured>)> {
    let mut groups: Vec<(&str, Vec<&Measured>)> = Vec::new();
    for run in measured {
        match groups.iter_mut().find(|(method, _)| *method == run.method) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((&run.method, vec![run])),
        }
    }
    groups
}

/// All that is to be shown of the runs of a method.
pub fn blocks(method: &str, runs: &[&Measured], options: &Options) -> Vec<Block> {
    let mut blocks = Vec::new();
    for run in runs {
        if let Some(why) = &run.failed {
            blocks.push(Block::Note(Tone::Problem, format!("{}: {why}", run.target)));
        }
    }
    let runs: Vec<&Measured> = runs.iter().copied().filter(|run| run.failed.is_none()).collect();
    if runs.is_empty() {
        return blocks;
    }
    blocks.extend(headline::of_runs(&runs));
    blocks.extend(certainty(&runs));
    blocks.extend(parameters(&runs));
    blocks.extend(shown(corners(method, &runs, options), &runs));
    for (title, group) in facets(method, &runs) {
        blocks.extend(shown(charts::of_runs(&title, &group), &group));
    }
    blocks.push(Block::Table(table(method, &runs)));
    blocks.extend(limits::of_runs(&runs));
    blocks.extend(warnings(&runs));
    blocks
}

/// Charts of runs as blocks, each with a word on where its numbers come from and with the drives of
/// its lines.
fn shown(charts: impl IntoIterator<Item = Chart>, runs: &[&Measured]) -> Vec<Block> {
    let origin = of_all(runs.iter().map(|run| run.origin));
    let owners = owners(runs);
    let chart = |chart| Block::chart(owned(Chart { origin: origin.to_owned(), ..chart }, &owners));
    charts.into_iter().map(chart).collect()
}

/// From how many runs on only those are set side by side that were made with the same parameters.
const MANY: usize = 5;

/// Runs that can be compared, with the title of their pictures: all if they are few, else those
/// that agree in all parameters but one that was swept; what is alone comes last.
fn facets<'m>(method: &str, runs: &[&'m Measured]) -> Vec<(String, Vec<&'m Measured>)> {
    let differing = varying(runs);
    let by: Vec<&str> = match method {
        // A curve is that of its load, however few there are.
        "load-curve" => vec!["workload"],
        _ if runs.len() < MANY => Vec::new(),
        _ => differing.into_iter().filter(|name| !sweep::is_swept(runs, name)).collect(),
    };
    let mut groups: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for run in runs {
        let values = by.iter().filter_map(|name| Some((*name, run.params.get(*name)?)));
        let said: Vec<String> = values.map(|(n, value)| format!("{} {value}", words(n))).collect();
        let title = std::iter::once(method.to_owned()).chain(said).collect::<Vec<_>>().join(", ");
        groups.entry(title).or_default().push(run);
    }
    let alone = |group: &Vec<&Measured>| group.len() == 1 && by.len() > 1;
    let mut facets: Vec<(String, Vec<&Measured>)> = Vec::new();
    let mut rest = Vec::new();
    for (title, group) in groups {
        if alone(&group) { rest.extend(group) } else { facets.push((title, group)) }
    }
    if !rest.is_empty() {
        let others = if facets.is_empty() { "" } else { ", other runs" };
        facets.push((format!("{method}{others}"), rest));
    }
    facets
}

/// Four corners of drives, if the runs have them.
fn corners(title: &str, runs: &[&Measured], options: &Options) -> Option<Chart> {
    let mut corners = Corners::default();
    for run in runs {
        let param = |name: &str| run.params.get(name).map(String::as_str);
        let read = match (param("op"), param("read")) {
            (Some("read"), _) | (_, Some("100 %")) => true,
            (Some("write"), _) | (_, Some("0 %")) => false,
            _ => continue,
        };
        let corner = match (param("pattern"), read) {
            (Some("seq"), true) => Corner::SequentialRead,
            (Some("seq"), false) => Corner::SequentialWrite,
            (Some("rand"), true) => Corner::RandomRead,
            (Some("rand"), false) => Corner::RandomWrite,
            _ => continue,
        };
        if let Some(rate) = run.metrics.get("bandwidth").or_else(|| run.metrics.get("iops")) {
            corners.add(&run.target, corner, rate.value);
        }
    }
    corners.chart(title, options.reference.as_deref())
}

/// All metrics of all runs: a column a run where these fit beside each other, else a row a metric
/// and run.
fn table(method: &str, runs: &[&Measured]) -> DataTable {
    let wide: usize = names(runs, &varying(runs)).iter().map(|(n, _)| n.len().clamp(12, 30)).sum();
    if runs.len() > COLUMNS || wide > WIDTH {
        return long_table(method, runs);
    }
    let mut table = DataTable::new(format!("All metrics of {method}"), &["Metric"]);
    for (name, origin) in names(runs, &varying(runs)) {
        table.number_column(named(&name, origin));
    }
    for metric in metrics(runs) {
        let mut row = vec![Cell::text(metric.clone())];
        let told: Vec<Option<&Number>> = runs.iter().map(|run| told(run, metric)).collect();
        if told.iter().all(Option::is_none) {
            continue;
        }
        for (run, number) in runs.iter().zip(told) {
            row.push(number.map_or_else(|| Cell::text("-"), |number| cell_of(run, metric, number)));
        }
        table.rows.push(row);
    }
    table
}

/// Most runs that stand beside each other in a table, and most characters of their names.
const COLUMNS: usize = 5;
const WIDTH: usize = 90;
/// Parameters that have columns of their own; more share one.
const OWN: usize = 4;

/// All metrics, a row a metric and run, with the parameters that tell the runs apart as columns.
fn long_table(method: &str, runs: &[&Measured]) -> DataTable {
    let varying = varying(runs);
    let (own, shared) = varying.split_at(if varying.len() > OWN { 0 } else { varying.len() });
    let titles: Vec<String> = own.iter().map(|name| words(name)).collect();
    let mut heads = vec!["Metric", "Target"];
    heads.extend(titles.iter().map(String::as_str));
    if !shared.is_empty() {
        heads.push("Parameters");
    }
    heads.extend(["Origin", "#Value"]);
    let mut table = DataTable::new(format!("All metrics of {method}"), &heads);
    for metric in metrics(runs) {
        for run in runs {
            let Some(number) = told(run, metric) else { continue };
            let param = |name: &&str| run.params.get(*name).map_or("-", String::as_str);
            let mut row = vec![Cell::text(metric.clone()), Cell::text(run.target.clone())];
            row.extend(own.iter().map(|name| Cell::text(param(name))));
            if !shared.is_empty() {
                let said = shared.iter().map(|name| format!("{} {}", words(name), param(name)));
                row.push(Cell::text(said.collect::<Vec<_>>().join(", ")));
            }
            row.push(Cell::text(run.origin.word()));
            row.push(cell_of(run, metric, number));
            table.rows.push(row);
        }
    }
    table
}

/// Metrics of runs, those that are drawn first.
fn metrics<'m>(runs: &[&'m Measured]) -> Vec<&'m String> {
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let mut metrics: Vec<&String> = all.into_iter().collect();
    metrics.sort_by_key(|metric| (sweep::place(metric).unwrap_or(usize::MAX), *metric));
    metrics
}

/// A number of a run with what is to be kept in mind with it.
fn cell_of(run: &Measured, metric: &str, number: &Number) -> Cell {
    let shown = text(&number.unit, metric, number.value);
    Cell::number(shown, number.value).noted(doubt(run, metric, number))
}

/// What is to be kept in mind with a number: what it rests on, and what the run says of it.
fn doubt(run: &Measured, metric: &str, number: &Number) -> Option<String> {
    let few = percentile(metric, number).and_then(|(percent, samples)| too_few(percent, samples));
    let said = run.warnings.iter().filter(|warning| subject(warning) == metric).cloned();
    let all: Vec<String> = few.into_iter().chain(said).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// What a warning begins with: the metric that it is about, if it is about one.
fn subject(warning: &str) -> &str {
    warning.split(' ').next().unwrap_or_default()
}

/// How sure the method is, each thing once.
fn certainty(runs: &[&Measured]) -> Vec<Block> {
    let mut said: BTreeSet<(bool, &str)> = BTreeSet::new();
    for run in runs.iter().filter(|run| !run.provenance.about.is_empty()) {
        said.insert((run.provenance.exact, &run.provenance.about));
    }
    let block = |(exact, about): (bool, &str)| {
        let about = about.strip_prefix("approximation: ").unwrap_or(about);
        let word = if exact { "Exact method" } else { "Approximation of the method" };
        Block::Note(Tone::Info, format!("{word}: {about}"))
    };
    said.into_iter().map(block).collect()
}

/// The parameters that all runs have in common; those that vary stand in their names.
fn parameters(runs: &[&Measured]) -> Option<Block> {
    let first = runs.first()?;
    let varying = varying(runs);
    let common = first.params.iter().filter(|(name, _)| !varying.contains(&name.as_str()));
    let said: Vec<String> =
        common.map(|(name, value)| format!("{} {value}", words(name))).collect();
    (!said.is_empty()).then(|| Block::Text(format!("Parameters: {}.", said.join(", "))))
}

/// Warnings of the runs, each once with the runs it concerns.
fn warnings(runs: &[&Measured]) -> Vec<Block> {
    let names = labels(runs, &varying(runs));
    let mut list: Vec<(&str, Vec<&str>)> = Vec::new();
    for (run, name) in runs.iter().zip(&names) {
        // Those about a number stand with it.
        let of_run = |warning: &&String| !run.metrics.contains_key(subject(warning));
        for warning in run.warnings.iter().filter(of_run) {
            match list.iter_mut().find(|(known, _)| known == warning) {
                Some((_, names)) => names.push(name),
                None => list.push((warning, vec![name])),
            }
        }
    }
    list.into_iter().map(|(warning, names)| careful(warning, &names, runs.len())).collect()
}

/// A warning, once for all of so many runs that it concerns.
pub fn careful(warning: &str, names: &[&str], runs: usize) -> Block {
    let concerns = match names.len() {
        n if n == runs => Vec::new(),
        _ => names.iter().map(|name| (*name).to_owned()).collect(),
    };
    Block::Careful(Careful { said: warning.to_owned(), concerns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(target: &str, samples: u64) -> Measured {
        let number = |unit: &str, samples| Number {
            value: 1e-4,
            unit: unit.to_owned(),
            samples,
            interval95: None,
            interval90: None,
        };
        let names = ["read_lat_p99", "read_lat_p99.99", "read_lat_p99.9999"];
        let tails = names.map(|name| (name.to_owned(), number("s", Some(samples))));
        let mut metrics = BTreeMap::from(tails);
        metrics.insert("iops_cv".to_owned(), number("1", None));
        Measured {
            target: target.to_owned(),
            metrics,
            warnings: vec!["iops_cv is over short windows".into(), "not steady".into()],
            ..Measured::default()
        }
    }

    #[test]
    fn a_percentile_with_nothing_beyond_it_is_left_out() {
        let runs = [run("a", 5_000), run("b", 50_000)];
        let table = table("m", &runs.iter().collect::<Vec<_>>());
        let row = |name: &str| table.rows.iter().find(|row| row[0].text == name);
        assert!(row("read_lat_p99.9999").is_none(), "in neither run");
        let few = row("read_lat_p99.99").unwrap();
        assert_eq!((few[1].text.as_str(), few[2].text.as_str()), ("-", "100 us"));
        assert_eq!(few[2].note.as_deref(), Some("fewer than ten I/Os are beyond this percentile"));
        assert_eq!(row("read_lat_p99").unwrap()[1].note, None);
    }

    #[test]
    fn a_warning_about_a_number_stands_with_it() {
        let runs = [run("a", 5_000), run("b", 5_000)];
        let runs: Vec<&Measured> = runs.iter().collect();
        let table = table("m", &runs);
        let row = table.rows.iter().find(|row| row[0].text == "iops_cv").unwrap();
        assert_eq!(row[1].note.as_deref(), Some("iops_cv is over short windows"));
        assert_eq!(warnings(&runs), [Block::Careful(Careful::of_all("not steady"))]);
    }

    #[test]
    fn many_runs_are_rows_with_their_parameters() {
        let runs: Vec<Measured> = (1..=6)
            .map(|qd| Measured {
                params: BTreeMap::from([("qd".to_owned(), qd.to_string())]),
                ..run("a", 5_000)
            })
            .collect();
        let table = table("m", &runs.iter().collect::<Vec<_>>());
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["Metric", "Target", "QD", "Origin", "Value"]);
        let row: Vec<&str> = table.rows[5].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(row, ["read_lat_p99", "a", "6", "modelled", "100 us"]);
    }

    #[test]
    fn every_column_says_whether_it_is_measured() {
        let real = Measured { origin: answer::Origin::Measured, ..run("./f.img", 5) };
        let runs = [real, run("a", 5)];
        let table = table("m", &runs.iter().collect::<Vec<_>>());
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["Metric", "./f.img (measured)", "a (modelled)"]);
    }
}
