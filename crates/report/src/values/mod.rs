//! All numbers of a report as tidy rows: one value a row, with its unit and where it comes from.
//!
//! [`rows`] reads sources of every kind; [`COLUMNS`] says what each column is, and [`columns`]
//! which of parameters and options there are besides; [`to_csv`],
//! [`to_json`] and [`to_parquet`] write them. The columns are documented in
//! `docs/report-values.md`, which a test compares with this table.

mod choice;
mod collect;
mod column;
mod comparison;
mod fio_run;
mod fit;
mod fleet;
mod latency;
mod measured;
mod reproduction;
mod series;
mod setting;
mod sweep;
mod text;
mod to_parquet;
mod twin;
mod warned;

pub use column::{COLUMNS, Cell, Column, ColumnType};
pub use setting::{Field, Settings, columns, fio_number, options};
pub use text::{to_csv, to_json};
pub use to_parquet::{ParquetError, to_parquet};

use crate::{Problem, Source};
use collect::Collect;
use std::sync::Arc;

/// Where the values of a row come from; rows of one measurement share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// File name.
    pub source: String,
    /// Hash of the Record; `None` if it is no proven Record.
    pub hash: Option<String>,
    /// Version of drivelab, or of the fio that wrote the file (`fio-3.33`).
    pub version: Option<String>,
    /// Kind of result: `fio-run`, `method`, `reproduction`, `comparison`, `fit` or `endurance`.
    pub kind: &'static str,
    /// Drive, system or path.
    pub target: Option<String>,
    /// Whether it is real: `measured` or `modelled`.
    pub origin: &'static str,
    /// Review method.
    pub method: Option<String>,
    /// Its parameters, `name=value` joined by `; `.
    pub params: Option<String>,
    /// State of the drive at the start.
    pub state: Option<String>,
    /// Simulated share of the capacity, 0 to 1.
    pub scale: Option<f64>,
    /// Seed of the random streams.
    pub seed: Option<u64>,
    /// Whether the method is as published (true) or an approximation of it (false).
    pub exact: Option<bool>,
    /// Its parameters or options one by one.
    pub settings: Settings,
    /// What concerns the whole run or file rather than single numbers, joined by `; `.
    pub run_warnings: Option<Arc<str>>,
}

/// One value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Where it comes from.
    pub about: Arc<About>,
    /// Review of a published figure or claim.
    pub review: Option<Arc<str>>,
    /// Id of that figure or claim.
    pub figure: Option<Arc<str>>,
    /// Job of a job file.
    pub job: Option<Arc<str>>,
    /// Point of a sweep, or what else distinguishes rows of one metric.
    pub point: Option<Arc<str>>,
    /// Parameters of that point, which count before those of the run.
    pub at: Option<Arc<Settings>>,
    /// Time since the beginning, s, of a point over time.
    pub time_s: Option<f64>,
    /// What was measured.
    pub metric: Arc<str>,
    /// The value; `None` if there is none, e.g. of a figure whose run failed.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: Arc<str>,
    /// On how many samples it rests.
    pub samples: Option<u64>,
    /// Lower end of its 95 % interval, in its unit.
    pub low95: Option<f64>,
    /// Upper end of its 95 % interval, in its unit.
    pub high95: Option<f64>,
    /// What was published or measured elsewhere, in its unit.
    pub published: Option<f64>,
    /// `min` or `max` if the published value is a bound.
    pub bound: Option<Arc<str>>,
    /// What the model knew of the published value: `fitted`, `predicted`, `input`, ...
    pub basis: Option<Arc<str>>,
    /// `hit`, `miss`, `held`, `failed`, `better`, `worse`, ...
    pub verdict: Option<Arc<str>>,
    /// What to keep in mind with this number, joined by `; `.
    pub warnings: Option<Arc<str>>,
}

/// A unit as reviews write it: how many base units one of it is, and the base unit.
pub type ToBase = fn(&str) -> Option<(f64, &'static str)>;

/// What is collected, and how units of reviews are understood.
#[derive(Clone, Copy)]
pub struct Options {
    /// Points over time too: series of methods and fio's logs.
    pub series: bool,
    /// Units that are not base units yet; one that is unknown is left as it is.
    pub to_base: ToBase,
}

/// The rows of all sources in their order, and what could not be read.
pub fn rows(sources: &[Source], options: &Options) -> (Vec<Row>, Vec<Problem>) {
    let mut all = (Vec::new(), Vec::new());
    for source in sources {
        let mut collect = Collect::new(source, *options);
        collect.source();
        all.0.append(&mut collect.rows);
        all.1.append(&mut collect.problems);
    }
    all
}

#[cfg(test)]
mod tests;
