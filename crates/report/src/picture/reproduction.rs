//! Published figures against simulated ones: the honest summary, pictures, figures, claims, and the
//! runs behind them.

mod summary;

pub use summary::summary;

use super::measured::Measured;
use super::{Options, method};
use crate::agreement::said;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::error::{At, ReportError};
use crate::number::{deviation, interval, published};
use crate::origin::Origin;
use crate::quantity::{short, text};
use crate::reproduction::error;
use crate::source::Source;
use metric::plain;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How near a figure of a basis must come.
const AIMS: [(&str, f64); 2] = [("fitted", 0.05), ("predicted", 0.15)];

/// A figure of a review.
struct Figure<'v> {
    id: &'v str,
    target: &'v str,
    method: &'v str,
    metric: &'v str,
    unit: &'v str,
    published: f64,
    published_to: Option<f64>,
    simulated: Option<f64>,
    half_width: Option<f64>,
    error: Option<f64>,
    basis: &'v str,
    bound: Option<&'v str>,
    verdict: &'v str,
    why: Option<&'v str>,
    params: String,
    fitted: String,
    warnings: Vec<&'v str>,
}

impl<'v> Figure<'v> {
    fn read(at: &At<'v>, value: &'v Value) -> Result<Self, ReportError> {
        let text = |key: &str| at.key(key).text();
        let params = value["params"].as_object().into_iter().flatten();
        let param = |(name, value): (&String, &Value)| {
            format!("{name} {}", value.as_str().unwrap_or_default())
        };
        let names = |key: &str| value[key].as_array().into_iter().flatten();
        let fitted: Vec<&str> = names("fitted_parameters").filter_map(Value::as_str).collect();
        Ok(Self {
            id: text("id")?,
            target: text("target")?,
            method: text("method")?,
            metric: text("metric")?,
            unit: text("unit")?,
            published: at.key("published").number()?,
            published_to: at.key("published_to").maybe(At::number)?,
            simulated: at.key("simulated").maybe(At::number)?,
            half_width: at.key("half_width").maybe(At::number)?,
            error: error(at)?,
            basis: text("basis")?,
            bound: at.key("bound").maybe(At::text)?,
            verdict: text("verdict")?,
            why: at.key("why").maybe(At::text)?,
            params: params.map(param).collect::<Vec<_>>().join(", "),
            fitted: fitted.join(", "),
            warnings: names("warnings").filter_map(Value::as_str).collect(),
        })
    }

    fn cells(&self) -> Vec<Cell> {
        let mut about = vec![format!("{} by {}", self.target, self.method)];
        if !self.params.is_empty() {
            about.push(self.params.clone());
        }
        if !self.fitted.is_empty() {
            about.push(format!("fitted: {}", self.fitted));
        }
        about.extend(self.why.map(str::to_owned));
        let simulated = match self.simulated {
            Some(value) => Cell::number(plain(value), value),
            None => Cell::text("-"),
        };
        let mut seen = BTreeSet::new();
        let warnings: Vec<&str> =
            self.warnings.iter().copied().filter(|warning| seen.insert(*warning)).collect();
        let warned = (!warnings.is_empty()).then(|| warnings.join("\n"));
        vec![
            Cell::text(self.id).noted(Some(about.join("\n"))),
            Cell::text(self.target),
            Cell::text(self.metric),
            Cell::text(self.unit),
            Cell::number(published(self.published, self.published_to, self.bound), self.published),
            simulated.noted(warned),
            match self.half_width.zip(self.simulated) {
                Some((half, value)) => Cell::number(interval(half, value), half / value.abs()),
                None => Cell::text("-"),
            },
            match self.error {
                Some(error) => Cell::number(deviation(error), error),
                None => Cell::text("-"),
            },
            Cell::text(self.basis.replace('_', " ")),
            Cell::badge(self.verdict.replace('_', " ")),
        ]
    }
}

/// Figures of a source, with the place of what is not one.
fn figures(source: &Source) -> Result<Vec<Figure<'_>>, ReportError> {
    let data = &source.outcome.data;
    let list = At::root(data).key("figures").list()?;
    let values = data["figures"].as_array().into_iter().flatten();
    list.iter().zip(values).map(|(at, value)| Figure::read(at, value)).collect()
}

