//! A model fitted to measured figures: what it missed before and after, and how sure its values
//! are.

use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style,
};
use crate::origin::Origin;
use crate::quantity::{short, text};
use crate::source::Source;
use metric::plain;
use serde_json::Value;

/// The section of a fit. Numbers that are missing are left open.
pub fn section(source: &Source) -> Section {
    let data = &source.outcome.data;
    let model = data["model"].as_str().unwrap_or("a model");
    let mut section = Section::new(format!("Fit of {model}"), "fit");
    let number = |key: &str| data[key].as_f64().map_or_else(|| "-".to_owned(), plain);
    section.blocks.push(Block::Facts(vec![
        ("chi square before".to_owned(), number("chi_square_before")),
        ("chi square after".to_owned(), number("chi_square_fitted")),
        ("degrees of freedom".to_owned(), number("degrees_of_freedom")),
        ("iterations".to_owned(), number("iterations")),
        ("measurements".to_owned(), number("measurements")),
    ]));
    let figures = data["figures"].as_array().map(Vec::as_slice).unwrap_or_default();
    section.blocks.push(Block::chart(errors(figures)));
    section.blocks.push(Block::Table(figure_table(figures)));
    let parameters = data["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    section.blocks.push(Block::Table(parameter_table(parameters)));
    section
}

fn errors(figures: &[Value]) -> Chart {
    let names = figures.iter().map(|f| f["id"].as_str().unwrap_or_default().to_owned());
    let line = |name: &str, key: &str| {
        let values = figures.iter().enumerate();
        let point = |(i, figure): (usize, &Value)| {
            [i as f64, short(figure[key].as_f64().unwrap_or(f64::NAN) * 100.0)]
        };
        Line::new(name, Style::Line, values.map(point).collect())
    };
    Chart {
        kind: ChartKind::Bars,
        title: "Errors before and after the fit".to_owned(),
        origin: Origin::Modelled.word().to_owned(),
        about: "`from the others` is each figure predicted by a fit that did not have it."
            .to_owned(),
        x: Axis::names("figure", names.collect()),
        y: Axis::new("error", "%", Scale::Linear),
        lines: vec![
            line("before", "error_before"),
            line("fitted", "error_fitted"),
            line("from the others", "error_from_the_others"),
        ],
        ..Chart::default()
    }
}

fn figure_table(figures: &[Value]) -> DataTable {
    let titles = ["Figure", "Metric", "#Measured", "#Before", "#Fitted", "#From the others"];
    let mut table = DataTable::new("Figures of the fit", &titles);
    for figure in figures {
        let name = |key: &str| figure[key].as_str().unwrap_or_default();
        let value = |key: &str| match figure[key].as_f64() {
            Some(value) => Cell::number(text(name("unit"), name("metric"), value), value),
            None => Cell::text("-"),
        };
        table.rows.push(vec![
            Cell::text(name("id")),
            Cell::text(name("metric")),
            value("measured"),
            value("before"),
            value("fitted"),
            value("from_the_others"),
        ]);
    }
    table
}

fn parameter_table(parameters: &[Value]) -> DataTable {
    let titles =
        ["Parameter", "Unit", "#Before", "#Fitted", "#Uncertainty", "#Low", "#High", "Bound"];
    let mut table = DataTable::new("Parameters", &titles);
    for parameter in parameters {
        let value = |key: &str| match parameter[key].as_f64() {
            Some(value) => Cell::number(plain(value), value),
            None => Cell::text("-"),
        };
        let at_bound = match &parameter["at_bound"] {
            Value::Bool(true) => "at its bound".to_owned(),
            Value::String(which) => format!("at its {which} bound"),
            _ => String::new(),
        };
        let bounds = parameter["bounds"].as_str().map(str::to_owned);
        table.rows.push(vec![
            Cell::text(parameter["key"].as_str().unwrap_or_default()),
            Cell::text(parameter["unit"].as_str().unwrap_or_default()),
            value("before"),
            value("fitted"),
            value("uncertainty"),
            value("low"),
            value("high"),
            Cell::text(at_bound).noted(bounds),
        ]);
    }
    table
}
