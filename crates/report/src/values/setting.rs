//! Parameters of methods and options of job files as columns of their own: `param.qd`, `fio.bs`.

use super::column::{COLUMNS, Cell, Column, ColumnType};
use super::{About, Row};
use crate::quantity;
use std::collections::BTreeMap;

/// Settings of a row: the name of the column, and the value as it was written.
pub type Settings = Vec<(String, String)>;

/// Parameters as settings.
pub(super) fn params<'p>(params: impl IntoIterator<Item = (&'p str, &'p str)>) -> Settings {
    let setting = |(name, value): (&str, &str)| (format!("param.{name}"), value.to_owned());
    params.into_iter().map(setting).collect()
}

/// Parameters in a cell: `name=value`, joined by `; `; nothing without any.
pub(super) fn brief<'p>(params: impl IntoIterator<Item = (&'p str, &'p str)>) -> Option<String> {
    let pairs: Vec<String> = params.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
    (!pairs.is_empty()).then(|| pairs.join("; "))
}

/// The options of a job, as settings: its own before those of all jobs.
pub fn options<'o>(all: impl Iterator<Item = &'o (String, String)>) -> Settings {
    let mut settings = Settings::new();
    for (name, value) in all {
        // An option has one column, by whichever of its names it was written.
        let known = fio::options::find(name);
        let name = format!("fio.{}", known.map_or(name.as_str(), |option| option.name));
        if !settings.iter().any(|(known, _)| *known == name) {
            // An option without a value is a switch that is on.
            let value = if value.is_empty() { "1" } else { value };
            settings.push((name, value.to_owned()));
        }
    }
    settings
}

/// A column of a table: one that every table has, or a setting that occurs in it.
#[derive(Clone)]
pub enum Field {
    /// One of [`COLUMNS`].
    Fixed(&'static Column),
    /// A parameter or an option.
    Setting {
        /// Its name: `param.NAME` or `fio.NAME`.
        name: String,
        /// Whether all its values are numbers of one unit, which then stand in the base unit.
        numbers: bool,
    },
}

impl Field {
    /// Its name in every format.
    pub fn name(&self) -> &str {
        match self {
            Self::Fixed(column) => column.name,
            Self::Setting { name, .. } => name,
        }
    }

    /// Its type.
    pub fn kind(&self) -> ColumnType {
        match self {
            Self::Fixed(column) => column.kind,
            Self::Setting { numbers: true, .. } => ColumnType::Number,
            Self::Setting { numbers: false, .. } => ColumnType::Text,
        }
    }

    /// Whether every row has it.
    pub fn is_always_there(&self) -> bool {
        matches!(self, Self::Fixed(column) if column.is_always_there())
    }

    /// Its cell of a row.
    pub fn cell<'r>(&self, row: &'r Row) -> Cell<'r> {
        match self {
            Self::Fixed(column) => (column.cell)(row),
            Self::Setting { name, numbers } => match (setting(row, name), numbers) {
                (None, _) => Cell::Empty,
                (Some(text), false) => Cell::Text(text),
                (Some(text), true) => {
                    number(name, text).map_or(Cell::Empty, |(number, _)| Cell::Number(number))
                }
            },
        }
    }
}

/// What a row has of a setting: that of its point, or else of its run.
fn setting<'r>(row: &'r Row, name: &str) -> Option<&'r str> {
    let all = row.at.iter().flat_map(|at| at.iter()).chain(&row.about.settings);
    all.filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).next()
}

/// The columns of a table of these rows: all of [`COLUMNS`], then the parameters and then the
/// options that occur, each by name.
pub fn columns(rows: &[Row]) -> Vec<Field> {
    /// The unit of a setting so far; `None` once a value is no number or of another unit.
    type Unit = Option<&'static str>;
    let mut found: BTreeMap<(bool, &str), Unit> = BTreeMap::new();
    let mut last: Option<&About> = None;
    for row in rows {
        let about =
            (!last.is_some_and(|last| std::ptr::eq(last, &*row.about))).then(|| &*row.about);
        last = Some(&row.about);
        let own = about.into_iter().flat_map(|about| &about.settings);
        for entry in own.chain(row.at.iter().flat_map(|at| at.iter())) {
            let key = (entry.0.starts_with("fio."), entry.0.as_str());
            let unit = number(&entry.0, &entry.1).map(|(_, unit)| unit);
            found
                .entry(key)
                .and_modify(|known| *known = known.filter(|_| *known == unit))
                .or_insert(unit);
        }
    }
    let fixed = COLUMNS.iter().map(Field::Fixed);
    let settings = found
        .into_iter()
        .map(|((_, name), unit)| Field::Setting { name: name.to_owned(), numbers: unit.is_some() });
    fixed.chain(settings).collect()
}

