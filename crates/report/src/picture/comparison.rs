//! Targets side by side with the uncertainty of their differences.

use super::label::words;
use super::quantity::short;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::error::{At, ReportError};
use crate::number::plain;
use crate::origin::{Origin, apart, named, of_all};
use crate::source::Source;

/// The section of a comparison.
pub fn section(source: &Source) -> Result<Section, ReportError> {
    let data = &source.outcome.data;
    let root = At::root(data);
    let baseline = root.key("baseline").text()?;
    let targets = root.key("targets").list()?;
    let names: Vec<String> = targets
        .iter()
        .map(|target| target.key("name").text().map(str::to_owned))
        .collect::<Result<_, _>>()?;
    let mut section = Section::new(format!("Compared with {baseline}"), "comparison");
    let sentences = crate::comparison::verdicts(data)?;
    section.blocks.extend(sentences.into_iter().map(Block::Text));
    let mut table = DataTable::new("Means and differences", &["Load", "Metric"]);
    let origins: Vec<Origin> =
        targets.iter().zip(&names).map(|(t, name)| origin(t, name)).collect();
    for (name, origin) in names.iter().zip(&origins) {
        table.number_column(named(name, *origin));
    }
    let origin = of_all(origins.iter().copied());
    let names = apart(&names.into_iter().zip(origins).collect::<Vec<_>>());
    for row in root.key("rows").list()? {
        let (load, metric) = (row.key("load").text()?, row.key("metric").text()?);
        let shown_in = row.key("shown_in");
        let (scale, unit) = (shown_in.key("scale").number()?, shown_in.key("unit").text()?);
        let mut cells = vec![Cell::text(load), Cell::text(metric)];
        let (mut points, mut intervals) = (Vec::new(), Vec::new());
        for (i, cell) in row.key("cells").list()?.iter().enumerate() {
            let Some(mean) = cell.key("mean").maybe(At::number)? else {
                cells.push(Cell::text("-"));
                continue;
            };
            let half = cell.key("half_width").number()?;
            let verdict = cell.key("verdict").maybe(At::text)?.unwrap_or("");
            let relative = cell.key("difference").key("relative").maybe(At::number)?;
            let mut text = format!("{} {unit}", plain(mean / scale));
            if let Some(relative) = relative {
                text.push_str(&format!(" ({:+.1} %, {verdict})", relative * 100.0));
            }
            let few = cell.key("too_few_samples").flag() == Some(true);
            let note = few.then(|| "rests on too few samples".to_owned());
            cells.push(Cell::number(text.replace("  ", " "), mean).noted(note));
            points.push([i as f64, short(mean / scale)]);
            let ends = ((mean - half) / scale, (mean + half) / scale);
            intervals.push(Some((short(ends.0), short(ends.1))));
        }
        table.rows.push(cells);
        let line = Line { intervals, ..Line::new(words(metric), Style::Line, points) };
        section.blocks.push(Block::chart(Chart {
            kind: ChartKind::Bars,
            title: format!("{load}: {}", words(metric)),
            origin: origin.to_owned(),
            about: "Means of the runs with their 95 % intervals.".to_owned(),
            x: Axis::names("", names.clone()),
            y: Axis { from: Some(0.0), ..Axis::new(words(metric), unit, Scale::Linear) },
            lines: vec![line],
            ..Chart::default()
        }));
    }
    section.blocks.push(Block::Table(table));
    for warning in root.key("warnings").maybe(At::list)?.unwrap_or_default() {
        section.blocks.push(Block::Note(Tone::Warning, warning.text()?.to_owned()));
    }
    Ok(section)
}

/// Whether a target is real; its name tells it where the comparison does not.
fn origin(target: &At<'_>, name: &str) -> Origin {
    target.key("real").flag().map_or_else(|| Origin::of_name(name), Origin::of_real)
}
