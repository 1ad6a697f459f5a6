//! The columns: what each is, and how to get it from a row.

use super::Row;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text (UTF-8).
    Text,
    /// A floating-point number (64 bits).
    Number,
    /// A whole number from 0 (64 bits, signed in Parquet).
    Count,
    /// True or false.
    Flag,
}

/// The value of a row in a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'r> {
    /// Nothing.
    Empty,
    /// Text.
    Text(&'r str),
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// True or false.
    Flag(bool),
}

/// One column.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name in every format.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
    /// What it means; a column may be empty unless this says otherwise.
    pub doc: &'static str,
    /// Its cell of a row.
    pub cell: for<'r> fn(&'r Row) -> Cell<'r>,
}

impl Column {
    /// Whether every row has it.
    pub fn is_always_there(&self) -> bool {
        ALWAYS.contains(&self.name)
    }
}

/// Columns that are never empty.
const ALWAYS: [&str; 4] = ["source", "kind", "origin", "metric"];

fn text(text: Option<&str>) -> Cell<'_> {
    text.map_or(Cell::Empty, Cell::Text)
}

fn number(number: Option<f64>) -> Cell<'static> {
    // No format has the same word for what is no number.
    number.filter(|number| number.is_finite()).map_or(Cell::Empty, Cell::Number)
}

fn count(count: Option<u64>) -> Cell<'static> {
    // Parquet's whole numbers are signed.
    let most = i64::MAX.unsigned_abs();
    count.map_or(Cell::Empty, |count| Cell::Count(count.min(most)))
}

const fn column(
    name: &'static str,
    kind: ColumnType,
    cell: for<'r> fn(&'r Row) -> Cell<'r>,
    doc: &'static str,
) -> Column {
    Column { name, kind, doc, cell }
}

use ColumnType::{Count, Flag, Number, Text};

/// Every column, in order.
pub const COLUMNS: &[Column] = &[
    column("source", Text, |r| Cell::Text(&r.about.source), "file, as it was named; always there"),
    column(
        "hash",
        Text,
        |r| text(r.about.hash.as_deref()),
        "SHA-256 of the Record's result; empty where nothing proves the numbers",
    ),
    column(
        "version",
        Text,
        |r| text(r.about.version.as_deref()),
        "version of drivelab that made it, or of fio (`fio-3.33`)",
    ),
    column(
        "kind",
        Text,
        |r| Cell::Text(r.about.kind),
        "`fio-run`, `method`, `reproduction`, `comparison`, `fit` or `endurance`; always there",
    ),
    column("target", Text, |r| text(r.about.target.as_deref()), "drive, system or path"),
    column(
        "origin",
        Text,
        |r| Cell::Text(r.about.origin),
        "`measured` on something real, or `modelled`; always there",
    ),
    column("method", Text, |r| text(r.about.method.as_deref()), "review method"),
    column(
        "params",
        Text,
        |r| text(r.about.params.as_deref()),
        "parameters of the method: `name=value`, joined by `; `",
    ),
    column(
        "exact",
        Flag,
        |r| r.about.exact.map_or(Cell::Empty, Cell::Flag),
        "true: the method is as published; false: an approximation, told in `run_warnings`",
    ),
    column("state", Text, |r| text(r.about.state.as_deref()), "state of the drive at the start"),
    column("scale", Number, |r| number(r.about.scale), "simulated share of the capacity: 1 is all"),
    column("seed", Count, |r| count(r.about.seed), "seed of all random streams"),
    column("review", Text, |r| text(r.review.as_deref()), "review of a figure or claim"),
    column("figure", Text, |r| text(r.figure.as_deref()), "id of that figure or claim"),
    column("job", Text, |r| text(r.job.as_deref()), "job of a job file"),
    column(
        "point",
        Text,
        |r| text(r.point.as_deref()),
        "point of a sweep, `name=value` joined by `; `; else what tells rows of a metric apart",
    ),
    column(
        "time_s",
        Number,
        |r| number(r.time_s),
        "s since the beginning: the row is a point over time",
    ),
    column("metric", Text, |r| Cell::Text(&r.metric), "what was measured; always there"),
    column("value", Number, |r| number(r.value), "the number; empty if a run gave none"),
    column("unit", Text, |r| text(some(&r.unit)), "unit of the numbers of this row"),
    column("samples", Count, |r| count(r.samples), "how many samples it rests on"),
    column("low95", Number, |r| number(r.low95), "lower end of its 95 % interval"),
    column("high95", Number, |r| number(r.high95), "upper end of its 95 % interval"),
    column(
        "published",
        Number,
        |r| number(r.published),
        "what the review published, or what a model was fitted to",
    ),
    column(
        "bound",
        Text,
        |r| text(r.bound.as_deref()),
        "`min` or `max`: the published value is a bound; `range`: it is the lower end of one, the \
         upper stands in `warnings`",
    ),
    column(
        "basis",
        Text,
        |r| text(r.basis.as_deref()),
        "what the model knew of it: `fitted`, `predicted`, `input`, `not_modelled`",
    ),
    column(
        "verdict",
        Text,
        |r| text(r.verdict.as_deref()),
        "`hit`, `miss`, `held`, `open`, ...; of a comparison `better`, `worse`, `within noise`, \
         ...",
    ),
    column(
        "warnings",
        Text,
        |r| text(r.warnings.as_deref()),
        "what to keep in mind with this number, joined by `; `",
    ),
    column(
        "run_warnings",
        Text,
        |r| text(r.about.run_warnings.as_deref()),
        "what concerns the whole run: its scale, its budget, its method; joined by `; `",
    ),
];

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
