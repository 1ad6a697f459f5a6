//! A table for people and programs alike.

use engine::Bytes;
use metric::Dimension;
use report::{Column, Table};
use serde_json::{Map, Value};

/// A table and the same as JSON, from rows of named cells.
pub struct Shelves {
    /// Key and title of each column.
    pub titles: Vec<(&'static str, &'static str)>,
    /// A cell for each of them.
    pub rows: Vec<Vec<Value>>,
}

impl Shelves {
    /// The same as JSON: an object a row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let keys = self.titles.iter().map(|(key, _)| (*key).to_owned());
            Value::Object(keys.zip(row.iter().cloned()).collect::<Map<String, Value>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// The table.
    pub fn to_table(&self) -> Table {
        let numbers = |at: usize| self.rows.iter().all(|row| row[at].is_number());
        let column = |(at, (_, title)): (usize, &(&str, &'static str))| match numbers(at) {
            true => Column::right(title),
            false => Column::left(title),
        };
        let mut table = Table::new(self.titles.iter().enumerate().map(column).collect());
        for row in &self.rows {
            let keys = self.titles.iter().map(|(key, _)| *key);
            table.row(keys.zip(row).map(|(key, value)| cell(key, value)).collect());
        }
        table
    }
}

/// A value as people read it: sizes in a unit that suits them.
fn cell(key: &str, value: &Value) -> String {
    let bytes = match key {
        "capacity_bytes" | "held_bytes" | "pool_bytes" | "cache_bytes" | "parity_bytes" => {
            value.as_u64()
        }
        "capacity" => value.as_str().and_then(|text| text.parse().ok()).map(Bytes::base),
        _ => None,
    };
    match (bytes, value) {
        (Some(0), _) => "-".to_owned(),
        (Some(bytes), _) => metric::show(Dimension::Bytes, bytes as f64),
        (None, Value::String(text)) => text.clone(),
        (None, Value::Array(items)) => {
            items.iter().map(|item| cell("", item)).collect::<Vec<_>>().join(", ")
        }
        (None, other) => other.to_string(),
    }
}
