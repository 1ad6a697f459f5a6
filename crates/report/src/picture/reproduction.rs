//! Published figures against simulated ones: the honest summary, pictures, figures, claims, and the
//! runs behind them.

mod intervals;
mod summary;

pub use summary::summary;

use super::measured::Measured;
use super::{Options, method};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::number::{deviation, interval, published};
use crate::quantity::{short, text};
use crate::source::Source;
use answer::reproduction::{Basis, Claim, Figure, Remark, Verdict};
use answer::{Answer, Origin, Reproduction};
use metric::{counted, plain};
use std::collections::{BTreeMap, BTreeSet};

/// How near a figure of a basis must come.
const AIMS: [(Basis, f64); 2] = [(Basis::Fitted, 0.05), (Basis::Predicted, 0.15)];

fn cells(figure: &Figure) -> Vec<Cell> {
    let mut about = vec![format!("{} by {}", figure.target, figure.method)];
    let params: Vec<String> = figure.params.iter().map(|(k, v)| format!("{k} {v}")).collect();
    if !params.is_empty() {
        about.push(params.join(", "));
    }
    if !figure.fitted_parameters.is_empty() {
        about.push(format!("fitted: {}", figure.fitted_parameters.join(", ")));
    }
    about.extend(figure.why.clone());
    let simulated = match figure.simulated {
        Some(value) => Cell::number(plain(value), value),
        None => Cell::text("-"),
    };
    let mut seen = BTreeSet::new();
    let warnings = figure.warnings.iter().map(String::as_str);
    let warnings: Vec<&str> = warnings.filter(|warning| seen.insert(*warning)).collect();
    let warned = (!warnings.is_empty()).then(|| warnings.join("\n"));
    let number = published(figure.published, figure.published_to, figure.bound);
    vec![
        Cell::text(&figure.id).noted(Some(about.join("\n"))),
        Cell::text(&figure.target),
        Cell::text(&figure.metric),
        Cell::text(&figure.unit),
        Cell::number(number, figure.published),
        simulated.noted(warned),
        match figure.half_width.zip(figure.simulated) {
            Some((half, value)) => Cell::number(interval(half, value), half / value.abs()),
            None => Cell::text("-"),
        },
        match figure.shown_error() {
            Some(error) => Cell::number(deviation(error), error),
            None => Cell::text("-"),
        },
        Cell::text(figure.basis.words()),
        Cell::badge(figure.verdict.words()),
    ]
}

/// The name of a reproduction: its reviews.
fn name_of(source: &Source, result: &Reproduction) -> String {
    let mut names: Vec<&str> = Vec::new();
    for figure in result.figures.iter().filter(|figure| !figure.review.is_empty()) {
        if !names.contains(&figure.review.as_str()) {
            names.push(&figure.review);
        }
    }
    if names.is_empty() { source.name.clone() } else { names.join(", ") }
}

/// The reproductions among the sources.
fn reproductions(sources: &[Source]) -> impl Iterator<Item = (&Source, &Reproduction)> {
    sources.iter().filter_map(|source| match &source.answer {
        Answer::Reproduction(result) => Some((source, result)),
        _ => None,
    })
}

/// The sections of all reproductions.
pub fn sections(sources: &[Source], options: &Options) -> Vec<Section> {
    reproductions(sources).flat_map(|(source, result)| of_one(source, result, options)).collect()
}

