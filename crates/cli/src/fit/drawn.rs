//! What the draws of a fit say, as text.

use super::show::Report;
use fit::{Ensemble, Span};
use metric::plain;
use report::{Column, Table};

/// The tables of the draws; nothing if there are none.
pub fn as_text(report: &Report<'_>) -> String {
    let Some(drawn) = &report.fit.ensemble else { return String::new() };
    let mut text = format!(
        "\n{} draws of the values, as good as {} that meet the figures alike\n",
        drawn.draws,
        plain((drawn.effective * 10.0).round() / 10.0)
    );
    if !drawn.is_known() {
        text.push_str(
            "Too few: the uncertainties are those of the derivatives. Give more draws, or free \
             fewer values\n",
        );
        return text;
    }
    text.push_str(&format!("\n{}", parameters(report, drawn).to_text()));
    let (table, held, known) = figures(report, drawn);
    text.push_str(&format!("\n{}", table.to_text()));
    if known > 0 {
        text.push_str(&format!("{held} of {known} figures lie where the others expect them\n"));
    }
    text
}

fn parameters(report: &Report<'_>, drawn: &Ensemble) -> Table {
    let mut columns = vec![Column::left("Parameter")];
    columns.extend(["By derivatives", "By draws", "Mean of the draws"].map(Column::right));
    let mut table = Table::new(columns);
    for (j, parameter) in report.fit.problem.parameters.iter().enumerate() {
        let sure = report.fit.certainty.as_ref();
        let by_derivatives = sure.map(|sure| report.uncertainty_text(j, sure.sigma[j]));
        table.row(vec![
            parameter.key.clone(),
            by_derivatives.unwrap_or_else(|| "unknown".to_owned()),
            report.uncertainty_text(j, drawn.sigma[j]),
            parameter.text(parameter.value(drawn.mean[j])),
        ]);
    }
    table
}

/// The table, how many figures lie where the others expect them, and of how many that is known.
fn figures(report: &Report<'_>, drawn: &Ensemble) -> (Table, usize, usize) {
    let mut columns = vec![Column::left("Figure")];
    columns.extend(["Measured", "Fitted, 90 %", "The others expect, 90 %"].map(Column::right));
    let mut table = Table::new(columns);
    let (mut held, mut known) = (0, 0);
    for (i, wanted) in report.fit.problem.figures.iter().enumerate() {
        let show = |span: Option<Span>| {
            let text = |span: Span| {
                format!("{} to {}", report.shown(i, span.low), report.shown(i, span.high))
            };
            span.map_or_else(|| "-".to_owned(), text)
        };
        if let Some(span) = drawn.from_others[i] {
            known += 1;
            held += usize::from(span.low <= wanted.value && wanted.value <= span.high);
        }
        table.row(vec![
            wanted.id.clone(),
            report.shown(i, wanted.value),
            show(drawn.figures[i]),
            show(drawn.from_others[i]),
        ]);
    }
    (table, held, known)
}
