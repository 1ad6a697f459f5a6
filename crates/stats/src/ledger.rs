//! Where the bytes of a layer went, by cause.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why bytes were moved.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The host asked for it.
    Host,
    /// Valid data copied out of a block to be erased.
    Copies,
    /// Redundancy inside the drive or the array.
    Parity,
    /// Filling up a unit that had to be written whole.
    Padding,
    /// The rest of a unit of which the host wrote a part.
    ReadModifyWrite,
    /// From single-level to multi-level cells.
    Folding,
    /// Rewriting what was about to become unreadable.
    Refresh,
    /// Maps and journals.
    Metadata,
    /// Moved so that cold data does not spare its blocks the wear.
    Levelling,
}

/// Number of causes.
const CAUSES: usize = 9;

impl Cause {
    /// All causes, in the order of a report.
    pub const ALL: [Self; CAUSES] = [
        Self::Host,
        Self::Copies,
        Self::Parity,
        Self::Padding,
        Self::ReadModifyWrite,
        Self::Folding,
        Self::Refresh,
        Self::Metadata,
        Self::Levelling,
    ];

    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        [
            "host",
            "copies",
            "parity",
            "padding",
            "read_modify_write",
            "folding",
            "refresh",
            "metadata",
            "levelling",
        ][self as usize]
    }
}

/// Bytes that a layer moved, by cause, beside the total that was counted independently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "LedgerText", from = "LedgerText")]
pub struct Ledger {
    name: String,
    bytes: [u64; CAUSES],
    counted_total_bytes: Option<u64>,
}

/// The causes do not sum up to the total.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{ledger}: the causes sum up to {sum_bytes} bytes, but {total_bytes} were moved")]
pub struct Imbalance {
    /// Which ledger.
    pub ledger: String,
    /// Sum over the causes.
    pub sum_bytes: u64,
    /// The total counted independently.
    pub total_bytes: u64,
}

impl Ledger {
    /// An empty ledger, named by the layer and the act, e.g. `nand programs`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Books bytes.
    #[inline]
    pub fn add(&mut self, cause: Cause, bytes: u64) {
        let entry = &mut self.bytes[cause as usize];
        *entry = entry.saturating_add(bytes);
    }

    /// What was booked for a cause, bytes.
    pub fn bytes(&self, cause: Cause) -> u64 {
        self.bytes[cause as usize]
    }

    /// Sum over the causes, bytes, saturating.
    pub fn sum(&self) -> u64 {
        self.bytes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Bytes moved for each byte of the host (write amplification, if the ledger is of NAND
    /// programs); `None` without host bytes.
    pub fn amplification(&self) -> Option<f64> {
        let host = self.bytes(Cause::Host);
        (host > 0).then(|| self.sum() as f64 / host as f64)
    }

    /// Stores the independently counted total, so that a reader of the Record can check again.
    pub fn set_counted_total(&mut self, total_bytes: u64) {
        self.counted_total_bytes = Some(total_bytes);
    }

    /// Whether the causes sum up exactly to `total_bytes`.
    ///
    /// # Errors
    /// If they do not: both totals.
    pub fn check_sum(&self, total_bytes: u64) -> Result<(), Imbalance> {
        let sum_bytes = self.sum();
        if sum_bytes == total_bytes {
            return Ok(());
        }
        Err(Imbalance { ledger: self.name.clone(), sum_bytes, total_bytes })
    }

    /// [`Ledger::check_sum`] against the stored total; passes if none was stored.
    ///
    /// # Errors
    /// If the causes do not add up to the stored total.
    pub fn check(&self) -> Result<(), Imbalance> {
        self.counted_total_bytes.map_or(Ok(()), |total| self.check_sum(total))
    }
}

/// A ledger in JSON: only the causes that occurred.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LedgerText {
    name: String,
    bytes: BTreeMap<Cause, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    counted_total_bytes: Option<u64>,
}

impl From<Ledger> for LedgerText {
    fn from(ledger: Ledger) -> Self {
        let entries = Cause::ALL.into_iter().zip(ledger.bytes);
        Self {
            name: ledger.name,
            bytes: entries.filter(|(_, bytes)| *bytes > 0).collect(),
            counted_total_bytes: ledger.counted_total_bytes,
        }
    }
}

impl From<LedgerText> for Ledger {
    fn from(text: LedgerText) -> Self {
        let mut ledger = Self::new(text.name);
        text.bytes.into_iter().for_each(|(cause, bytes)| ledger.add(cause, bytes));
        ledger.counted_total_bytes = text.counted_total_bytes;
        ledger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_too_many_is_found() {
        let mut ledger = Ledger::new("nand programs");
        ledger.add(Cause::Host, 4096);
        ledger.add(Cause::Copies, 4096);
        assert!(ledger.check_sum(8192).is_ok());
        assert_eq!(ledger.amplification(), Some(2.0));
        ledger.set_counted_total(8191);
        let error = ledger.check().expect_err("one byte is missing");
        assert_eq!((error.sum_bytes, error.total_bytes), (8192, 8191));
        let text = serde_json::to_string(&ledger).expect("serialises");
        assert!(text.contains(r#""bytes":{"host":4096,"copies":4096}"#), "{text}");
        assert_eq!(serde_json::from_str::<Ledger>(&text).expect("parses"), ledger);
    }

    #[test]
    fn names_agree_with_json() {
        for cause in Cause::ALL {
            let text = serde_json::to_string(&cause).expect("serialises");
            assert_eq!(text, format!("\"{}\"", cause.name()));
        }
    }
}
