//! The `[faults]` section of a drive file: what a drive does about data that it cannot read, or
//! soon could not.

use super::nand_file::YesNo;
use super::sourced::Sourced;
use engine::{Count, Ratio};
use iopath::device::flash::cell::refresh::RefreshPolicy;
use schemars::JsonSchema;
use serde::Deserialize;

/// What a drive does about errors of its cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultsFile {
    /// `"yes"` if a lost page is put together from the other dies of its stripe; needs parity.
    pub rebuild: Option<Sourced<YesNo>>,
    /// Share of the correctable raw bit error rate above which data is rewritten.
    pub refresh_share: Option<Sourced<Ratio>>,
    /// Reads of a block after which it is rewritten.
    pub refresh_reads: Option<Sourced<Count>>,
}

impl FaultsFile {
    /// What cannot be, if anything: byte offset, message, help.
    pub(super) fn check(&self) -> Result<(), (usize, String, String)> {
        if let Some(share) = &self.refresh_share
            && !(0.01..=1.0).contains(&share.get().fraction())
        {
            let message = format!("data cannot be refreshed at {} of the limit", share.get());
            return Err((share.at(), message, "use 1 % to 100 %".to_owned()));
        }
        if let Some(reads) = &self.refresh_reads
            && reads.get().number < 1000
        {
            let message = format!("{} wear a drive out by reading it", reads.get());
            return Err((reads.at(), message, "give at least 1000 reads of a block".to_owned()));
        }
        Ok(())
    }

    /// True if lost pages are rebuilt.
    pub(super) fn rebuilds(&self) -> bool {
        self.rebuild.as_ref().is_some_and(|flag| flag.get().is_yes())
    }

    /// When data is rewritten.
    pub(super) fn refresh(&self) -> Option<RefreshPolicy> {
        if self.refresh_share.is_none() && self.refresh_reads.is_none() {
            return None;
        }
        Some(RefreshPolicy {
            share: self.refresh_share.as_ref().map_or(f64::INFINITY, |s| s.get().fraction()),
            reads: self.refresh_reads.as_ref().map(|reads| reads.get().number as f64),
        })
    }
}
