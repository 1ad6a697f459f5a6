//! Results as text and Markdown for people. Never runs anything.
//!
//! A [`Table`] aligns columns; [`reproduction`] renders the answer of `drivelab reproduce`, fresh
//! or out of a saved Record, [`comparison`] that of `drivelab compare`; [`run`] sums up a run.
//! [`document()`] makes a whole report out of [`Source`]s, [`page`] and [`markdown`] write it.

mod agreement;
mod choice;
pub mod comparison;
pub mod document;
mod fleet;
mod fleet_months;
mod html;
pub mod limited;

mod markdown;
mod number;
mod picture;
mod problem;
mod quantity;
pub mod reproduction;
pub mod run;
pub mod source;
mod sweep;
mod table;
pub mod values;
mod wide;

pub use agreement::{Agreement, Apart};
pub use choice::choice_table;
pub use comparison::comparison_table;
pub use fleet::fleet_table;
pub use fleet_months::{fleet_months_csv, fleet_months_parquet};
pub use html::page;
pub use markdown::markdown;
pub use number::published;
pub use picture::{Options, document};
pub use problem::Problem;
pub use reproduction::{reproduction_markdown, reproduction_table};
pub use run::{record_summary, run_summary};
pub use source::Source;
pub use sweep::sweep_table;
pub use table::{Align, Column, Table};
pub use wide::{Cells, WideColumn, wide_parquet};
