//! Rows of a report on endurance.

use crate::error::SmartError;
use crate::interval::Interval;

/// What a value counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes a day.
    BytesPerDay,
    /// Seconds.
    Seconds,
    /// Days.
    Days,
    /// A share of a whole, 1 being all of it.
    Share,
    /// A share a day.
    SharePerDay,
    /// A ratio.
    Ratio,
    /// Drive writes a day.
    DriveWritesPerDay,
    /// Program and erase cycles.
    Cycles,
    /// Money.
    Money {
        /// Currency as the user wrote it.
        currency: String,
        /// For each of what, for example `GB`.
        per: &'static str,
    },
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Short name, for JSON.
    pub key: &'static str,
    /// Name, as text.
    pub name: &'static str,
    /// Value and bounds.
    pub value: Interval,
    /// What it counts.
    pub unit: Unit,
    /// Where it comes from: a counter, or a formula over other rows.
    pub formula: String,
}

/// What the logs say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Results in the order in which they follow from each other.
    pub rows: Vec<Row>,
    /// What a reader should know beside them.
    pub notes: Vec<String>,
    /// Why there is no word about wear, if the counters do not suffice for one.
    pub shortfall: Option<SmartError>,
}

impl Report {
    /// Adds a row.
    pub(super) fn add(
        &mut self,
        key: &'static str,
        name: &'static str,
        value: Interval,
        unit: Unit,
        formula: impl Into<String>,
    ) {
        self.rows.push(Row { key, name, value, unit, formula: formula.into() });
    }

    /// The value of a row.
    pub fn get(&self, key: &str) -> Option<Interval> {
        self.rows.iter().find(|row| row.key == key).map(|row| row.value)
    }
}
