//! All tests of the crate in one binary: it is linked once.

mod browser;
mod common;
mod duckdb;
mod values;
