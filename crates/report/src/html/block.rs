//! Pieces of a section as HTML.

use crate::document::{Block, Cell, Chart, ChartKind, DataTable, Tone};
use crate::table::Align;
use maud::{Markup, html};

/// The page as it grows: its charts get numbers in the order in which they stand.
#[derive(Default)]
pub struct Page<'d> {
    /// The charts by number.
    pub charts: Vec<&'d Chart>,
}

impl<'d> Page<'d> {
    /// Pieces in order.
    pub fn blocks(&mut self, blocks: &'d [Block]) -> Markup {
        // Charts in a row share a grid.
        let chart = |block: &Block| matches!(block, Block::Chart(_));
        let groups: Vec<(bool, Vec<Markup>)> = blocks
            .chunk_by(|a, b| chart(a) && chart(b))
            .map(|group| (chart(&group[0]), group.iter().map(|b| self.block(b)).collect()))
            .collect();
        html! {
            @for (charts, group) in &groups {
                @if *charts { div.charts { @for chart in group { (chart) } } }
                @else { @for block in group { (block) } }
            }
        }
    }

    fn block(&mut self, block: &'d Block) -> Markup {
        match block {
            Block::Text(text) => html! { p.text { (rich(text)) } },
            Block::Heading(text) => html! { h3 { (rich(text)) } },
            Block::Note(tone, text) => note(*tone, text),
            Block::Careful(careful) => note(Tone::Warning, &careful.said),
            Block::Answer(text) => html! { p.answer { (rich(text)) } },
            Block::Facts(facts) => html! {
                dl.facts { @for (name, what) in facts { dt { (rich(name)) } dd { (rich(what)) } } }
            },
            Block::Table(table) => self::table(table),
            Block::Chart(chart) => self.chart(chart),
            Block::Details { summary, badge, blocks } => {
                let inside = self.blocks(blocks);
                html! {
                    details.block {
                        summary {
                            @if let Some(word) = badge { (self::badge(word)) " " }
                            (rich(summary))
                        }
                        div.inside { (inside) }
                    }
                }
            }
        }
    }

    fn chart(&mut self, chart: &'d Chart) -> Markup {
        let number = self.charts.len();
        self.charts.push(chart);
        let radar = chart.kind == ChartKind::Radar;
        let names = chart.x.names.len() > 12;
        let parallel = chart.kind == ChartKind::Parallel;
        let wide = names || parallel || !chart.bands.is_empty() || chart.second.is_some();
        html! {
            figure class=(if wide { "chart wide" } else { "chart" }) data-chart=(number) {
                figcaption {
                    (chart.title)
                    @if !chart.origin.is_empty() { " " span.origin { (chart.origin) } }
                }
                @if !chart.about.is_empty() { p.about { (rich(&chart.about)) } }
                div.legend role="group" aria-label="Series" {}
                @if !chart.bands.is_empty() { ul.bands aria-label="Shaded stretches" {} }
                div class=(if radar { "plot radar" } else { "plot" }) tabindex="0" role="img"
                    aria-label=(described(chart)) {}
                details.data {
                    summary { "Data of this chart" }
                    p { button.copy type="button" { "Copy as CSV" } }
                    div.scroll tabindex="0" role="region" aria-label="Data of the chart" {}
                }
            }
        }
    }
}

/// A chart in words, for who cannot see it.
fn described(chart: &Chart) -> String {
    let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
    if chart.kind == ChartKind::Parallel {
        let axes: Vec<&str> = chart.axes.iter().map(|axis| axis.name.as_str()).collect();
        let (title, axes, series) = (&chart.title, axes.join(", "), names.join(", "));
        return format!("{title} over {axes}. Series: {series}. The data follow as a table.");
    }
    let upwards = match chart.y.unit.as_str() {
        "" => chart.y.name.clone(),
        unit => format!("{} in {unit}", chart.y.name),
    };
    let across = match chart.x.name.as_str() {
        "" => String::new(),
        name => format!(" by {name}"),
    };
    let series = names.join(", ");
    let text = format!("{}: {upwards}{across}. Series: {series}. ", chart.title);
    text + "The data follow as a table; arrow keys walk through the points."
}

fn note(tone: Tone, text: &str) -> Markup {
    let (class, word) = match tone {
        Tone::Info => ("note info", "Note"),
        Tone::Warning => ("note warning", "Careful"),
        Tone::Problem => ("note problem", "Problem"),
    };
    html! { div class=(class) role="note" { b { (word) } (rich(text)) } }
}

/// Characters of a word that is never broken.
const WORD: usize = 14;

/// A text whose long words may be broken behind signs: a table stays as wide as its page.
fn broken(text: &str) -> Markup {
    html! {
        @for (at, word) in text.split(' ').enumerate() {
            @if at > 0 { " " }
            @if word.chars().count() <= WORD { (word) }
            @else {
                @for part in word.split_inclusive(['@', ',', '=', '/', ':', ';', '_', '-', '.']) {
                    @if part.chars().count() > 2 * WORD { span.any { (part) } } @else { (part) }
                    wbr;
                }
            }
        }
    }
}

/// A text in which words between backticks are code.
fn rich(text: &str) -> Markup {
    coded(text, |part| html! { (part) })
}

/// The same; `plain` writes what stands outside of backticks.
fn coded(text: &str, plain: fn(&str) -> Markup) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // One that is left over is no mark.
    let marks = parts.len() - 1;
    let code = |at: usize| at % 2 == 1 && at < marks;
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if code(at) { code { (part) } }
            @else {
                @if at > 0 && at == marks && marks % 2 == 1 { "`" }
                (plain(part))
            }
        }
    }
}

/// A verdict in its colour; the word says the same as the colour.
fn badge(word: &str) -> Markup {
    let class = match word {
        "hit" | "held" | "agrees" | "better" => "badge good",
        "miss" | "failed" | "differs" | "not run" | "worse" => "badge bad",
        "not checkable" | "not modelled" | "open" | "refuted" => "badge warn",
        _ => "badge",
    };
    html! { span class=(class) { (word) } }
}

fn table(table: &DataTable) -> Markup {
    html! {
        div.table {
            div.tools {
                span.caption { (table.caption) }
                button.copy type="button" { "Copy as CSV" }
            }
            div.scroll tabindex="0" role="region" aria-label=(table.caption) {
                table {
                    thead {
                        tr {
                            @for column in &table.columns {
                                th scope="col" class=[side(column.align)] {
                                    button type="button" { (broken(&column.title)) }
                                }
                            }
                        }
                    }
                    tbody {
                        @for row in &table.rows {
                            tr {
                                @for (cell, column) in row.iter().zip(&table.columns) {
                                    (self::cell(cell, column.align))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn side(align: Align) -> Option<&'static str> {
    (align == Align::Right).then_some("right")
}

fn cell(cell: &Cell, align: Align) -> Markup {
    let shown = match cell.badge {
        true => badge(&cell.text),
        false => coded(&cell.text, broken),
    };
    let class = match align {
        Align::Right => "has-note warned",
        Align::Left => "has-note",
    };
    html! {
        td class=[side(align)] data-value=[cell.value] {
            @match &cell.note {
                Some(note) => details class=(class) { summary { (shown) } span { (rich(note)) } },
                None => (shown),
            }
        }
    }
}
