//! A table for people and programs alike.

use crate::render::Failure;
use engine::Bytes;
use metric::Dimension;
use report::{Column, Table};
use serde::Serialize;
use serde_json::{Map, Value};

/// A row of a table: as JSON an object with a key for each column.
pub trait Row: Serialize {
    /// Key and title of each column.
    const TITLES: &'static [(&'static str, &'static str)];
}

/// A table and the same as JSON.
pub struct Shelves {
    titles: &'static [(&'static str, &'static str)],
    rows: Vec<Map<String, Value>>,
}

impl Shelves {
    /// The table of these rows.
    pub fn of<T: Row>(rows: impl IntoIterator<Item = T>) -> Result<Self, Failure> {
        let object = |row: T| match serde_json::to_value(row) {
            Ok(Value::Object(cells)) => Ok(cells),
            _ => Err(Failure::failed("a row of the table is no object")),
        };
        let rows = rows.into_iter().map(object).collect::<Result<_, Failure>>()?;
        Ok(Self { titles: T::TITLES, rows })
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The same as JSON: an object a row.
    pub fn to_json(&self) -> &impl Serialize {
        &self.rows
    }

    /// The table.
    pub fn to_table(&self) -> Table {
        let numbers = |key: &str| self.rows.iter().all(|row| row[key].is_number());
        let column = |(key, title): &(&str, &'static str)| match numbers(key) {
            true => Column::right(title),
            false => Column::left(title),
        };
        let mut table = Table::new(self.titles.iter().map(column).collect());
        for row in &self.rows {
            table.row(self.titles.iter().map(|(key, _)| cell(key, &row[*key])).collect());
        }
        table
    }
}

/// A value as people read it: sizes in a unit that suits them.
fn cell(key: &str, value: &Value) -> String {
    let bytes = match key {
        "capacity_bytes" | "held_bytes" | "pool_bytes" | "cache_bytes" | "parity_bytes"
        | "tbw_bytes" => value.as_u64(),
        "capacity" => value.as_str().and_then(|text| text.parse().ok()).map(Bytes::base),
        _ => None,
    };
    match (bytes, value) {
        (Some(0), _) => "-".to_owned(),
        (Some(bytes), _) => metric::show(Dimension::Bytes, bytes as f64),
        (None, Value::Null) => "-".to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, Value::Array(items)) => {
            items.iter().map(|item| cell("", item)).collect::<Vec<_>>().join(", ")
        }
        (None, other) => other.to_string(),
    }
}
