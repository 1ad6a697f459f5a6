//! Published against simulated: the table of `drivelab reproduce`, its claims and its sums.
//!
//! The input is the JSON that `drivelab reproduce --json` prints and a Record keeps, so that a
//! saved result reads the same as a fresh one.

use serde_json::Value;

use crate::agreement::said;
use crate::error::{At, ReportError};
use crate::number::{deviation, interval, percent, published};
use crate::table::{Column, Table};
use metric::plain;

/// The reproduction as plain text.
///
/// # Errors
/// If a key that is needed is missing or has a value of the wrong type.
pub fn reproduction_table(result: &Value) -> Result<String, ReportError> {
    let parts = Parts::read(result)?;
    let mut text = parts.figures.to_text();
    for (title, lines) in parts.sections() {
        text.push_str(&format!("\n{title}\n"));
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
    Ok(text)
}

/// The reproduction as Markdown.
///
/// # Errors
/// If a key that is needed is missing or has a value of the wrong type.
pub fn reproduction_markdown(result: &Value) -> Result<String, ReportError> {
    let parts = Parts::read(result)?;
    let mut text = format!("## Figures\n\n{}", parts.figures.to_markdown());
    for (title, lines) in parts.sections() {
        text.push_str(&format!("\n## {title}\n\n"));
        for line in lines {
            // What the text form indents belongs to the item above it.
            let indent = line.chars().take_while(|c| *c == ' ').count().min(2);
            text.push_str(&format!("{}- {}\n", " ".repeat(indent), line.trim_start()));
        }
    }
    Ok(text)
}

/// What both forms show.
struct Parts {
    figures: Table,
    remarks: Vec<String>,
    claims: Vec<String>,
    summary: Vec<String>,
}

impl Parts {
    fn read(result: &Value) -> Result<Self, ReportError> {
        let root = At::root(result);
        let mut table = Table::new(vec![
            Column::left("Figure"),
            Column::left("Metric"),
            Column::left("Unit"),
            Column::right("Published"),
            Column::right("Simulated"),
            Column::right("+-"),
            Column::right("Ratio"),
            Column::right("Error"),
            Column::left("Basis"),
            Column::left("Verdict"),
        ]);
        let mut remarks = Remarks::default();
        for figure in root.key("figures").list()? {
            let figure = Figure::read(&figure)?;
            table.row(figure.cells());
            figure.remark(&mut remarks);
        }
        let mut claims = Vec::new();
        for claim in root.key("claims").list()? {
            claims.extend(claim_lines(&claim)?);
        }
        let summary = summary_lines(&root.key("summary"))?;
        Ok(Self { figures: table, remarks: remarks.lines(), claims, summary })
    }

    /// Titles and lines of what follows the table; nothing is shown that is empty.
    fn sections(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let all: [(&str, &[String]); 3] =
            [("Remarks", &self.remarks), ("Claims", &self.claims), ("Summary", &self.summary)];
        all.into_iter().filter(|(_, lines)| !lines.is_empty())
    }
}

struct Figure<'v> {
    id: &'v str,
    metric: &'v str,
    unit: &'v str,
    published: f64,
    published_to: Option<f64>,
    simulated: Option<f64>,
    half_width: Option<f64>,
    ratio: Option<f64>,
    error: Option<f64>,
    basis: &'v str,
    bound: Option<&'v str>,
    verdict: &'v str,
    warnings: Vec<&'v str>,
    why: Option<&'v str>,
}

impl<'v> Figure<'v> {
    fn read(at: &At<'v>) -> Result<Self, ReportError> {
        let warnings = at.key("warnings").list()?;
        Ok(Self {
            id: at.key("id").text()?,
            metric: at.key("metric").text()?,
            unit: at.key("unit").text()?,
            published: at.key("published").number()?,
            published_to: at.key("published_to").maybe(At::number)?,
            simulated: at.key("simulated").maybe(At::number)?,
            half_width: at.key("half_width").maybe(At::number)?,
            ratio: at.key("ratio").maybe(At::number)?,
            error: error(at)?,
            basis: at.key("basis").text()?,
            bound: at.key("bound").maybe(At::text)?,
            verdict: at.key("verdict").text()?,
            warnings: warnings.iter().map(At::text).collect::<Result<_, _>>()?,
            why: at.key("why").maybe(At::text)?,
        })
    }