/// A setting as a number in its base unit, and that unit.
fn number(name: &str, text: &str) -> Option<(f64, &'static str)> {
    let found = match name.strip_prefix("fio.") {
        Some(option) => fio_number(option, text),
        None => quantity::parse(text),
    };
    // 70 % is 0.7 and not 0.7000000000000001: a query asks for what people wrote.
    let rounded = |number: f64| format!("{number:.12e}").parse().unwrap_or(number);
    let finite = found.filter(|(number, _)| number.is_finite());
    finite.map(|(number, unit)| (rounded(number), unit))
}

/// Options of fio that are numbers of bytes.
const BYTES: [&str; 10] = [
    "bs",
    "ba",
    "bssplit",
    "size",
    "filesize",
    "io_size",
    "offset",
    "offset_increment",
    "rate",
    "rate_min",
];
/// Options of fio that are times.
const TIMES: [&str; 7] = [
    "runtime",
    "ramp_time",
    "startdelay",
    "steadystate_duration",
    "thinktime",
    "latency_target",
    "latency_window",
];

/// An option of fio as a number, as fio reads it: bytes, s, or a plain number.
pub fn fio_number(option: &str, text: &str) -> Option<(f64, &'static str)> {
    if TIMES.contains(&option) {
        let microseconds = fio::options::find(option)?.microseconds(text)?;
        return Some((microseconds as f64 / 1e6, "s"));
    }
    if BYTES.contains(&option) {
        return Some((fio::bytes(text)? as f64, "B"));
    }
    Some((text.trim().parse().ok()?, "1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn row(settings: &[(&str, &str)], at: &[(&str, &str)]) -> Row {
        let owned = |list: &[(&str, &str)]| -> Settings {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let about = About { settings: owned(settings), ..About::default() };
        let at = (!at.is_empty()).then(|| Arc::new(owned(at)));
        Row { about: Arc::new(about), at, ..Row::default() }
    }

    fn cells<'r>(rows: &'r [Row], name: &str) -> Vec<Cell<'r>> {
        let fields = columns(rows);
        let field = fields.iter().find(|field| field.name() == name).expect(name);
        rows.iter().map(|row| field.cell(row)).collect()
    }

    #[test]
    fn each_parameter_is_a_column_and_a_number_where_it_is_one() {
        let rows = [
            row(&[("param.read", "70 %"), ("param.block", "4 KiB"), ("param.qd", "4")], &[]),
            row(&[("param.read", "100 %"), ("param.block", "mixed")], &[("param.qd", "16")]),
            row(&[("fio.bs", "4k"), ("fio.rw", "randread"), ("fio.runtime", "2m")], &[]),
        ];
        let all = columns(&rows);
        let names: Vec<&str> = all[COLUMNS.len()..].iter().map(Field::name).collect();
        let wanted = ["param.block", "param.qd", "param.read", "fio.bs", "fio.runtime", "fio.rw"];
        assert_eq!(names, wanted, "parameters, then options");
        assert_eq!(cells(&rows, "param.read")[..2], [Cell::Number(0.7), Cell::Number(1.0)]);
        assert_eq!(cells(&rows, "param.qd")[..2], [Cell::Number(4.0), Cell::Number(16.0)]);
        assert_eq!(cells(&rows, "param.block")[..2], [Cell::Text("4 KiB"), Cell::Text("mixed")]);
        assert_eq!(cells(&rows, "fio.bs"), [Cell::Empty, Cell::Empty, Cell::Number(4096.0)]);
        assert_eq!(cells(&rows, "fio.runtime")[2], Cell::Number(120.0));
        assert_eq!(cells(&rows, "fio.rw")[2], Cell::Text("randread"));
    }

    #[test]
    fn options_are_read_as_fio_reads_them() {
        assert_eq!(fio_number("bs", "128KiB"), Some((128_000.0, "B")));
        assert_eq!(fio_number("size", "1g"), Some((1_073_741_824.0, "B")));
        assert_eq!(fio_number("size", "50%"), None);
        assert_eq!(number("fio.thinktime", "50"), Some((50e-6, "s")));
        assert_eq!(fio_number("iodepth", "32"), Some((32.0, "1")));
        assert_eq!(fio_number("rw", "randread"), None);
        let job = [("rw".to_owned(), "read".to_owned()), ("readwrite".to_owned(), "x".to_owned())];
        let settings = options(job.iter());
        assert_eq!(settings, [("fio.rw".to_owned(), "read".to_owned())], "the first counts");
    }

    #[test]
    fn values_that_fio_refuses_are_no_numbers() {
        assert_eq!(fio_number("size", "(2*1g)"), Some((2_147_483_648.0, "B")));
        assert_eq!(fio_number("bs", "0x1000"), Some((4096.0, "B")));
        for (option, text) in [("size", "1.5g"), ("bs", "4i"), ("bs", "4k,8k"), ("runtime", "1.5")]
        {
            assert_eq!(fio_number(option, text), None, "{option}={text}");
        }
    }

    #[test]
    fn options_with_units_stand_under_the_names_of_their_columns() {
        for option in BYTES.iter().chain(&TIMES) {
            assert_eq!(fio::options::find(option).map(|row| row.name), Some(*option));
        }
    }
}
