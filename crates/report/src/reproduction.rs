//! Published against simulated: the table of `drivelab reproduce`, its claims and its totals.

use crate::number::{deviation, interval, percent, published};
use crate::table::{Column, Table};
use answer::reproduction::{Basis, BasisSummary, Claim, Figure, Summary, Verdict};
use answer::{Interval90, Reproduction};
use metric::{counted, plain};

/// The reproduction as plain text.
pub fn reproduction_table(result: &Reproduction) -> String {
    let parts = Parts::of(result);
    let mut text = parts.figures.as_ref().map(Table::to_text).unwrap_or_default();
    for (title, lines) in parts.sections() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{title}\n"));
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

/// The reproduction as Markdown.
pub fn reproduction_markdown(result: &Reproduction) -> String {
    let parts = Parts::of(result);
    let figures =
        parts.figures.as_ref().map(|table| format!("## Figures\n\n{}", table.to_markdown()));
    let mut text = figures.unwrap_or_default();
    for (title, lines) in parts.sections() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}## {title}\n\n"));
        for line in lines {
            // What the text form indents belongs to the item above it.
            let indent = line.chars().take_while(|c| *c == ' ').count().min(2);
            text.push_str(&format!("{}- {}\n", " ".repeat(indent), line.trim_start()));
        }
    }
    text
}

/// What both forms show.
struct Parts {
    /// None if there are claims alone.
    figures: Option<Table>,
    remarks: Vec<String>,
    claims: Vec<String>,
    summary: Vec<String>,
}

impl Parts {
    fn of(result: &Reproduction) -> Self {
        let mut columns = vec![
            Column::left("Figure"),
            Column::left("Metric"),
            Column::left("Unit"),
            Column::right("Published"),
            Column::right("Simulated"),
            Column::right("+-"),
            Column::right("Ratio"),
            Column::right("Error"),
        ];
        let uncertain = result.figures.iter().any(|figure| figure.interval90.is_some());
        columns.extend(uncertain.then(|| Column::right("90 % interval")));
        columns.extend([Column::left("Basis"), Column::left("Verdict")]);
        let mut table = Table::new(columns);
        let mut remarks = Remarks::default();
        for figure in &result.figures {
            table.row(cells(figure, uncertain));
            remarks.of(figure);
        }
        let claims = result.claims.iter().flat_map(claim_lines).collect();
        let mut summary = match result.figures.is_empty() {
            true => vec![claims_line(&result.summary)],
            false => summary_lines(&result.summary),
        };
        summary.extend(coverage(&result.figures));
        let figures = (!result.figures.is_empty()).then_some(table);
        Self { figures, remarks: remarks.lines(), claims, summary }
    }

    /// Titles and lines of what follows the table; nothing is shown that is empty.
    fn sections(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let all: [(&str, &[String]); 3] =
            [("Remarks", &self.remarks), ("Claims", &self.claims), ("Summary", &self.summary)];
        all.into_iter().filter(|(_, lines)| !lines.is_empty())
    }
}

/// How often the intervals of predicted figures hold what was published, and how wide they are.
fn coverage(figures: &[Figure]) -> Option<String> {
    let of = |figure: &Figure| {
        let interval = figure.compared_interval()?;
        Some((interval.holds(figure.published), interval.half_width()))
    };
    let all: Vec<(bool, f64)> = figures.iter().filter_map(of).collect();
    let held = all.iter().filter(|(held, _)| *held).count();
    let mut widths: Vec<f64> = all.iter().map(|(_, width)| *width).collect();
    widths.sort_by(f64::total_cmp);
    let median = widths.get(widths.len() / 2)?;
    Some(format!(
        "intervals of 90 %: {held} of {} hold what was published; half a width is {} (median)",
        all.len(),
        percent(*median)
    ))
}

