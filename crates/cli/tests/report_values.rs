//! The table of values made of real runs, read as `docs/report-values.md` says.

use crate::common::made;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A folder with the Records of two methods on a modelled drive.
fn runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let usual = ["--on", "p4510", "--scale", "4Mi units", "--quiet", "--overwrite"];
    let usual = [&usual[..], &["--output", "out.txt"]].concat();
    let corner = ["test", "corner", "--param", "op=read", "--param", "qd=16", "--budget", "250ms"];
    made(folder.path(), &[&corner[..], &usual, &["--record", "corner.json"]].concat());
    let mixed = ["test", "mixed", "--param", "read=70 %", "--param", "qd=4", "--budget", "10ms"];
    made(folder.path(), &[&mixed[..], &usual, &["--record", "mixed.json"]].concat());
    folder
}

fn rows(folder: &Path, records: &[&str]) -> Vec<Value> {
    let arguments = [&["report"], records, &["--quiet", "--format", "json"]].concat();
    serde_json::from_str(&made(folder, &arguments)).unwrap()
}

fn text<'r>(row: &'r Value, column: &str) -> &'r str {
    row[column].as_str().unwrap_or_default()
}

#[test]
fn a_warning_stands_only_with_the_rows_that_it_concerns() {
    let folder = runs();
    let rows = rows(folder.path(), &["corner.json", "mixed.json"]);
    for row in &rows {
        assert_eq!(row["origin"], "modelled");
        let (metric, warnings) = (text(row, "metric"), text(row, "warnings"));
        assert_eq!(warnings.contains("iops_cv"), metric == "iops_cv", "{row}");
        assert_eq!(warnings.contains("samples"), warnings.contains("rests on"), "{row}");
        assert!(!warnings.contains("simulated at"), "{row}");
        let run = text(row, "run_warnings");
        assert_eq!(run.matches("simulated at 1/").count(), 1, "the scale once: {row}");
        assert!(!run.contains("iops_cv"), "{row}");
    }
    let usable = |metric: &str, method: &str| {
        let is = |row: &&Value| text(row, "metric") == metric && text(row, "method") == method;
        rows.iter().filter(is).all(|row| row["warnings"].is_null())
    };
    assert!(usable("iops", "corner") && usable("read_lat_p99.99", "corner"));
    assert!(!usable("read_lat_p99.99", "mixed"), "of 8000 samples it is not");
}

#[test]
fn the_documented_query_finds_the_rows_that_can_be_used() {
    let Some(python) = needs::python() else { return };
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report-values.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```sql\n").expect("a query");
    let (sql, _) = rest.split_once("```").expect("its end");
    let folder = runs();
    made(folder.path(), &["report", "corner.json", "mixed.json", "-o", "values.parquet"]);
    let script = "import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.argv[1]).fetchall()))";
    let output = Command::new(python)
        .current_dir(folder.path())
        .args(["-c", script, sql.trim().trim_end_matches(';')])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<Vec<Value>> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.len(), 1, "that of `mixed` rests on too few samples: {found:?}");
    let (target, origin, us) = (&found[0][0], &found[0][1], found[0][3].as_f64().unwrap());
    assert_eq!((target.as_str(), origin.as_str()), (Some("p4510-8tb"), Some("modelled")));
    assert!((50.0..50_000.0).contains(&us), "{us} us");
}

#[test]
fn the_rows_of_a_variation_have_its_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let compare = [
        "compare",
        "sn850-1tb",
        "sn850-1tb@give_up=10%",
        "--method",
        "corner@op=write,pattern=rand",
        "--metric",
        "iops",
        "--repeats",
        "2",
        "--budget",
        "5ms",
        "--scale",
        "4Mi units",
        "--quiet",
        "--output",
        "out.txt",
        "--record",
        "c.json",
    ];
    made(folder.path(), &compare);
    let rows = rows(folder.path(), &["c.json"]);
    let give_up = |row: &Value| -> String {
        let params = text(row, "params").split("; ");
        params.filter_map(|pair| pair.strip_prefix("give_up=")).collect()
    };
    for row in &rows {
        let varied = text(row, "target").contains("@give_up=10 %");
        assert_eq!(give_up(row), if varied { "10 %" } else { "0 %" }, "{row}");
    }
    assert_eq!(rows.len(), 3, "two means and their difference");
}
