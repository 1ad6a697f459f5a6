//! A fleet: how it wears and fails over the months, and the curve of its write amplification.

use super::Options;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::fleet::{held_cells, rows, years};
use crate::quantity::short;
use crate::source::Source;
use answer::fleet::{FillPoint, FleetMonth, Purchase, SampledDrive, Simulated};
use answer::{Answer, Fleet};

/// Months of a year.
const YEAR: f64 = 12.0;

/// A section for every fleet.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let fleet = |source: &Source| match &source.answer {
        Answer::Fleet(fleet) => Some(section(fleet)),
        _ => None,
    };
    sources.iter().filter_map(fleet).collect()
}

/// What a fleet is about.
pub fn title(fleet: &Fleet) -> String {
    let names: Vec<&str> = fleet.purchases.iter().map(|one| one.name.as_str()).collect();
    format!("Fleet: {} over {}", names.join(", "), years(fleet))
}

fn section(fleet: &Fleet) -> Section {
    let mut section = Section::new(title(fleet), "fleet");
    section.blocks.push(Block::Table(side_by_side(fleet)));
    section.blocks.extend(held(fleet).map(Block::Table));
    let charts =
        [wear(fleet), past_rated(fleet), failures(fleet), amplification(fleet), sample(fleet)];
    section.blocks.extend(charts.into_iter().flatten().map(Block::chart));
    section.blocks.push(Block::Table(inputs(fleet)));
    let warning = |text: &String| Block::Note(Tone::Warning, text.clone());
    section.blocks.extend(fleet.warnings.iter().map(warning));
    section
}

fn side_by_side(fleet: &Fleet) -> DataTable {
    let names = fleet.purchases.iter().map(|one| one.name.as_str());
    let titles: Vec<&str> = std::iter::once("").chain(names).collect();
    let mut table = DataTable::new("What becomes of each purchase", &titles);
    for row in rows(fleet) {
        table.rows.push(row.into_iter().map(Cell::text).collect());
    }
    table
}

/// The fleets against field studies.
fn held(fleet: &Fleet) -> Option<DataTable> {
    let titles = ["", "Purchase", "Published", "Here", "Basis", "Source", "Why"];
    let mut table = DataTable::new("Against field studies", &titles);
    for row in &fleet.published {
        let shown = held_cells(row).map(Cell::text);
        let why = row.why.clone().unwrap_or_default();
        let more = [row.source.clone(), why].map(Cell::text);
        table.rows.push(shown.into_iter().chain(more).collect());
    }
    (!table.rows.is_empty()).then_some(table)
}

fn inputs(fleet: &Fleet) -> DataTable {
    let mut table = DataTable::new("What the plan says", &["", "Value"]);
    let source = fleet.hazard_source.as_deref().unwrap_or("not said");
    let inputs = fleet.inputs.iter().map(|(name, text)| (name, text.as_str()));
    for (name, text) in inputs.chain([("source of the rates of failures", source)]) {
        table.rows.push(vec![Cell::text(name), Cell::text(text)]);
    }
    table
}

