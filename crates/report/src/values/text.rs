//! Rows as CSV and as JSON.

use super::Row;
use super::column::Cell;
use super::setting::{Field, columns};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Comma-separated values with a line of names first; an empty cell is nothing. Numbers are in the
/// shortest form that reads back as the same.
pub fn to_csv(rows: &[Row]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |line: Vec<String>| {
        // Writing to memory does not fail, and all lines have the same length.
        let _ = writer.write_record(line);
    };
    let columns = columns(rows);
    put(columns.iter().map(|column| column.name().to_owned()).collect());
    for row in rows {
        put(columns.iter().map(|column| cell_text(column.cell(row))).collect());
    }
    writer.into_inner().unwrap_or_default()
}

fn cell_text(cell: Cell<'_>) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.to_owned(),
        Cell::Number(number) => number_text(number),
        Cell::Count(count) => count.to_string(),
        Cell::Flag(flag) => flag.to_string(),
    }
}

/// As in JSON, which knows when an exponent is shorter.
fn number_text(number: f64) -> String {
    serde_json::to_string(&number).unwrap_or_default()
}

/// A row as a JSON object with every column; an empty cell is null.
struct Line<'r>(&'r Row, &'r [Field]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for column in self.1 {
            match column.cell(self.0) {
                Cell::Empty => map.serialize_entry(column.name(), &None::<()>)?,
                Cell::Text(text) => map.serialize_entry(column.name(), text)?,
                Cell::Number(number) => map.serialize_entry(column.name(), &number)?,
                Cell::Count(count) => map.serialize_entry(column.name(), &count)?,
                Cell::Flag(flag) => map.serialize_entry(column.name(), &flag)?,
            }
        }
        map.end()
    }
}

/// A JSON array of objects, one a line.
pub fn to_json(rows: &[Row]) -> Vec<u8> {
    let columns = columns(rows);
    let mut text = b"[".to_vec();
    for (index, row) in rows.iter().enumerate() {
        text.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
        // Only numbers that are finite reach a cell, and writing to memory does not fail.
        let _ = serde_json::to_writer(&mut text, &Line(row, &columns));
    }
    text.extend_from_slice(b"\n]\n");
    text
}
