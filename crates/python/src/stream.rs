//! A table as a stream of Arrow's C interface, which Polars, pandas, DuckDB and pyarrow take as it
//! is.

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A column; values that are absent are null.
#[derive(Deserialize)]
struct Column {
    name: String,
    /// Of all values, if they have one: it becomes metadata of the field.
    unit: Option<String>,
    values: Vec<Value>,
}

/// Columns, as JSON, as a capsule `arrow_array_stream`.
#[pyfunction]
pub fn stream<'py>(py: Python<'py>, columns: &str) -> PyResult<Bound<'py, PyCapsule>> {
    let wrong = |why: String| PyValueError::new_err(format!("a table has no Arrow form: {why}"));
    let columns: Vec<Column> =
        serde_json::from_str(columns).map_err(|why| wrong(why.to_string()))?;
    let batch = batch(columns).map_err(wrong)?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn batch(columns: Vec<Column>) -> Result<RecordBatch, String> {
    let rows = columns.first().map_or(0, |column| column.values.len());
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for column in columns {
        let array = array(&column.values);
        let field = Field::new(column.name, array.data_type().clone(), true);
        let unit = column.unit.map(|unit| ("unit".to_owned(), unit));
        fields.push(field.with_metadata(unit.into_iter().collect::<BTreeMap<_, _>>()));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    // A table of no columns has no rows either, but Arrow wants to be told.
    let rows = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &rows).map_err(|why| why.to_string())
}

/// Values of one type; of several types their texts.
fn array(values: &[Value]) -> ArrayRef {
    let all = |is: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is(value));
    if all(Value::is_boolean) {
        let mut array = BooleanBuilder::new();
        values.iter().for_each(|value| array.append_option(value.as_bool()));
        return Arc::new(array.finish());
    }
    if all(Value::is_i64) {
        let mut array = Int64Builder::new();
        values.iter().for_each(|value| array.append_option(value.as_i64()));
        return Arc::new(array.finish());
    }
    if all(Value::is_number) {
        let mut array = Float64Builder::new();
        values.iter().for_each(|value| array.append_option(value.as_f64()));
        return Arc::new(array.finish());
    }
    let mut array = StringBuilder::new();
    for value in values {
        match value {
            Value::Null => array.append_null(),
            Value::String(text) => array.append_value(text),
            other => array.append_value(other.to_string()),
        }
    }
    Arc::new(array.finish())
}
