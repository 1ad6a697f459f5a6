//! What a report says, before anyone decides how it looks: sections of text, tables and charts.
//!
//! Numbers of charts are in the unit their axis names, those of tables are texts with a value to
//! sort by. Nothing here knows of HTML.

mod chart;
mod table;

pub use chart::{Axis, Band, Chart, ChartKind, Line, Scale, Style};
pub use table::{Cell, DataColumn, DataTable};

/// A whole report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its heading.
    pub title: String,
    /// Version of drivelab that made it.
    pub version: String,
    /// What must be read first.
    pub summary: Vec<Block>,
    /// The rest, in order.
    pub sections: Vec<Section>,
}

/// A part with a heading of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// One word for its kind, for the table of contents.
    pub kind: &'static str,
    /// What it holds, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// An empty section.
    pub fn new(title: impl Into<String>, kind: &'static str) -> Self {
        Self { title: title.into(), kind, blocks: Vec::new() }
    }
}

/// How a note is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something to know.
    Info,
    /// Something to be careful with.
    Warning,
    /// Something that is wrong.
    Problem,
}

/// A warning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Careful {
    /// What to be careful with.
    pub said: String,
    /// Runs, targets or files that it concerns; empty if it is all of the section.
    pub concerns: Vec<String>,
}

impl Careful {
    /// A warning about all of a section.
    pub fn of_all(said: impl Into<String>) -> Self {
        Self { said: said.into(), concerns: Vec::new() }
    }
}

/// One piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A heading below that of the section.
    Heading(String),
    /// Something that must be seen beside the numbers it concerns.
    Note(Tone, String),
    /// A warning, until the page is whole: then each becomes a note, once.
    Careful(Careful),
    /// What a section comes to, in a sentence or two: what was asked, and the answer.
    Answer(String),
    /// Names and what they are: where the numbers come from.
    Facts(Vec<(String, String)>),
    /// A table.
    Table(DataTable),
    /// A picture.
    Chart(Box<Chart>),
    /// What is shown when it is asked for.
    Details {
        /// What stands there before.
        summary: String,
        /// A word in a badge beside it (`held`, `failed`), or nothing.
        badge: Option<String>,
        /// What is behind it.
        blocks: Vec<Block>,
    },
}

impl Block {
    /// A picture.
    pub fn chart(chart: Chart) -> Self {
        Self::Chart(Box::new(chart))
    }
}
