//! A report as Markdown: the same text and tables, and of charts their data.

use crate::document::{Axis, Block, Chart, ChartKind, DataTable, Document, Scale, Style, Tone};
use crate::table::{Align, Column, Table};
use metric::plain;

/// Rows of a chart's data that are written out; more belong into CSV.
const ROWS: usize = 40;

/// The text.
pub fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n\nMade by drivelab {}.\n", document.title, document.version);
    blocks(&document.summary, &mut text);
    for section in &document.sections {
        text.push_str(&format!("\n## {}\n", section.title));
        blocks(&section.blocks, &mut text);
    }
    text
}

fn blocks(blocks: &[Block], text: &mut String) {
    // Notes in a row are one list.
    let mut in_notes = false;
    for block in blocks {
        let note = matches!(block, Block::Note(..));
        if !(note && in_notes) {
            text.push('\n');
        }
        in_notes = note;
        match block {
            Block::Careful(careful) => text.push_str(&format!("- {}\n", careful.said)),
            Block::Answer(said) => {
                // Lines stay lines, and each is set strong.
                let lines: Vec<String> = said
                    .lines()
                    .map(|line| match line.strip_prefix("- ") {
                        Some(point) => format!("- {point}"),
                        None => format!("**{line}**\n"),
                    })
                    .collect();
                text.push_str(&format!("{}\n", lines.join("\n").trim_end()));
            }
            Block::Text(said) => text.push_str(&format!("{said}\n")),
            Block::Heading(title) => text.push_str(&format!("### {title}\n")),
            Block::Note(tone, said) => {
                let word = match tone {
                    Tone::Info => "Note",
                    Tone::Warning => "Careful",
                    Tone::Problem => "Problem",
                };
                text.push_str(&format!("- **{word}:** {}\n", said.replace('\n', " ")));
            }
            Block::Facts(facts) => {
                for (name, what) in facts {
                    text.push_str(&format!("- {name}: {what}\n"));
                }
            }
            Block::Table(table) => self::table(table, text),
            Block::Chart(chart) => self::chart(chart, text),
            Block::Details { summary, badge, blocks } => {
                let badge = badge.as_ref().map(|word| format!("{word}: ")).unwrap_or_default();
                text.push_str(&format!("**{badge}{summary}**\n"));
                self::blocks(blocks, text);
            }
        }
    }
}

/// A table; what concerns single numbers follows below it.
fn table(data: &DataTable, text: &mut String) {
    let column = |column: &crate::document::DataColumn| match column.align {
        Align::Left => Column::left(&column.title),
        Align::Right => Column::right(&column.title),
    };
    let mut table = Table::new(data.columns.iter().map(column).collect());
    let mut notes: Vec<String> = Vec::new();
    for row in &data.rows {
        let mut cells = Vec::new();
        for (cell, column) in row.iter().zip(&data.columns) {
            // Tooltips of names are long and for the page; doubts about numbers must be seen.
            let doubt = cell.note.as_ref().filter(|_| column.align == Align::Right);
            let mark = doubt.map_or_else(String::new, |note| {
                let note = note.replace('\n', "; ");
                let known = notes.iter().position(|known| *known == note);
                let index = known.unwrap_or_else(|| {
                    notes.push(note);
                    notes.len() - 1
                });
                format!(" ({})", index + 1)
            });
            cells.push(format!("{}{mark}", cell.text));
        }
        table.row(cells);
    }
    table.notes = notes.iter().enumerate().map(|(i, n)| format!("({}) {n}", i + 1)).collect();
    text.push_str(&format!("{}\n\n{}", data.caption, table.to_markdown()));
}

