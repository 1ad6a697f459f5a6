//! A table whose rows can be sorted and copied.

use crate::table::Align;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataColumn {
    /// Its heading, with the unit.
    pub title: String,
    /// On which side its cells stand.
    pub align: Align,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What is shown.
    pub text: String,
    /// What it is sorted by; its text if there is none.
    pub value: Option<f64>,
    /// What concerns it: shown as a mark with this text behind it.
    pub note: Option<String>,
    /// A word that becomes a badge of its colour: `hit`, `miss`, `held`, `failed`, ...
    pub badge: bool,
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A number as it is shown, and as it is sorted by.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: text.into(), value: Some(value), ..Self::default() }
    }

    /// A word in a badge.
    pub fn badge(text: impl Into<String>) -> Self {
        Self { text: text.into(), badge: true, ..Self::default() }
    }

    /// The same with a note, if there is one.
    #[must_use]
    pub fn noted(self, note: Option<String>) -> Self {
        Self { note, ..self }
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<DataColumn>,
    /// Its rows; each has a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

impl DataTable {
    /// A table without rows; a title that begins with `#` is a column of numbers.
    pub fn new(caption: impl Into<String>, titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('#') {
            Some(title) => DataColumn { title: title.to_owned(), align: Align::Right },
            None => DataColumn { title: (*title).to_owned(), align: Align::Left },
        };
        let columns = titles.iter().map(column).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Adds a column of numbers.
    pub fn number_column(&mut self, title: impl Into<String>) {
        self.columns.push(DataColumn { title: title.into(), align: Align::Right });
    }
}
