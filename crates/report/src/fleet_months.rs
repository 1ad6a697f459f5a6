//! The months of a fleet as a table: for spreadsheets with commas, for DuckDB, Polars and pandas as
//! Parquet.

use crate::values::ParquetError;
use crate::wide::{Cells, WideColumn, wide_parquet};
use answer::Fleet;
use answer::fleet::FleetMonth;

/// All months of all purchases, with commas.
pub fn fleet_months_csv(fleet: &Fleet) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |line: Vec<String>| {
        // Writing to memory does not fail, and all lines have the same length.
        let _ = writer.write_record(line);
    };
    let columns = columns(fleet);
    put(columns.iter().map(|column| column.name.clone()).collect());
    for row in 0..months(fleet).count() {
        put(columns.iter().map(|column| column.cells.text(row)).collect());
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The same as Parquet.
///
/// # Errors
///
/// What the library refuses; columns of one length give it no reason to.
pub fn fleet_months_parquet(fleet: &Fleet) -> Result<Vec<u8>, ParquetError> {
    wide_parquet(&columns(fleet), &[("schema".to_owned(), fleet.schema.clone())])
}

/// Each month with the name of its purchase.
fn months(fleet: &Fleet) -> impl Iterator<Item = (&String, &FleetMonth)> {
    fleet.purchases.iter().flat_map(|one| one.months.iter().map(|month| (&one.name, month)))
}

fn columns(fleet: &Fleet) -> Vec<WideColumn> {
    let column = |name: &str, cells: Cells| WideColumn { name: name.to_owned(), cells };
    let numbers = |get: &dyn Fn(&FleetMonth) -> Option<f64>| {
        Cells::Numbers(months(fleet).map(|(_, month)| get(month)).collect())
    };
    let wear = |i: usize| numbers(&|month| Some(month.wear[i]));
    let names = months(fleet).map(|(name, _)| Some(name.clone())).collect();
    let counts = months(fleet).map(|(_, month)| Some(u64::from(month.month))).collect();
    vec![
        column("purchase", Cells::Texts(names)),
        column("month", Cells::Counts(counts)),
        column("wear_mean", numbers(&|month| month.wear_mean)),
        column("wear_p50", wear(0)),
        column("wear_p95", wear(1)),
        column("wear_p99", wear(2)),
        column("wear_p99.9", wear(3)),
        column("past_rated", numbers(&|month| Some(month.past_rated))),
        column("early", numbers(&|month| Some(month.gone.early))),
        column("random", numbers(&|month| Some(month.gone.random))),
        column("worn_out", numbers(&|month| Some(month.gone.worn_out))),
        column("retired", numbers(&|month| Some(month.gone.retired))),
    ]
}
