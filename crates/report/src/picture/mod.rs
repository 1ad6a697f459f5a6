//! Results as sections of a report: for each kind of result its natural pictures and tables.
//!
//! What a reader must know first comes first: problems, then the totals of the reviews, then the
//! parts.

mod answer;
mod careful;
mod colour;
mod comparison;
mod endurance;
mod fit;
mod histogram;
mod jobs;
mod label;
mod limits;
mod logs;
mod measured;
mod method;
mod origin;
mod radar;
mod reproduction;
mod run;
mod sweep;
mod tails;
mod thin;
mod timeline;

use crate::document::{Block, Document, Section, Tone};
use crate::problem::Problem;
use crate::source::Source;
use measured::Measured;
use stats::Kind;

/// How a report is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Its title; one that fits if there is none.
    pub title: Option<String>,
    /// The target that others are drawn against; the first if there is none.
    pub reference: Option<String>,
    /// Version of drivelab that makes it.
    pub version: String,
}

/// The report of some sources. What could not be used is named at its top.
pub fn document(sources: &[Source], problems: &[Problem], options: &Options) -> Document {
    let is = |source: &Source, kind| source.outcome.kind == kind && !source.is_endurance();
    let of = |kind: Kind| sources.iter().filter(move |source| is(source, kind));
    let mut summary = Vec::new();
    for problem in problems {
        summary.push(Block::Note(Tone::Problem, format!("not in this report: {problem}")));
    }
    let mut sections = Vec::new();
    let reproductions: Vec<&Source> = of(Kind::Reproduction).collect();
    summary.extend(reproduction::summary(&reproductions));
    let mut trouble = Vec::new();
    for source in &reproductions {
        match reproduction::sections(source, options) {
            Ok(made) => sections.extend(made),
            Err(error) => trouble.push((source.name.clone(), error.to_string())),
        }
    }
    for source in of(Kind::Comparison) {
        match comparison::section(source) {
            Ok(section) => sections.push(apart(section, &sections, source)),
            Err(error) => trouble.push((source.name.clone(), error.to_string())),
        }
    }
    let methods: Vec<&Source> = of(Kind::Method).collect();
    let mut measured: Vec<Measured> = Vec::new();
    for source in &methods {
        let runs = Measured::of_method(source);
        if runs.is_empty() {
            let why = "it holds no measurement that this version of drivelab can read";
            trouble.push((source.name.clone(), why.to_owned()));
        }
        measured.extend(runs);
    }
    sections.extend(method::sections(&measured, options));
    let runs: Vec<&Source> = of(Kind::FioRun).collect();
    sections.extend(run::sections(&runs, options));
    for source in of(Kind::Fit) {
        sections.push(fit::section(source));
    }
    let endurance: Vec<&Source> = sources.iter().filter(|source| source.is_endurance()).collect();
    sections.extend(endurance::section(&endurance));
    for (name, why) in trouble {
        let text = format!("not in this report: {name}: {why}");
        summary.insert(problems.len(), Block::Note(Tone::Problem, text));
    }
    sections.push(origin::section(sources));
    let mut document = Document {
        title: options.title.clone().unwrap_or_else(|| title(sources)),
        version: options.version.clone(),
        summary,
        sections,
    };
    careful::once(&mut document);
    answer::lead(&mut document);
    document
}

/// The section under a heading that no other has.
fn apart(mut section: Section, others: &[Section], source: &Source) -> Section {
    if others.iter().any(|other| other.title == section.title) {
        section.title = format!("{} ({})", section.title, source.name);
    }
    section
}

/// A title that fits: what was tested, as far as it has one name.
fn title(sources: &[Source]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for target in sources.iter().flat_map(|source| &source.outcome.targets) {
        if !names.contains(&target.name.as_str()) {
            names.push(&target.name);
        }
    }
    let reproductions = sources.iter().filter(|s| s.outcome.kind == Kind::Reproduction).count();
    match (reproductions, names.as_slice()) {
        (1.., _) => "Published against simulated".to_owned(),
        (_, []) if sources.iter().any(Source::is_endurance) => {
            let drives: Vec<String> = sources.iter().map(Source::endurance_drive).collect();
            match drives.as_slice() {
                [one] => format!("Endurance of {one}"),
                all => format!("Endurance of {} drives", all.len()),
            }
        }
        (_, []) => "Results of fio".to_owned(),
        (_, [one]) => (*one).to_owned(),
        (_, [one, two]) => format!("{one} and {two}"),
        (_, [one, .., last]) if names.len() < 4 => {
            let between = &names[1..names.len() - 1];
            format!("{one}, {} and {last}", between.join(", "))
        }
        (_, all) => format!("{} targets", all.len()),
    }
}