/// The name of a reproduction: its reviews.
fn name_of(source: &Source) -> String {
    let figures = source.outcome.data["figures"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = Vec::new();
    for name in figures.filter_map(|figure| figure["review"].as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { source.name.clone() } else { names.join(", ") }
}

/// The sections of a reproduction: figures and claims, then the runs by method.
pub fn sections(source: &Source, options: &Options) -> Result<Vec<Section>, ReportError> {
    let data = &source.outcome.data;
    let figures = figures(source)?;
    let name = name_of(source);
    let mut section = Section::new(format!("Review {name}"), "review");
    section.blocks.push(Block::Note(Tone::Info, reduced(source)));
    section.blocks.extend(errors_chart(&figures).map(Block::chart));
    section.blocks.extend(diagonals(&figures).into_iter().map(Block::chart));
    section.blocks.push(Block::Table(figure_table(&name, &figures)));
    section.blocks.extend(missed(&figures));
    section.blocks.extend(remarks(data));
    section.blocks.push(Block::Heading("What the review says in words".to_owned()));
    for claim in At::root(data).key("claims").list()? {
        section.blocks.push(claim_block(&claim)?);
    }
    let mut sections = vec![section];
    let measured = Measured::of_reproduction(source);
    let groups = method::groups(&measured);
    if !groups.is_empty() {
        let mut runs = Section::new(format!("Runs behind {name}"), "runs");
        for (method, group) in groups {
            let title = format!("{method}: {} run{}", group.len(), plural(group.len()));
            runs.blocks.push(Block::Details {
                summary: title,
                badge: None,
                blocks: method::blocks(method, &group, options)
                    .into_iter()
                    .map(|block| match block {
                        // Behind figures a headline is one of many sentences.
                        Block::Answer(said) => Block::Text(said),
                        other => other,
                    })
                    .collect(),
            });
        }
        sections.push(runs);
    }
    Ok(sections)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// How much of the drives and of the work was simulated.
fn reduced(source: &Source) -> String {
    let outcome = &source.outcome;
    let least = outcome.targets.iter().map(|target| target.scale).fold(1.0, f64::min);
    let mut said = match outcome.budget["seconds_each"].as_f64() {
        Some(seconds) => format!("Budget of a run: {} of work", text("s", "", seconds)),
        None => "Budget of a run: not told".to_owned(),
    };
    if least < 1.0 {
        said.push_str(&format!(
            "; drives simulated down to 1/{} of their size",
            plain(1.0 / least)
        ));
    }
    match (outcome.seed, outcome.budget["seeds"].as_u64()) {
        (Some(seed), Some(count)) => said.push_str(&format!(
            "; {count} seeds from {seed} on: a simulated figure is their mean, the runs shown are \
             those of seed {seed}"
        )),
        (Some(seed), None) => said.push_str(&format!("; seed {seed}")),
        (None, _) => {}
    }
    said.push_str(&format!("; drivelab {}.", outcome.version));
    said.push_str(" What the budget cut is said at each figure.");
    said
}

/// Errors of all compared figures between the bands of 5 and 15 %.
fn errors_chart(figures: &[Figure<'_>]) -> Option<Chart> {
    let mut compared: Vec<(&Figure<'_>, f64)> =
        figures.iter().filter_map(|figure| Some((figure, figure.error?))).collect();
    if compared.is_empty() {
        return None;
    }
    compared.sort_by(|a, b| a.1.total_cmp(&b.1));
    let names = compared.iter().map(|(figure, _)| figure.id.to_owned()).collect();
    let last = (compared.len() - 1) as f64;
    let mut lines = Vec::new();
    for (basis, style) in [("fitted", Style::Dots), ("predicted", Style::Rings)] {
        let of = || compared.iter().enumerate().filter(|(_, (figure, _))| figure.basis == basis);
        let points: Vec<[f64; 2]> =
            of().map(|(i, (_, error))| [i as f64, short(error * 100.0)]).collect();
        if points.is_empty() {
            continue;
        }
        let labels = of().map(|(_, (f, _))| format!("{} {} {}", f.id, f.target, f.metric));
        let line = Line::new(basis, style, points);
        lines.push(Line { labels: labels.collect(), ..line });
    }
    for (basis, aim) in AIMS {
        for side in [-1.0, 1.0] {
            let at = side * aim * 100.0;
            let name = format!("{at:+.0} %, aim of {basis}");
            lines.push(Line::new(name, Style::Guide, vec![[0.0, at], [last, at]]));
        }
    }
    Some(Chart {
        title: "Error of every figure that was compared".to_owned(),
        origin: Origin::Modelled.word().to_owned(),
        about:
            "Simulated over published, sorted. Full marks were used to fit a parameter, rings are \
                predictions; dashed lines are the aims of each."
                .to_owned(),
        x: Axis::names("figure", names),
        y: Axis::new("error", "%", Scale::Linear),
        lines,
        ..Chart::default()
    })
}

/// Published against simulated, one picture a unit with two figures or more.
fn diagonals(figures: &[Figure<'_>]) -> Vec<Chart> {
    let mut units: BTreeMap<&str, Vec<&Figure<'_>>> = BTreeMap::new();
    for figure in figures {
        let both = figure.simulated.is_some_and(|value| value > 0.0) && figure.published > 0.0;
        if both && figure.error.is_some() {
            units.entry(figure.unit).or_default().push(figure);
        }
    }
    units.into_iter().filter(|(_, list)| list.len() > 1).map(|(u, l)| diagonal(u, &l)).collect()
}

fn diagonal(unit: &str, figures: &[&Figure<'_>]) -> Chart {
    let values = || figures.iter().flat_map(|f| [f.published, f.simulated.unwrap_or(f.published)]);
    let low = rounded(values().fold(f64::MAX, f64::min), false);
    let high = rounded(values().fold(f64::MIN, f64::max), true);
    let mut lines = Vec::new();
    for (basis, style) in [("fitted", Style::Dots), ("predicted", Style::Rings)] {
        let of = || figures.iter().filter(|figure| figure.basis == basis);
        let point = |figure: &&Figure<'_>| {
            [short(figure.published), short(figure.simulated.unwrap_or(f64::NAN))]
        };
        let points: Vec<[f64; 2]> = of().map(point).collect();
        if !points.is_empty() {
            let labels = of().map(|f| format!("{} {} {}", f.id, f.target, f.metric)).collect();
            lines.push(Line { labels, ..Line::new(basis, style, points) });
        }
    }
    for (name, factor) in [("equal", 1.0), ("+15 %", 1.15), ("-15 %", 0.85)] {
        let ends = vec![[short(low), short(low * factor)], [short(high), short(high * factor)]];
        lines.push(Line::new(name, Style::Guide, ends));
    }
    let axis = |name: &str| Axis {
        from: Some(short(low)),
        to: Some(short(high)),
        ..Axis::new(name, unit, Scale::Log)
    };
    Chart {
        kind: ChartKind::Lines,
        title: format!("Published against simulated, {unit}"),
        origin: Origin::Modelled.word().to_owned(),
        about: "A perfect model has all points on the middle line.".to_owned(),
        x: axis("published"),
        y: axis("simulated"),
        lines,
        ..Chart::default()
    }
}

/// The next of 1, 2, 5, 10, ... below or above a number above 0.
fn rounded(value: f64, up: bool) -> f64 {
    let ten = 10_f64.powf(value.log10().floor());
    let mut steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * ten).into_iter();
    let found = match up {
        true => steps.find(|step| *step >= value * 1.02),
        false => steps.rfind(|step| *step <= value * 0.98),
    };
    found.unwrap_or(if up { value * 2.0 } else { value / 2.0 })
}

fn figure_table(name: &str, figures: &[Figure<'_>]) -> DataTable {
    let titles = [
        "Figure",
        "Target",
        "Metric",
        "Unit",
        "#Published",
        "#Simulated",
        "#+-",
        "#Error",
        "Basis",
        "Verdict",
    ];
    let mut table = DataTable::new(format!("Figures of {name}"), &titles);
    table.rows = figures.iter().map(Figure::cells).collect();
    table
}

/// Why what went wrong went wrong, as far as it is known.
fn missed(figures: &[Figure<'_>]) -> Vec<Block> {
    let wrong = |figure: &&Figure<'_>| {
        let wrong = ["miss", "failed", "open", "differs", "not_run", "not_modelled", "refuted"];
        wrong.contains(&figure.verdict)
    };
    let mut list: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for figure in figures.iter().filter(wrong) {
        let Some(why) = figure.why else { continue };
        match list
            .iter_mut()
            .find(|(known, verdict, _)| *known == why && *verdict == figure.verdict)
        {
            Some((.., ids)) => ids.push(figure.id),
            None => list.push((why, figure.verdict, vec![figure.id])),
        }
    }
    if list.is_empty() {
        return Vec::new();
    }
    let titles = ["Verdict", "Figures", "What is known of it"];
    let mut table = DataTable::new("Missed, failed, open or not modelled, and why", &titles);
    for (why, verdict, ids) in list {
        let verdict = Cell::badge(verdict.replace('_', " "));
        table.rows.push(vec![verdict, Cell::text(ids.join(", ")), Cell::text(why)]);
    }
    let count = table.rows.len();
    vec![Block::Details {
        summary: format!("Why figures are missed or not modelled ({count} reasons)"),
        badge: None,
        blocks: vec![Block::Table(table)],
    }]
}

/// Where the review contradicts itself, and how its gaps are filled.
fn remarks(data: &Value) -> Vec<Block> {
    let list = data["remarks"].as_array().into_iter().flatten();
    let texts: Vec<&str> = list.filter_map(|entry| entry["text"].as_str()).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let title = "Contradictions and gaps of the review, and how they are read".to_owned();
    let mut blocks = vec![Block::Heading(title)];
    blocks.extend(texts.into_iter().map(|text| Block::Note(Tone::Info, text.to_owned())));
    blocks
}

fn claim_block(claim: &At<'_>) -> Result<Block, ReportError> {
    let verdict = match said(claim)? {
        "unchecked" => "not checkable",
        word => word,
    };
    let said = claim.key("claim").maybe(At::text)?.unwrap_or_default();
    let id = claim.key("id").text()?;
    let evidence = claim.key("evidence").text()?.split("; ");
    let blocks = evidence.map(|line| Block::Text(line.to_owned())).collect();
    Ok(Block::Details {
        summary: if said.is_empty() { id.to_owned() } else { format!("{said} ({id})") },
        badge: Some(verdict.to_owned()),
        blocks,
    })
}