    fn cells(&self) -> Vec<String> {
        let within = self.half_width.zip(self.simulated);
        let ratio = self.ratio.filter(|_| self.published_to.is_none());
        let dash = || "-".to_owned();
        vec![
            self.id.to_owned(),
            self.metric.to_owned(),
            self.unit.to_owned(),
            published(self.published, self.published_to, self.bound),
            self.simulated.map_or_else(dash, plain),
            within.map_or_else(dash, |(half_width, value)| interval(half_width, value)),
            ratio.map_or_else(dash, |ratio| format!("{ratio:.3}")),
            self.error.map_or_else(dash, deviation),
            self.basis.replace('_', " "),
            self.verdict.replace('_', " "),
        ]
    }

    /// Warnings, and of what went wrong also the explanation.
    fn remark(&self, remarks: &mut Remarks) {
        let wrong = matches!(
            self.verdict,
            "miss" | "failed" | "open" | "differs" | "not_modelled" | "not_run"
        );
        let why = self.why.filter(|_| wrong);
        let verdict = self.verdict.replace('_', " ");
        if let Some(why) = why {
            remarks.add(self.id, format!("{verdict}: {why}"));
        }
        for warning in &self.warnings {
            remarks.add(self.id, (*warning).to_owned());
        }
    }
}

/// The error of a figure. A limit has none, an input agrees or not, and what is refuted is not
/// compared; results of earlier versions have the ratio only.
pub(crate) fn error(at: &At<'_>) -> Result<Option<f64>, ReportError> {
    let verdict = at.key("verdict").text()?;
    if !matches!(verdict, "hit" | "miss" | "open") {
        return Ok(None);
    }
    if let Some(error) = at.key("error").maybe(At::number)? {
        return Ok(Some(error));
    }
    let ratio = at.key("ratio").maybe(At::number)?;
    Ok(ratio.filter(|_| verdict != "open").map(|ratio| ratio - 1.0))
}

/// Remarks in the order of their first figure; one that concerns many figures appears once.
#[derive(Default)]
struct Remarks {
    list: Vec<(String, Vec<String>)>,
}

