//! DuckDB opens the Parquet file and sees the numbers of the JSON. `make test` installs it; without
//! it the test is skipped.

use crate::common::{columns_of, sample};
use report::values::{Field, columns, to_csv, to_parquet};
use serde_json::Value;
use std::process::Command;

/// What is asked of DuckDB: the rows, the types, and what a reader would do with the table.
const SCRIPT: &str = r#"
import duckdb, json, sys
parquet, csv = sys.argv[1:3]
rows = duckdb.sql(f"select * from read_parquet('{parquet}')")
tail = duckdb.sql(f"""select value * 1e6 from read_parquet('{parquet}')
    where metric = 'read_lat_p99' and samples >= 500 and method = 'corner' limit 1""")
both = duckdb.sql(f"""select count(*) from read_parquet('{parquet}') p
    join read_csv('{csv}', all_varchar = true) c using (source, metric)""")
print(json.dumps({
    "names": rows.columns, "types": [str(t) for t in rows.types], "rows": rows.fetchall(),
    "tail": tail.fetchall()[0][0], "joined": both.fetchall()[0][0],
}))
"#;

#[test]
fn duckdb_sees_the_same_numbers() {
    let Some(python) = needs::python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (parquet, csv) = (folder.path().join("v.parquet"), folder.path().join("v.csv"));
    let rows = sample();
    std::fs::write(&parquet, to_parquet(&rows).unwrap()).unwrap();
    std::fs::write(&csv, to_csv(&rows)).unwrap();
    let output = Command::new(python).args(["-c", SCRIPT]).args([&parquet, &csv]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    let columns = columns(&rows);
    let names: Vec<&str> = columns.iter().map(Field::name).collect();
    assert_eq!(seen["names"], serde_json::json!(names));
    let kind = |name: &str| seen["types"][names.iter().position(|n| *n == name).unwrap()].clone();
    assert_eq!((kind("source"), kind("value")), ("VARCHAR".into(), "DOUBLE".into()));
    assert_eq!((kind("samples"), kind("exact")), ("BIGINT".into(), "BOOLEAN".into()));
    assert_eq!((kind("param.qd"), kind("fio.rw")), ("DOUBLE".into(), "VARCHAR".into()));
    assert_eq!(seen["rows"], serde_json::json!(columns_of(&rows)));
    assert_eq!(seen["tail"], 500.0, "us");
    assert!(seen["joined"].as_u64() >= Some(rows.len() as u64));
}
