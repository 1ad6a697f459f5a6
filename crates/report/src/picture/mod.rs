//! Results as sections of a report: for each kind of result its natural pictures and tables.
//!
//! What a reader must know first comes first: problems, then the totals of the reviews, then the
//! parts.

mod careful;
mod colour;
mod comparison;
mod endurance;
mod fit;
mod headline;
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
use answer::{Answer, Comparison, Endurance, Fitted, Reproduction};
use measured::Measured;

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
    let mut summary = Vec::new();
    for problem in problems {
        summary.push(Block::Note(Tone::Problem, format!("not in this report: {problem}")));
    }
    let mut sections = Vec::new();
    let reproductions: Vec<(&Source, &Reproduction)> = of(sources, |answer| match answer {
        Answer::Reproduction(one) => Some(one),
        _ => None,
    });
    summary.extend(reproduction::summary(&reproductions));
    for (source, reproduction) in &reproductions {
        sections.extend(reproduction::sections(source, reproduction, options));
    }
    let comparisons: Vec<(&Source, &Comparison)> = of(sources, |answer| match answer {
        Answer::Comparison(one) => Some(one),
        _ => None,
    });
    for (source, comparison) in comparisons {
        sections.push(apart(comparison::section(comparison), &sections, source));
    }
    let measured: Vec<Measured> = sources.iter().flat_map(Measured::of_method).collect();
    sections.extend(method::sections(&measured, options));
    let is_run = |source: &&Source| matches!(source.answer, Answer::Run(_));
    let runs: Vec<&Source> = sources.iter().filter(is_run).collect();
    sections.extend(run::sections(&runs, options));
    let fits: Vec<(&Source, &Fitted)> = of(sources, |answer| match answer {
        Answer::Fitted(one) => Some(one),
        _ => None,
    });
    sections.extend(fits.iter().map(|(_, fit)| fit::section(fit)));
    let lives: Vec<(&Source, &Endurance)> = of(sources, |answer| match answer {
        Answer::Endurance(one) => Some(one),
        _ => None,
    });
    let lives: Vec<&Endurance> = lives.into_iter().map(|(_, one)| one).collect();
    sections.extend(endurance::section(&lives));
    sections.push(origin::section(sources));
    let mut document = Document {
        title: options.title.clone().unwrap_or_else(|| title(sources)),
        version: options.version.clone(),
        summary,
        sections,
    };
    careful::once(&mut document);
    headline::lead(&mut document);
    document
}

/// Sources whose answer is of one kind, each with it.
fn of<'s, T>(
    sources: &'s [Source],
    kind: fn(&'s Answer) -> Option<&'s T>,
) -> Vec<(&'s Source, &'s T)> {
    sources.iter().filter_map(|source| Some((source, kind(&source.answer)?))).collect()
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
    let is_review = |source: &Source| matches!(source.answer, Answer::Reproduction(_));
    let lives: Vec<String> = sources
        .iter()
        .filter_map(|source| match &source.answer {
            Answer::Endurance(one) => Some(one.name()),
            _ => None,
        })
        .collect();
    match (names.as_slice(), lives.as_slice()) {
        _ if sources.iter().any(is_review) => "Published against simulated".to_owned(),
        ([], [one]) => format!("Endurance of {one}"),
        ([], [_, ..]) => format!("Endurance of {} drives", lives.len()),
        ([], []) => "Results of fio".to_owned(),
        ([one], _) => (*one).to_owned(),
        ([one, two], _) => format!("{one} and {two}"),
        ([one, .., last], _) if names.len() < 4 => {
            let between = &names[1..names.len() - 1];
            format!("{one}, {} and {last}", between.join(", "))
        }
        (all, _) => format!("{} targets", all.len()),
    }
}