/// The sections of a reproduction: figures and claims, then the runs by method.
fn of_one(source: &Source, result: &Reproduction, options: &Options) -> Vec<Section> {
    let figures = &result.figures;
    let name = name_of(source, result);
    let mut section = Section::new(format!("Review {name}"), "review");
    section.blocks.push(Block::Note(Tone::Info, reduced(source)));
    section.blocks.extend(errors_chart(figures).map(Block::chart));
    section.blocks.extend(diagonals(figures).into_iter().map(Block::chart));
    section.blocks.extend(intervals::charts(figures).into_iter().map(Block::chart));
    section.blocks.push(Block::Table(figure_table(&name, figures)));
    section.blocks.extend(missed(figures));
    section.blocks.extend(remarks(result));
    section.blocks.push(Block::Heading("What the review says in words".to_owned()));
    section.blocks.extend(result.claims.iter().map(claim_block));
    let mut sections = vec![section];
    let measured = Measured::of_reproduction(source);
    let groups = method::groups(&measured);
    if !groups.is_empty() {
        let mut runs = Section::new(format!("Runs behind {name}"), "runs");
        for (method, group) in groups {
            let title = format!("{method}: {}", counted(group.len(), "run"));
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
    sections
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
    // What is not a Record does not say which version made it.
    if !outcome.version.is_empty() {
        said.push_str(&format!("; drivelab {}", outcome.version));
    }
    said.push('.');
    said.push_str(" What the budget cut is said at each figure.");
    said
}

/// Errors of all compared figures between the bands of 5 and 15 %.
fn errors_chart(figures: &[Figure]) -> Option<Chart> {
    let mut compared: Vec<(&Figure, f64)> =
        figures.iter().filter_map(|figure| Some((figure, figure.shown_error()?))).collect();
    if compared.is_empty() {
        return None;
    }
    compared.sort_by(|a, b| a.1.total_cmp(&b.1));
    let names = compared.iter().map(|(figure, _)| figure.id.to_owned()).collect();
    let last = (compared.len() - 1) as f64;
    let mut lines = Vec::new();
    for (basis, style) in [(Basis::Fitted, Style::Dots), (Basis::Predicted, Style::Rings)] {
        let of = || compared.iter().enumerate().filter(|(_, (figure, _))| figure.basis == basis);
        let points: Vec<[f64; 2]> =
            of().map(|(i, (_, error))| [i as f64, short(error * 100.0)]).collect();
        if points.is_empty() {
            continue;
        }
        let labels = of().map(|(_, (f, _))| format!("{} {} {}", f.id, f.target, f.metric));
        let line = Line::new(basis.name(), style, points);
        lines.push(Line { labels: labels.collect(), ..line });
    }
    for (basis, aim) in AIMS {
        for side in [-1.0, 1.0] {
            let at = side * aim * 100.0;
            let name = format!("{at:+.0} %, aim of {}", basis.name());
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
fn diagonals(figures: &[Figure]) -> Vec<Chart> {
    let mut units: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for figure in figures {
        let both = figure.simulated.is_some_and(|value| value > 0.0) && figure.published > 0.0;
        if both && figure.shown_error().is_some() {
            units.entry(&figure.unit).or_default().push(figure);
        }
    }
    units.into_iter().filter(|(_, list)| list.len() > 1).map(|(u, l)| diagonal(u, &l)).collect()
}

fn diagonal(unit: &str, figures: &[&Figure]) -> Chart {
    let values = || figures.iter().flat_map(|f| [f.published, f.simulated.unwrap_or(f.published)]);
    let low = rounded(values().fold(f64::MAX, f64::min), false);
    let high = rounded(values().fold(f64::MIN, f64::max), true);
    let mut lines = Vec::new();
    for (basis, style) in [(Basis::Fitted, Style::Dots), (Basis::Predicted, Style::Rings)] {
        let of = || figures.iter().filter(|figure| figure.basis == basis);
        let point = |figure: &&Figure| {
            [short(figure.published), short(figure.simulated.unwrap_or(f64::NAN))]
        };
        let points: Vec<[f64; 2]> = of().map(point).collect();
        if !points.is_empty() {
            let labels = of().map(|f| format!("{} {} {}", f.id, f.target, f.metric)).collect();
            lines.push(Line { labels, ..Line::new(basis.name(), style, points) });
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

fn figure_table(name: &str, figures: &[Figure]) -> DataTable {
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
    table.rows = figures.iter().map(cells).collect();
    table
}

/// Why what went wrong went wrong, as far as it is known.
fn missed(figures: &[Figure]) -> Vec<Block> {
    use Verdict::{Differs, Failed, Miss, NotModelled, NotRun, Open, Refuted};
    let wrong = |figure: &&Figure| {
        let wrong = [Miss, Failed, Open, Differs, NotRun, NotModelled, Refuted];
        wrong.contains(&figure.verdict)
    };
    let mut list: Vec<(&str, Verdict, Vec<&str>)> = Vec::new();
    for figure in figures.iter().filter(wrong) {
        let Some(why) = &figure.why else { continue };
        let same =
            |known: &&mut (&str, Verdict, Vec<&str>)| known.0 == why && known.1 == figure.verdict;
        match list.iter_mut().find(same) {
            Some((.., ids)) => ids.push(&figure.id),
            None => list.push((why, figure.verdict, vec![&figure.id])),
        }
    }
    if list.is_empty() {
        return Vec::new();
    }
    let titles = ["Verdict", "Figures", "What is known of it"];
    let mut table = DataTable::new("Missed, failed, open or not modelled, and why", &titles);
    for (why, verdict, ids) in list {
        let verdict = Cell::badge(verdict.words());
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
fn remarks(result: &Reproduction) -> Vec<Block> {
    if result.remarks.is_empty() {
        return Vec::new();
    }
    let title = "Contradictions and gaps of the review, and how they are read".to_owned();
    let mut blocks = vec![Block::Heading(title)];
    let note = |remark: &Remark| Block::Note(Tone::Info, remark.text.clone());
    blocks.extend(result.remarks.iter().map(note));
    blocks
}

fn claim_block(claim: &Claim) -> Block {
    let Claim { id, claim: said, .. } = claim;
    let evidence = claim.evidence.split("; ");
    Block::Details {
        summary: if said.is_empty() { id.clone() } else { format!("{said} ({id})") },
        badge: Some(claim.said().words().to_owned()),
        blocks: evidence.map(|line| Block::Text(line.to_owned())).collect(),
    }
}
