//! The condition of a modelled array while loads run on it.

use super::failure::Failure;
use super::model_target::ModelTarget;
use super::options::ArrayCondition;
use super::target::Target as _;
use iopath::machine::system::{NodeSpec, SystemSpec};
use iopath::volume::raid::Level;

/// The drive that fails.
const MEMBER: usize = 0;

/// Whether the array nearest to the host lives on without one of its drives.
pub(super) fn is_redundant(spec: &SystemSpec) -> bool {
    let array = spec.array_place().and_then(|place| spec.nodes.get(place));
    matches!(array, Some(NodeSpec::Raid { config, .. }) if config.level != Level::Raid0)
}

impl ModelTarget {
    /// Brings a whole array into its condition before a load.
    pub(super) fn disturb(&mut self) -> Result<(), Failure> {
        if self.array == ArrayCondition::Healthy || !self.rig.is_whole() {
            return Ok(());
        }
        self.rig.fail_member(MEMBER);
        match self.array {
            ArrayCondition::Rebuilding => self.rig.replace_member(MEMBER).map_err(Failure::failed),
            _ => Ok(()),
        }
    }

    /// Says after a load if the array got whole within it.
    pub(super) fn still_disturbed(&self) -> Result<(), Failure> {
        if self.array != ArrayCondition::Rebuilding || !self.rig.is_whole() {
            return Ok(());
        }
        Err(Failure::failed(
            "the rebuild ended before the load did: simulate more of the array (--scale)",
        ))
    }

    /// Time that the rebuild of the whole array takes beside the loads so far, s; `None` if there
    /// is none, or none of its windows was seen.
    pub(super) fn rebuild_time(&self) -> Option<f64> {
        if self.array != ArrayCondition::Rebuilding {
            return None;
        }
        let recovery = self.rig.array()?.recovery;
        let rate = recovery.busy.rate().or_else(|| recovery.idle.rate())?;
        Some(self.rig.member_bytes()? as f64 / rate / self.scale())
    }
}