fn cells(figure: &Figure, uncertain: bool) -> Vec<String> {
    let within = figure.half_width.zip(figure.simulated);
    let ratio = figure.ratio.filter(|_| figure.published_to.is_none());
    let dash = || "-".to_owned();
    let mut cells = vec![
        figure.id.clone(),
        figure.metric.clone(),
        figure.unit.clone(),
        published(figure.published, figure.published_to, figure.bound),
        figure.simulated.map_or_else(dash, plain),
        within.map_or_else(dash, |(half_width, value)| interval(half_width, value)),
        ratio.map_or_else(dash, |ratio| format!("{ratio:.3}")),
        figure.shown_error().map_or_else(dash, deviation),
    ];
    if uncertain {
        let ends = |i: &Interval90| format!("{} to {}", plain(i.low), plain(i.high));
        cells.push(figure.interval90.as_ref().map_or_else(dash, ends));
    }
    cells.extend([figure.basis.words(), figure.verdict.words()]);
    cells
}

/// Remarks in the order of their first figure; one that concerns many figures appears once.
#[derive(Default)]
struct Remarks {
    list: Vec<(String, Vec<String>)>,
}

impl Remarks {
    /// Warnings, and of what went wrong also the explanation.
    fn of(&mut self, figure: &Figure) {
        use Verdict::{Differs, Failed, Miss, NotModelled, NotRun, Open};
        let wrong = matches!(figure.verdict, Miss | Failed | Open | Differs | NotModelled | NotRun);
        if let Some(why) = figure.why.as_ref().filter(|_| wrong) {
            self.add(&figure.id, format!("{}: {why}", figure.verdict.words()));
        }
        for warning in &figure.warnings {
            self.add(&figure.id, warning.clone());
        }
    }

    fn add(&mut self, id: &str, text: String) {
        match self.list.iter_mut().find(|(known, _)| *known == text) {
            Some((_, ids)) => ids.push(id.to_owned()),
            None => self.list.push((text, vec![id.to_owned()])),
        }
    }

    fn lines(self) -> Vec<String> {
        let line = |(text, ids): (String, Vec<String>)| match ids.len() {
            1..=3 => format!("{}: {text}", ids.join(", ")),
            n => format!("{n} figures: {text}"),
        };
        self.list.into_iter().map(line).collect()
    }
}

fn claim_lines(claim: &Claim) -> Vec<String> {
    let said = &claim.claim;
    let colon = if said.is_empty() { "" } else { ": " };
    let mut lines = vec![format!("{} {}{colon}{said}", claim.id, claim.said().words())];
    lines.extend(claim.evidence.split("; ").map(|line| format!("    {line}")));
    lines
}

fn summary_lines(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    for (basis, aim) in [(Basis::Fitted, "5 %"), (Basis::Predicted, "15 %")] {
        let of = summary.basis(basis);
        let head = format!("{}: {}", basis.words(), figures(of.count));
        let mut parts = vec![
            format!("{head} ({} independent)", of.independent),
            format!("{} of {} within {aim}", of.hits, of.compared),
        ];
        for (error, name) in [(of.median_error, "median error"), (of.worst_error, "worst error")] {
            parts.extend(error.map(|error| format!("{name} {}", percent(error))));
        }
        parts.push(format!("bounds {} held, {} failed", of.bounds_held, of.bounds_failed));
        parts.push(format!("{} open", of.open));
        if of.refuted > 0 {
            parts.push(format!("{} refuted by the review itself", of.refuted));
        }
        lines.push(parts.join("; "));
    }
    // Predictions that test the model: what is one number once, and none that says little.
    let tested = &summary.informative;
    let whole = tested.right + tested.wrong;
    let (right, open) = (tested.right, tested.open);
    lines.push(format!("informative predictions: {right} of {whole} right, {open} open"));
    lines.push(input_line(&summary.input));
    let out = summary.basis(Basis::NotModelled).count;
    lines.push(format!("{}: {}", Basis::NotModelled.words(), figures(out)));
    if summary.figures_not_run > 0 {
        lines.push(format!("not run: {}", figures(summary.figures_not_run)));
    }
    lines.push(claims_line(summary));
    lines
}

fn claims_line(summary: &Summary) -> String {
    format!(
        "claims: {} held, {} failed, {} open, {} not checkable",
        summary.claims_held, summary.claims_failed, summary.claims_open, summary.claims_unchecked
    )
}

/// What the models contain, and how much of it comes out otherwise all the same.
fn input_line(of: &BasisSummary) -> String {
    let mut parts = vec![format!("{}: {}", Basis::Input.words(), figures(of.count))];
    if of.differ > 0 {
        parts.push(format!("{} differ", of.differ));
        parts.extend(of.worst_error.map(|error| format!("worst {}", percent(error))));
    }
    if of.bounds_held + of.bounds_failed > 0 {
        parts.push(format!("bounds {} held, {} failed", of.bounds_held, of.bounds_failed));
    }
    parts.join("; ")
}

