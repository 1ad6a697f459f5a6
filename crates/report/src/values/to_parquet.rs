//! Rows as Parquet: one flat table that DuckDB, Polars and pandas open.

use super::Row;
use super::column::{Cell, ColumnType};
use super::setting::{Field, columns};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError as Inner;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// Rows of one row group: as many as readers like to take at once.
const GROUP: usize = 1 << 20;

/// Why a table could not be made.
#[derive(Debug)]
pub struct ParquetError(Inner);

impl std::fmt::Display for ParquetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the Parquet file cannot be made: {}", self.0)
    }
}

impl std::error::Error for ParquetError {}

impl From<Inner> for ParquetError {
    fn from(error: Inner) -> Self {
        Self(error)
    }
}

/// The file. Equal rows yield equal bytes.
///
/// # Errors
///
/// What the library refuses; rows of this crate give it no reason to.
pub fn to_parquet(rows: &[Row]) -> Result<Vec<u8>, ParquetError> {
    let columns = columns(rows);
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("values").with_fields(fields).build()?);
    // Texts repeat a thousandfold; the library's dictionaries keep each once.
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    for rows in rows.chunks(GROUP) {
        let mut group = file.next_row_group()?;
        for column in &columns {
            write(column, rows, &mut group)?;
        }
        group.close()?;
    }
    Ok(file.into_inner()?)
}

fn field(column: &Field) -> Result<Arc<Type>, Inner> {
    let (physical, logical) = match column.kind() {
        ColumnType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnType::Number => (PhysicalType::DOUBLE, None),
        ColumnType::Count => (PhysicalType::INT64, None),
        ColumnType::Flag => (PhysicalType::BOOLEAN, None),
    };
    let repetition = match column.is_always_there() {
        true => Repetition::REQUIRED,
        false => Repetition::OPTIONAL,
    };
    let builder = Type::primitive_type_builder(column.name(), physical);
    Ok(Arc::new(builder.with_logical_type(logical).with_repetition(repetition).build()?))
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn write(column: &Field, rows: &[Row], group: &mut Group<'_>) -> Result<(), Inner> {
    match column.kind() {
        ColumnType::Text => put::<ByteArrayType>(column, rows, group, |cell| match cell {
            Cell::Text(text) => Some(ByteArray::from(text)),
            _ => None,
        }),
        ColumnType::Number => put::<DoubleType>(column, rows, group, |cell| match cell {
            Cell::Number(number) => Some(number),
            _ => None,
        }),
        ColumnType::Count => put::<Int64Type>(column, rows, group, |cell| match cell {
            Cell::Count(count) => Some(i64::try_from(count).unwrap_or(i64::MAX)),
            _ => None,
        }),
        ColumnType::Flag => put::<BoolType>(column, rows, group, |cell| match cell {
            Cell::Flag(flag) => Some(flag),
            _ => None,
        }),
    }
}

/// Writes a column: the values that are there, and for each row whether one is.
fn put<T: DataType>(
    column: &Field,
    rows: &[Row],
    group: &mut Group<'_>,
    value: impl Fn(Cell<'_>) -> Option<T::T>,
) -> Result<(), Inner> {
    let Some(mut writer) = group.next_column()? else {
        return Err(Inner::General("the schema has too few columns".to_owned()));
    };
    let cells: Vec<Option<T::T>> = rows.iter().map(|row| value(column.cell(row))).collect();
    let there: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let levels = (!column.is_always_there()).then_some(there.as_slice());
    writer.typed::<T>().write_batch(&values, levels, None)?;
    writer.close()
}