/// The data of a chart, if they are few; how many there are otherwise.
fn chart(chart: &Chart, text: &mut String) {
    let origin = match chart.origin.as_str() {
        "" => String::new(),
        origin => format!(" ({origin})"),
    };
    text.push_str(&format!("{}{origin}\n\n", chart.title));
    let lines = || chart.lines.iter().filter(|line| line.style != Style::Guide);
    let count: usize = lines().map(|line| line.points.len()).sum();
    if count > ROWS {
        let names: Vec<&str> = lines().map(|line| line.name.as_str()).collect();
        text.push_str(&format!(
            "({count} points of {}: see the HTML page, or CSV with --series)\n",
            names.join(", ")
        ));
        return;
    }
    if chart.kind == ChartKind::Parallel {
        text.push_str(&parallel(chart).to_markdown());
        return;
    }
    let across =
        titled(&chart.x.name, if chart.x.scale == Scale::Nines { "" } else { &chart.x.unit });
    let across = if across.is_empty() { "case".to_owned() } else { across };
    let mut table = Table::new(vec![
        Column::left("series"),
        Column::right(&across),
        Column::right(&titled(&chart.y.name, &chart.y.unit)),
    ]);
    for line in lines() {
        if chart.kind == ChartKind::Radar {
            let values = line.points.first().into_iter().flatten();
            for (name, value) in chart.x.names.iter().zip(values) {
                table.row(vec![line.name.clone(), name.clone(), plain(*value)]);
            }
            continue;
        }
        for point in &line.points {
            let (Some(at), Some(value)) = (point.first(), point.get(1)) else { continue };
            let at = match chart.x.scale {
                Scale::Names => chart.x.names.get(*at as usize).cloned().unwrap_or_default(),
                Scale::Nines => {
                    let percent = 100.0 * (1.0 - 10_f64.powf(-at));
                    format!(
                        "{} %",
                        format!("{percent:.5}").trim_end_matches('0').trim_end_matches('.')
                    )
                }
                Scale::Linear | Scale::Log => plain(*at),
            };
            let value = match point.get(2) {
                Some(third) => {
                    let row = chart.y.names.get(*value as usize).cloned().unwrap_or_default();
                    format!("{row}: {}", plain(*third))
                }
                None => plain(*value),
            };
            table.row(vec![line.name.clone(), at, value]);
        }
    }
    text.push_str(&table.to_markdown());
}

/// The name of an axis with its unit.
fn titled(name: &str, unit: &str) -> String {
    match unit {
        "" => name.to_owned(),
        unit => format!("{name}, {unit}"),
    }
}

/// A row for each line over parallel axes.
fn parallel(chart: &Chart) -> Table {
    let axis = |axis: &Axis| Column::right(&titled(&axis.name, &axis.unit));
    let series = std::iter::once(Column::left("series"));
    let mut table = Table::new(series.chain(chart.axes.iter().map(axis)).collect());
    let place = |(axis, at): (&Axis, &f64)| match axis.scale {
        Scale::Names => axis.names.get(*at as usize).cloned().unwrap_or_default(),
        _ if at.is_nan() => "-".to_owned(),
        _ => plain(*at),
    };
    for line in &chart.lines {
        for point in &line.points {
            let places = chart.axes.iter().zip(point).map(place);
            table.row(std::iter::once(line.name.clone()).chain(places).collect());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Section};

    #[test]
    fn doubts_stand_below_their_table() {
        let mut table = DataTable::new("Jobs", &["Job", "#p99.99"]);
        let doubtful = Cell::number("523 us", 523e3).noted(Some("rests on 10 samples".into()));
        table.rows.push(vec![Cell::text("a"), doubtful]);
        let mut section = Section::new("Run", "run");
        section.blocks = vec![
            Block::Note(Tone::Warning, "not steady".into()),
            Block::Note(Tone::Info, "scaled".into()),
            Block::Table(table),
        ];
        let document = Document {
            title: "T".into(),
            version: "1".into(),
            sections: vec![section],
            ..Document::default()
        };
        let expected = "\
# T

Made by drivelab 1.

## Run

- **Careful:** not steady
- **Note:** scaled

Jobs

| Job | p99.99 |
| --- | ---: |
| a | 523 us (1) |

- (1) rests on 10 samples
";
        assert_eq!(markdown(&document), expected);
    }
}
