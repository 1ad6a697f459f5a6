//! Drives whose use is on record: a table with a line for each, from which fleets draw.

use super::quantity::{CELSIUS, Kind, SHARE, TIME, write_rate};
use crate::render::Failure;
use ::fleet::{Record, Spread};
use std::path::{Path, PathBuf};

/// Drives on record at most.
const MOST: usize = 1_000_000;
/// Wrong cells that are told.
const TOLD: usize = 20;

/// What a column is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Writes,
    Fill,
    Temperature,
    Age,
}

const COLUMNS: [(&str, Column); 4] = [
    ("writes", Column::Writes),
    ("fill", Column::Fill),
    ("temperature", Column::Temperature),
    ("age", Column::Age),
];

/// A table of them.
pub struct Records {
    path: PathBuf,
    columns: Vec<Column>,
    /// What the host wrote to each, as it is written: it may be a part of the capacity.
    writes: Vec<String>,
    rows: Vec<Record>,
}

impl Records {
    /// Reads the table.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let at = |line: u64| format!("{}:{line}", path.display());
        let broken = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            Failure::wrong(error.to_string()).at(at(line))
        };
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(broken)?;
        let columns = columns(&reader.headers().map_err(broken)?.clone())
            .map_err(|why| Failure::wrong(why).at(at(1)).with_help(help()))?;
        let mut records =
            Self { path: path.to_owned(), columns, writes: Vec::new(), rows: Vec::new() };
        let mut mistakes = Vec::new();
        for row in reader.records() {
            let row = row.map_err(broken)?;
            let line = row.position().map_or(1, csv::Position::line);
            if let Err(why) = records.add(&row) {
                mistakes.push(Failure::wrong(why).at(at(line)));
            }
            if mistakes.len() == TOLD || records.rows.len() > MOST {
                break;
            }
        }
        if records.rows.len() > MOST {
            mistakes.push(Failure::wrong(format!("more than {MOST} drives")).at(at(1)));
        }
        if records.rows.is_empty() && mistakes.is_empty() {
            mistakes.push(Failure::wrong("no drive is in it").at(at(1)).with_help(help()));
        }
        Failure::several(mistakes).map_or(Ok(records), Err)
    }

    fn add(&mut self, row: &csv::StringRecord) -> Result<(), String> {
        let mut record = Record::default();
        for (column, text) in self.columns.iter().zip(row) {
            let number = |kind: Kind, within: [&str; 2]| {
                kind.number(text).and_then(|number| kind.within(number, text, within))
            };
            match column {
                Column::Writes => {
                    write_rate(text, 1.0)?;
                    self.writes.push(text.to_owned());
                }
                Column::Fill => record.fill = Some(number(SHARE, ["5 %", "100 %"])?),
                Column::Temperature => {
                    record.temperature = Some(number(CELSIUS, ["-40 C", "125 C"])?);
                }
                Column::Age => record.age = Some(number(TIME, ["0 s", "50 years"])?),
            }
        }
        self.rows.push(record);
        Ok(())
    }

    /// Whether it has a column of this name.
    pub fn has(&self, name: &str) -> bool {
        COLUMNS.iter().any(|(known, column)| *known == name && self.columns.contains(column))
    }

    /// How many drives it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The records for drives with so much usable capacity.
    ///
    /// # Errors
    /// A rate that cannot be read.
    pub fn of(&self, capacity: f64) -> Result<Vec<Record>, String> {
        let mut rows = self.rows.clone();
        for (row, text) in rows.iter_mut().zip(&self.writes) {
            row.writes = Some(write_rate(text, capacity)?);
        }
        Ok(rows)
    }

    /// How what a column is of is spread over drives, but for writes.
    pub fn spread(&self, name: &str) -> Option<Spread> {
        let column = COLUMNS.iter().find(|(known, _)| *known == name)?.1;
        spread(&self.rows, |row| match column {
            Column::Writes => row.writes,
            Column::Fill => row.fill,
            Column::Temperature => row.temperature,
            Column::Age => row.age,
        })
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<&'static str> {
        let is_there = |column: &Column| self.columns.contains(column);
        COLUMNS.iter().filter(|(_, column)| is_there(column)).map(|(name, _)| *name).collect()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// How a quantity is spread over records, if they have it.
pub fn spread(rows: &[Record], of: impl Fn(&Record) -> Option<f64>) -> Option<Spread> {
    let mut values: Vec<f64> = rows.iter().filter_map(of).collect();
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then_some(Spread::Listed(values))
}

fn columns(names: &csv::StringRecord) -> Result<Vec<Column>, String> {
    let mut columns = Vec::new();
    for name in names {
        let known = COLUMNS.iter().find(|(known, _)| *known == name);
        let (_, column) = known.ok_or_else(|| format!("no column is called `{name}`"))?;
        if columns.contains(column) {
            return Err(format!("column `{name}` is there twice"));
        }
        columns.push(*column);
    }
    Ok(columns)
}

fn help() -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    format!("the first line names its columns ({}), each other line is a drive", names.join(", "))
}
