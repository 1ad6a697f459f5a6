//! What can be said about reports.

use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

const HELP: &str = "\
A file is a Record (`--record` of run, test, compare, reproduce or fit), the JSON that one of them,
endurance, choose, sweep, fleet or twin printed with --json, or what fio wrote with
--output-format=json or json+. Text before and after fio's JSON is passed over. Logs that fio's
options name (write_bw_log and the like) are read if they lie beside the JSON.

A file that cannot be used is named on standard error and in the report; the rest is made.

`csv`, `json` and `parquet` hold one row a value, with its unit and where it comes from.

Examples:
  drivelab report out/*.record.json -o report.html
  drivelab report monday.json tuesday.json -o report.html --title 'Before and after the update'
  drivelab report p5430.record.json -o values.parquet
  fio --output-format=json+ job.fio | drivelab report - --format csv";

/// Arguments of `report`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ReportArgs {
    /// Records, or JSON of fio; `-` reads standard input
    #[arg(required = true, value_name = "RECORD")]
    pub inputs: Vec<PathBuf>,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Form of the report [default: by the ending of the output; without one, markdown]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<ReportFormat>,
    /// Title of the report
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// A sentence at the head of the report, as often as there are some: what is missing, and why
    #[arg(long, value_name = "TEXT")]
    pub note: Vec<String>,
    /// Who made the tests: it stands in the header of those of SNIA
    #[arg(long, value_name = "NAME")]
    pub operator: Option<String>,
    /// Target that others are drawn against [default: the first]
    #[arg(long, value_name = "DRIVE")]
    pub reference: Option<String>,
    /// Points over time as rows too, in csv, json and parquet
    #[arg(long)]
    pub series: bool,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
    /// No warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page with charts, which opens offline
    Html,
    /// Text with tables
    Markdown,
    /// Values, one a row
    Csv,
    /// The same as a JSON array of objects
    Json,
    /// The same for DuckDB, Polars and pandas
    Parquet,
}

impl ReportFormat {
    /// The format of a file name extension.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "parquet" => Self::Parquet,
            _ => return None,
        })
    }
}
