//! Results as sections of a report: for each kind of result its natural pictures and tables.
//!
//! What a reader must know first comes first: problems, then the totals of the reviews, then the
//! parts.

mod blind;
mod careful;
mod charts;
mod choice;
mod colour;
mod comparison;
mod endurance;
mod fit;
mod fleet;
mod gates;
mod header;
mod headline;
mod histogram;
mod jobs;
mod label;
mod limits;
mod logs;
mod measured;
mod method;
mod nines;
mod origin;
mod parallel;
mod pareto;
mod radar;
mod reach;
mod reproduction;
mod run;
mod state;
mod sweep;
mod thin;
mod twin;

use crate::document::{Block, Document, Section, Tone};
use crate::problem::Problem;
use crate::source::Source;
use answer::Answer;

/// How a report is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Its title; one that fits if there is none.
    pub title: Option<String>,
    /// The target that others are drawn against; the first if there is none.
    pub reference: Option<String>,
    /// Version of drivelab that makes it.
    pub version: String,
    /// What a reader must know first, from whoever makes the report: what is missing, and why.
    pub notes: Vec<String>,
    /// Who made the tests, for the header of those of SNIA.
    pub operator: Option<String>,
}

/// The sections of the results of one kind; none if there are no such results.
type Kind = fn(&[Source], &Options) -> Vec<Section>;

/// All kinds, in the order in which they are shown.
const KINDS: &[Kind] = &[
    choice::sections,
    reproduction::sections,
    comparison::sections,
    method::sections,
    run::sections,
    fit::sections,
    twin::sections,
    blind::sections,
    pareto::sections,
    fleet::sections,
    endurance::sections,
    origin::sections,
];

/// The report of some sources. What could not be used is named at its top.
pub fn document(sources: &[Source], problems: &[Problem], options: &Options) -> Document {
    let mut summary = Vec::new();
    for note in &options.notes {
        summary.push(Block::Note(Tone::Problem, note.clone()));
    }
    for problem in problems {
        summary.push(Block::Note(Tone::Problem, format!("not in this report: {problem}")));
    }
    summary.extend(reproduction::summary(sources));
    let sections = KINDS.iter().flat_map(|kind| kind(sources, options)).collect();
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

/// What a source without targets is about.
fn own_title(source: &Source) -> Option<String> {
    match &source.answer {
        Answer::Choice(choice) => Some(format!("Choice: {}", choice.load)),
        Answer::Fleet(fleet) => Some(fleet::title(fleet)),
        Answer::Sweep(sweep) => Some(format!("Sweep: {}", sweep.load)),
        Answer::Twin(twin) => Some(format!("Twin of {}", twin.target)),
        Answer::Blind(_) => Some("Twins of hidden drives".to_owned()),
        _ => None,
    }
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
        ([], []) => {
            let own = sources.iter().find_map(own_title);
            own.unwrap_or_else(|| "Results of fio".to_owned())
        }
        ([one], _) => (*one).to_owned(),
        ([one, two], _) => format!("{one} and {two}"),
        ([one, .., last], _) if names.len() < 4 => {
            let between = &names[1..names.len() - 1];
            format!("{one}, {} and {last}", between.join(", "))
        }
        (all, _) => format!("{} targets", all.len()),
    }
}
