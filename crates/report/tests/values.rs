//! One table of values in three formats: each reads back as the same numbers.

use crate::common::{arbitrary_rows, columns_of, sample};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field as Read;
use proptest::prelude::*;
use report::values::{Cell, ColumnType, Field, Row, columns, to_csv, to_json, to_parquet};
use serde_json::Value;

/// Cells of a Parquet file as JSON, a row a list.
fn from_parquet(bytes: Vec<u8>) -> Vec<Vec<Value>> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("it opens");
    let rows = reader.get_row_iter(None).expect("it has rows");
    let cell = |(_, field): (&String, &Read)| match field {
        Read::Null => Value::Null,
        Read::Str(text) => Value::from(text.as_str()),
        Read::Double(number) => Value::from(*number),
        Read::Long(count) => Value::from(*count),
        Read::Bool(flag) => Value::from(*flag),
        other => panic!("{other:?} is no type of a column"),
    };
    rows.map(|row| row.expect("a row").get_column_iter().map(cell).collect()).collect()
}

fn from_json(bytes: &[u8], columns: &[Field]) -> Vec<Vec<Value>> {
    let list: Vec<serde_json::Map<String, Value>> = serde_json::from_slice(bytes).expect("JSON");
    for object in &list {
        assert!(object.keys().eq(columns.iter().map(Field::name)), "{object:?}");
    }
    list.into_iter().map(|object| object.into_iter().map(|(_, value)| value).collect()).collect()
}

/// CSV has only texts: they are read as what their column is.
fn from_csv(bytes: &[u8], columns: &[Field]) -> Vec<Vec<Value>> {
    let mut reader = csv::Reader::from_reader(bytes);
    assert!(reader.headers().expect("names").iter().eq(columns.iter().map(Field::name)));
    let line = |line: csv::StringRecord| {
        let cells = line.iter().zip(columns).map(|(text, column)| match (text, column.kind()) {
            ("", _) if !column.is_always_there() => Value::Null,
            (text, ColumnType::Text) => Value::from(text),
            (text, _) => serde_json::from_str(text).expect("a number or a flag"),
        });
        cells.collect()
    };
    reader.records().map(|record| line(record.expect("a line"))).collect()
}

fn same(rows: &[Row]) {
    let mut wanted = columns_of(rows);
    let columns = columns(rows);
    assert_eq!(from_json(&to_json(rows), &columns), wanted);
    assert_eq!(from_parquet(to_parquet(rows).expect("it is made")), wanted);
    // CSV cannot tell an empty text from none.
    for (i, column) in columns.iter().enumerate().filter(|(_, c)| !c.is_always_there()) {
        for row in wanted.iter_mut().filter(|row| row[i] == "") {
            row[i] = Value::Null;
            assert_eq!(column.kind(), ColumnType::Text);
        }
    }
    assert_eq!(from_csv(&to_csv(rows), &columns), wanted);
}

#[test]
fn nothing_is_an_empty_table() {
    same(&[]);
    assert_eq!(to_json(&[]), b"[\n]\n");
}

#[test]
fn a_table_of_all_kinds_reads_back() {
    let rows = sample();
    assert!(rows.len() > 20, "{}", rows.len());
    // A column that no row fills would be tested by nothing.
    let columns = columns(&rows);
    for column in &columns {
        assert!(rows.iter().any(|r| column.cell(r) != Cell::Empty), "{} is empty", column.name());
    }
    for name in ["param.qd", "fio.bs", "fio.rw"] {
        assert!(columns.iter().any(|column| column.name() == name), "{name}");
    }
    same(&rows);
    assert_eq!(to_parquet(&rows).unwrap(), to_parquet(&rows).unwrap(), "the same bytes");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_table_reads_back(rows in arbitrary_rows()) {
        same(&rows);
    }
}