fn figures(count: usize) -> String {
    counted(count, "figure")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result() -> Reproduction {
        let result = json!({
            "figures": [
                {"id": "rr", "metric": "iops", "unit": "IOPS", "published": 964000.0,
                 "simulated": 971000.0, "half_width": 9710.0, "ratio": 1.00726,
                 "basis": "fitted", "bound": null,
                 "verdict": "hit", "warnings": [], "why": "firmware cost"},
                {"id": "op", "metric": "iops", "unit": "IOPS", "published": 363000.0,
                 "simulated": 430000.0, "ratio": 1.1846, "basis": "predicted", "bound": null,
                 "verdict": "miss", "warnings": ["too few seconds"], "why": "the other reading"},
                {"id": "sr", "metric": "bandwidth_min", "unit": "MB/s", "published": 7400.0,
                 "simulated": 7410.5, "ratio": 1.0014, "basis": "fitted", "bound": "min",
                 "verdict": "held", "warnings": []},
                {"id": "usd", "metric": "usd", "unit": "USD", "published": 2000.0,
                 "simulated": null, "ratio": null, "basis": "not_modelled", "bound": null,
                 "verdict": "not_modelled", "warnings": [], "why": "a price"},
            ],
            "claims": [
                {"id": "c1", "held": true, "evidence": "a 2 > b 1; a 3 > b 2", "claim": "a wins"},
                {"id": "c2", "held": null, "evidence": "not checkable: no rival"},
            ],
            "summary": {
                "fitted": {"count": 2, "independent": 2, "median_error": 0.0073,
                    "worst_error": 0.0073, "compared": 1, "hits": 1, "bounds_held": 1},
                "predicted": {"count": 1, "independent": 1, "median_error": 0.1846,
                    "worst_error": 0.1846, "compared": 1, "refuted": 2},
                "informative": {"right": 1, "wrong": 2, "open": 3},
                "input": {"count": 0}, "not_modelled": {"count": 1},
                "claims_held": 1, "claims_failed": 0, "claims_open": 2, "claims_unchecked": 1,
            },
        });
        answer::read(&result).unwrap()
    }

    #[test]
    fn text_says_what_was_published_simulated_and_missed() {
        let expected = "\
Figure  Metric         Unit  Published  Simulated     +-  Ratio    Error  Basis         Verdict
------  -------------  ----  ---------  ---------  -----  -----  -------  ------------  ------------
rr      iops           IOPS     964000     971000  1.0 %  1.007   +0.7 %  fitted        hit
op      iops           IOPS     363000     430000      -  1.185  +18.5 %  predicted     miss
sr      bandwidth_min  MB/s    >= 7400       7410      -  1.001        -  fitted        held
usd     usd            USD        2000          -      -      -        -  not modelled  not modelled

Remarks
  op: miss: the other reading
  op: too few seconds
  usd: not modelled: a price

Claims
  c1 held: a wins
      a 2 > b 1
      a 3 > b 2
  c2 not checkable
      not checkable: no rival

Summary
  fitted: 2 figures (2 independent); 1 of 1 within 5 %; median error 0.7 %; worst error 0.7 %; \
bounds 1 held, 0 failed; 0 open
  predicted: 1 figure (1 independent); 0 of 1 within 15 %; median error 18.5 %; worst error \
18.5 %; bounds 0 held, 0 failed; 0 open; 2 refuted by the review itself
  informative predictions: 1 of 3 right, 3 open
  input: 0 figures
  not modelled: 1 figure
  claims: 1 held, 0 failed, 2 open, 1 not checkable
";
        assert_eq!(reproduction_table(&result()), expected);
    }

    #[test]
    fn markdown_has_the_same_parts() {
        let text = reproduction_markdown(&result());
        let row = "| rr | iops | IOPS | 964000 | 971000 | 1.0 % | 1.007 | +0.7 % | fitted |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("\n## Claims\n\n- c1 held: a wins\n  - a 2 > b 1\n"), "{text}");
    }
}
