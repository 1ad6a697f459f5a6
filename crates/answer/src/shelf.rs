//! The answers of `shelf`.

use crate::comparison::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A result on a shelf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shelved {
    /// The name that it was given: results of one name are runs of the same.
    pub name: String,
    /// The method.
    pub method: String,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// What was tested.
    pub target: String,
    /// The drive, its firmware and its serial number, where the Record knows them.
    pub drive: Option<String>,
    /// When it was measured, in UTC.
    pub date: String,
    /// Where it is.
    pub file: String,
}

/// Two names of a shelf side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShelfComparison {
    /// The first name; differences are to it.
    pub first: Side,
    /// The second name.
    pub second: Side,
    /// Confidence of the intervals, and of all verdicts together.
    pub confidence: f64,
    /// What both have, a row a metric.
    pub rows: Vec<ShelfRow>,
    /// Tests that only one of them has.
    pub alone: Vec<String>,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Its name.
    pub name: String,
    /// The drives that it was measured on.
    pub drives: Vec<String>,
    /// When it was measured, in UTC, in order.
    pub dates: Vec<String>,
}

/// A metric of a test that both sides have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShelfRow {
    /// The test in words.
    pub test: String,
    /// The point of a sweep, in words; empty of the whole.
    pub point: String,
    /// The metric.
    pub metric: String,
    /// Its base unit.
    pub unit: String,
    /// The value of each run of the first.
    pub first: Vec<f64>,
    /// The value of each run of the second.
    pub second: Vec<f64>,
    /// The mean of the second less that of the first, over that of the first.
    pub relative: Option<f64>,
    /// Half the width of its interval; `None` where a side has one run only.
    pub relative_half_width: Option<f64>,
    /// What the difference means; `None` where a side has one run only: one run says nothing about
    /// chance.
    pub verdict: Option<Verdict>,
}