impl Remarks {
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

fn claim_lines(at: &At<'_>) -> Result<Vec<String>, ReportError> {
    let verdict = match said(at)? {
        "unchecked" => "not checkable",
        word => word,
    };
    let said = at.key("claim").maybe(At::text)?.unwrap_or_default();
    let colon = if said.is_empty() { "" } else { ": " };
    let mut lines = vec![format!("{} {verdict}{colon}{said}", at.key("id").text()?)];
    let evidence = at.key("evidence").text()?;
    lines.extend(evidence.split("; ").map(|line| format!("    {line}")));
    Ok(lines)
}

fn summary_lines(at: &At<'_>) -> Result<Vec<String>, ReportError> {
    let mut lines = Vec::new();
    for (basis, aim) in [("fitted", "5 %"), ("predicted", "15 %")] {
        let at = at.key(basis);
        let mut parts = vec![format!("{basis}: {}", figures(at.key("count").count()?))];
        if let Some(numbers) = at.key("independent").maybe(At::count)? {
            parts[0].push_str(&format!(" ({numbers} independent)"));
        }
        let [compared, hits] = ["compared", "hits"].map(|key| at.key(key).maybe(At::count));
        if let (Some(compared), Some(hits)) = (compared?, hits?) {
            parts.push(format!("{hits} of {compared} within {aim}"));
        }
        for (key, name) in [("median_error", "median error"), ("worst_error", "worst error")] {
            if let Some(error) = at.key(key).maybe(At::number)? {
                parts.push(format!("{name} {}", percent(error)));
            }
        }
        let [held, failed] =
            ["bounds_held", "bounds_failed"].map(|key| at.key(key).maybe(At::count));
        if let (Some(held), Some(failed)) = (held?, failed?) {
            parts.push(format!("bounds {held} held, {failed} failed"));
        }
        if let Some(open) = at.key("open").maybe(At::count)? {
            parts.push(format!("{open} open"));
        }
        if let Some(refuted @ 1..) = at.key("refuted").maybe(At::count)? {
            parts.push(format!("{refuted} refuted by the review itself"));
        }
        lines.push(parts.join("; "));
    }
    lines.extend(informative(at)?);
    for (basis, name) in [("input", "input"), ("not_modelled", "not modelled")] {
        lines.push(format!("{name}: {}", figures(at.key(basis).key("count").count()?)));
    }
    if let Some(broken @ 1..) = at.key("figures_not_run").maybe(At::count)? {
        lines.push(format!("not run: {}", figures(broken)));
    }
    let open = at.key("claims_open").maybe(At::count)?;
    lines.push(format!(
        "claims: {} held, {} failed, {}{} not checkable",
        at.key("claims_held").count()?,
        at.key("claims_failed").count()?,
        open.map_or_else(String::new, |open| format!("{open} open, ")),
        at.key("claims_unchecked").count()?
    ));
    Ok(lines)
}

/// The predictions that test the model: what is one number once, and none that says little.
fn informative(at: &At<'_>) -> Result<Option<String>, ReportError> {
    let at = at.key("informative");
    let [right, wrong, open] = ["right", "wrong", "open"].map(|key| at.key(key).maybe(At::count));
    let (Some(right), Some(wrong), Some(open)) = (right?, wrong?, open?) else { return Ok(None) };
    let whole = right + wrong;
    Ok(Some(format!("informative predictions: {right} of {whole} right, {open} open")))
}

fn figures(count: u64) -> String {
    format!("{count} figure{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result() -> Value {
        json!({
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
                "fitted": {"count": 2, "median_error": 0.0073, "worst_error": 0.0073,
                    "compared": 1, "hits": 1, "bounds_held": 1, "bounds_failed": 0},
                "predicted": {"count": 1, "independent": 1, "median_error": 0.1846,
                    "worst_error": 0.1846, "open": 0, "refuted": 2},
                "informative": {"right": 1, "wrong": 2, "open": 3},
                "input": {"count": 0}, "not_modelled": {"count": 1},
                "claims_held": 1, "claims_failed": 0, "claims_open": 2, "claims_unchecked": 1,
            },
        })
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
  fitted: 2 figures; 1 of 1 within 5 %; median error 0.7 %; worst error 0.7 %; bounds 1 held, 0 \
failed
  predicted: 1 figure (1 independent); median error 18.5 %; worst error 18.5 %; 0 open; 2 refuted \
by the review itself
  informative predictions: 1 of 3 right, 3 open
  input: 0 figures
  not modelled: 1 figure
  claims: 1 held, 0 failed, 2 open, 1 not checkable
";
        assert_eq!(reproduction_table(&result()).unwrap(), expected);
    }

    #[test]
    fn markdown_has_the_same_parts() {
        let text = reproduction_markdown(&result()).unwrap();
        let row = "| rr | iops | IOPS | 964000 | 971000 | 1.0 % | 1.007 | +0.7 % | fitted |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("\n## Claims\n\n- c1 held: a wins\n  - a 2 > b 1\n"), "{text}");
    }

    #[test]
    fn a_result_that_is_none_is_refused_with_the_place() {
        let mut broken = result();
        broken["figures"][1]["published"] = json!("much");
        let message = reproduction_table(&broken).unwrap_err().to_string();
        assert!(message.contains("`figures[1].published` should be a number, found a text"));
        let message = reproduction_table(&json!({})).unwrap_err().to_string();
        assert!(message.contains("`figures` should be a list, found nothing"), "{message}");
        assert!(reproduction_table(&json!(3)).is_err());
    }
}
