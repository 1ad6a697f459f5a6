//! A table of named columns as Parquet: a row is what its maker says, a cell may be empty.

use crate::values::ParquetError;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError as Inner;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct WideColumn {
    /// Its name.
    pub name: String,
    /// Its cells, one a row.
    pub cells: Cells,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Words.
    Texts(Vec<Option<String>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Counts(Vec<Option<u64>>),
}

impl Cells {
    /// A cell as text; empty where there is none.
    pub fn text(&self, row: usize) -> String {
        match self {
            Cells::Texts(list) => list[row].clone().unwrap_or_default(),
            Cells::Numbers(list) => list[row].map(|number| number.to_string()).unwrap_or_default(),
            Cells::Counts(list) => list[row].map(|count| count.to_string()).unwrap_or_default(),
        }
    }

    fn kind(&self) -> (PhysicalType, Option<LogicalType>) {
        match self {
            Cells::Texts(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Cells::Numbers(_) => (PhysicalType::DOUBLE, None),
            Cells::Counts(_) => (PhysicalType::INT64, None),
        }
    }
}

/// The file; `about` is kept beside the table, by name. Equal tables yield equal bytes.
///
/// # Errors
///
/// What the library refuses; columns of one length give it no reason to.
pub fn wide_parquet(
    columns: &[WideColumn],
    about: &[(String, String)],
) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("points").with_fields(fields).build()?);
    let about = about.iter().map(|(name, text)| KeyValue::new(name.clone(), text.clone()));
    let properties =
        WriterProperties::builder().set_key_value_metadata(Some(about.collect())).build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in columns {
        write(column, &mut group)?;
    }
    group.close()?;
    Ok(file.into_inner()?)
}

fn field(column: &WideColumn) -> Result<Arc<Type>, Inner> {
    let (physical, logical) = column.cells.kind();
    let builder = Type::primitive_type_builder(&column.name, physical);
    Ok(Arc::new(builder.with_logical_type(logical).with_repetition(Repetition::OPTIONAL).build()?))
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn write(column: &WideColumn, group: &mut Group<'_>) -> Result<(), Inner> {
    match &column.cells {
        Cells::Texts(cells) => {
            put::<ByteArrayType, _>(cells, group, |text| ByteArray::from(text.as_str()))
        }
        Cells::Numbers(cells) => put::<DoubleType, _>(cells, group, |number| *number),
        Cells::Counts(cells) => {
            put::<Int64Type, _>(cells, group, |count| i64::try_from(*count).unwrap_or(i64::MAX))
        }
    }
}

/// Writes a column: the values that are there, and for each row whether one is.
fn put<T: DataType, C>(
    cells: &[Option<C>],
    group: &mut Group<'_>,
    value: impl Fn(&C) -> T::T,
) -> Result<(), Inner> {
    let Some(mut writer) = group.next_column()? else {
        return Err(Inner::General("the schema has too few columns".to_owned()));
    };
    let there: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.iter().flatten().map(value).collect();
    writer.typed::<T>().write_batch(&values, Some(&there), None)?;
    writer.close()
}