/// What a line is called, and its value at the end of a month.
type OfMonth = (&'static str, fn(&Purchase, &FleetMonth) -> f64);

/// A chart over the years with a line of each purchase and each of some values.
fn over_years(
    fleet: &Fleet,
    (heading, about): (&str, &str),
    (name, unit): (&str, &str),
    values: &[OfMonth],
) -> Option<Chart> {
    let line = |one: &Purchase, &(of, value): &OfMonth| {
        let point =
            |month: &FleetMonth| [short(f64::from(month.month) / YEAR), short(value(one, month))];
        let points: Vec<[f64; 2]> = one.months.iter().map(point).collect();
        let is_seen = points.iter().any(|point| point[1] > 0.0);
        let name = format!("{} {of}", one.name).trim_end().to_owned();
        is_seen.then(|| Line::new(name, Style::Plain, points))
    };
    let lines: Vec<Line> = fleet
        .purchases
        .iter()
        .flat_map(|one| values.iter().filter_map(move |value| line(one, value)))
        .collect();
    (!lines.is_empty()).then(|| Chart {
        kind: ChartKind::Lines,
        title: heading.to_owned(),
        about: about.to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::new("in use", "years", Scale::Linear),
        y: Axis::new(name, unit, Scale::Linear),
        lines,
        ..Chart::default()
    })
}

fn wear(fleet: &Fleet) -> Option<Chart> {
    let about = "Used cycles of the drives in place over those that the flash is rated for: half \
                 of the drives, and 99 % of them, are below the lines.";
    over_years(
        fleet,
        ("Wear", about),
        ("rated cycles used", "%"),
        &[("p50", |_, month| 100.0 * month.wear[0]), ("p99", |_, month| 100.0 * month.wear[2])],
    )
}

fn past_rated(fleet: &Fleet) -> Option<Chart> {
    let about = "Drives in place that have used more than their rated cycles.";
    over_years(
        fleet,
        ("Past the rated cycles", about),
        ("of the drives", "%"),
        &[("", |_, month| 100.0 * month.past_rated)],
    )
}

fn failures(fleet: &Fleet) -> Option<Chart> {
    let about = "Drives replaced until then for each slot: failed, and retired for their wear.";
    over_years(
        fleet,
        ("Replaced drives", about),
        ("of the slots", "%"),
        &[
            ("failed", |one, month| 100.0 * month.gone.failed() / f64::from(one.drives)),
            ("retired", |one, month| 100.0 * month.gone.retired / f64::from(one.drives)),
        ],
    )
}

/// The curve that amplification is read from, with the simulations that it is held against.
fn amplification(fleet: &Fleet) -> Option<Chart> {
    let mut lines = Vec::new();
    for one in &fleet.purchases {
        let mut blocks: Vec<Option<f64>> = one.curve.iter().map(|point| point.block).collect();
        blocks.dedup();
        for block in &blocks {
            let own = one.curve.iter().filter(|point| point.block == *block);
            let place = |point: &FillPoint| [short(100.0 * point.fill), short(point.curve)];
            let curve: Vec<[f64; 2]> = own.map(place).collect();
            if curve.len() < 2 {
                continue;
            }
            let name = match block.filter(|_| blocks.len() > 1) {
                Some(bytes) => {
                    format!("{}, {}", one.name, metric::show(metric::Dimension::Bytes, bytes))
                }
                None => one.name.clone(),
            };
            lines.push(Line::new(&name, Style::Line, curve));
            let is_own = |drive: &&SampledDrive| {
                !drive.in_order && block.is_none_or(|bytes| drive.block == bytes)
            };
            let drives = one.sample.iter().filter(is_own);
            let place = |drive: &SampledDrive| {
                [short(100.0 * drive.fill), short(drive.amplification.simulated)]
            };
            let drives: Vec<[f64; 2]> = drives.map(place).collect();
            if !drives.is_empty() {
                lines.push(Line::new(format!("{name}, drives in full"), Style::Rings, drives));
            }
        }
    }
    (!lines.is_empty()).then(|| Chart {
        title: "Write amplification by fill".to_owned(),
        about:
            "Simulated at the marks of each line; rings are drives of the fleet of which the whole \
                life was simulated, to hold the curve to account."
                .to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::new("capacity that holds data", "%", Scale::Linear),
        y: Axis::new("write amplification", "", Scale::Linear),
        lines,
        ..Chart::default()
    })
}

/// Drives that were simulated in full, beside what the fleet says of them.
fn sample(fleet: &Fleet) -> Option<Chart> {
    let both = |one: &Purchase| -> Vec<[f64; 2]> {
        let place = |drive: &SampledDrive| {
            let Simulated { simulated, fleet } = drive.wear_a_year;
            [short(100.0 * fleet), short(100.0 * simulated)]
        };
        one.sample.iter().map(place).collect()
    };
    let dots = |one: &Purchase| Line::new(&one.name, Style::Dots, both(one));
    let mut lines: Vec<Line> =
        fleet.purchases.iter().filter(|one| !one.sample.is_empty()).map(dots).collect();
    let all = fleet.purchases.iter().flat_map(both).map(|[x, _]| x);
    let (low, high) =
        all.fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    if lines.is_empty() || low <= 0.0 {
        return None;
    }
    lines.push(Line::new("equal", Style::Guide, vec![[low, low], [high, high]]));
    Some(Chart {
        title: "Drives simulated in full".to_owned(),
        about: "Each dot is a drive of a stratified sample: what it wears in a year by the curve, \
            and in a simulation of its whole life under its own use."
            .to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::new("rated cycles a year, fleet", "%", Scale::Log),
        y: Axis::new("simulated in full", "%", Scale::Log),
        lines,
        ..Chart::default()
    })
}
