//! A model fitted to measured figures: what it missed before and after, and how sure its values
//! are.

use super::Options;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style,
};
use crate::quantity::{short, text};
use crate::source::Source;
use answer::fit::{FitFigure, FitParameter};
use answer::{Answer, Fitted, Origin};
use metric::plain;

/// A section for every fit.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let fit = |source: &Source| match &source.answer {
        Answer::Fitted(fit) => Some(section(fit)),
        _ => None,
    };
    sources.iter().filter_map(fit).collect()
}

/// The section of a fit. Numbers that are missing are left open.
fn section(fit: &Fitted) -> Section {
    let mut section = Section::new(format!("Fit of {}", fit.model), "fit");
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), plain);
    let count = |value: Option<usize>| number(value.map(|count| count as f64));
    let mut facts = vec![
        ("chi square before".to_owned(), number(fit.chi_square_before)),
        ("chi square after".to_owned(), number(fit.chi_square_fitted)),
        ("degrees of freedom".to_owned(), count(fit.degrees_of_freedom)),
        ("iterations".to_owned(), count(fit.iterations)),
        ("measurements".to_owned(), count(fit.measurements)),
    ];
    if let (Some(draws), Some(effective)) = (fit.draws, fit.effective_draws) {
        facts.push(("draws".to_owned(), format!("{draws}, of which {effective:.1} count")));
    }
    section.blocks.push(Block::Facts(facts));
    section.blocks.push(Block::chart(errors(&fit.figures)));
    section.blocks.push(Block::Table(figure_table(&fit.figures)));
    section.blocks.push(Block::Table(parameter_table(&fit.parameters)));
    section
}

fn errors(figures: &[FitFigure]) -> Chart {
    let names = figures.iter().map(|figure| figure.id.clone());
    let line = |name: &str, error: fn(&FitFigure) -> Option<f64>| {
        let point = |(i, figure): (usize, &FitFigure)| {
            [i as f64, short(error(figure).unwrap_or(f64::NAN) * 100.0)]
        };
        Line::new(name, Style::Line, figures.iter().enumerate().map(point).collect())
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
            line("before", |figure| figure.error_before),
            line("fitted", |figure| figure.error_fitted),
            line("from the others", |figure| figure.error_from_the_others),
        ],
        ..Chart::default()
    }
}

fn figure_table(figures: &[FitFigure]) -> DataTable {
    let drawn = figures.iter().any(|figure| figure.expected90.is_some());
    let mut titles =
        vec!["Figure", "Metric", "#Measured", "#Before", "#Fitted", "#From the others"];
    titles.extend(drawn.then_some("The others expect (90 %)"));
    let mut table = DataTable::new("Figures of the fit", &titles);
    for figure in figures {
        let value = |value: Option<f64>| match value {
            Some(value) => Cell::number(text(&figure.unit, &figure.metric, value), value),
            None => Cell::text("-"),
        };
        let mut row = vec![
            Cell::text(&figure.id),
            Cell::text(&figure.metric),
            value(figure.measured),
            value(figure.before),
            value(figure.fitted),
            value(figure.from_the_others),
        ];
        let expected = || match figure.expected90 {
            Some((low, high)) => {
                let show = |value: f64| text(&figure.unit, &figure.metric, value);
                Cell::text(format!("{} to {}", show(low), show(high)))
            }
            None => Cell::text("-"),
        };
        row.extend(drawn.then(expected));
        table.rows.push(row);
    }
    table
}

fn parameter_table(parameters: &[FitParameter]) -> DataTable {
    let titles =
        ["Parameter", "Unit", "#Before", "#Fitted", "#Uncertainty", "#Low", "#High", "Bound"];
    let mut table = DataTable::new("Parameters", &titles);
    for parameter in parameters {
        let value = |value: Option<f64>| match value {
            Some(value) => Cell::number(plain(value), value),
            None => Cell::text("-"),
        };
        let at_bound = if parameter.at_bound { "at its bound" } else { "" };
        table.rows.push(vec![
            Cell::text(&parameter.key),
            Cell::text(&parameter.unit),
            value(parameter.before),
            value(parameter.fitted),
            value(parameter.uncertainty),
            value(parameter.low),
            value(parameter.high),
            Cell::text(at_bound).noted(parameter.bounds.clone()),
        ]);
    }
    table
}
