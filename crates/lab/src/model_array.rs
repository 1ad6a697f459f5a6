//! The condition of a modelled array while loads run on it.

use super::failure::Failure;
use super::method::Method;
use super::model_target::ModelTarget;
use super::options::ArrayCondition;
use super::steps::Step;
use super::target::Target as _;
use iopath::machine::system::{NodeSpec, SystemSpec};
use iopath::volume::raid::{Level, RaidConfig};

/// The array nearest to the host, if it lives on without one of its drives.
fn redundant(spec: &SystemSpec) -> Option<&RaidConfig> {
    match spec.array_place().and_then(|place| spec.nodes.get(place))? {
        NodeSpec::Raid { config, .. } if config.level != Level::Raid0 => Some(config),
        _ => None,
    }
}

/// The conditions in which a system can be.
pub(super) fn of(spec: &SystemSpec) -> Vec<ArrayCondition> {
    let can_be = |condition: &ArrayCondition| match (condition, redundant(spec)) {
        (ArrayCondition::Healthy, _) => true,
        (_, None) => false,
        (ArrayCondition::Degraded, Some(array)) => array.spares == 0,
        (ArrayCondition::Rebuilding, Some(_)) => true,
    };
    ArrayCondition::ALL.into_iter().filter(can_be).collect()
}

/// Whether a system can be in a condition under a method.
pub(super) fn check(
    condition: ArrayCondition,
    slug: &str,
    spec: &SystemSpec,
    method: &Method,
) -> Result<(), String> {
    let word = condition.word();
    if !of(spec).contains(&condition) {
        let why = match redundant(spec) {
            None => "it does not live on without one of its drives",
            Some(_) => "a spare drive takes the place of one that fails",
        };
        return Err(format!("`{slug}` cannot be {word}: {why}"));
    }
    // Other steps do more to their target than to prepare it and to run loads on it.
    let is_plain = |step: &Step| {
        matches!(
            step,
            Step::Prepare(_)
                | Step::WriteFor(_)
                | Step::Idle(_)
                | Step::File(_)
                | Step::Job(_)
                | Step::JobFile(_)
                | Step::Only(_)
                | Step::Sweep(_)
                | Step::Pick(_)
                | Step::Point(_)
        )
    };
    match condition == ArrayCondition::Healthy || all(&method.steps, &is_plain) {
        true => Ok(()),
        false => Err(format!("`{}` is measured on healthy arrays only", method.name)),
    }
}

fn all(steps: &[Step], holds: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().all(|step| holds(step) && all(step.inner(), holds))
}

impl ModelTarget {
    /// Whether a drive of it can be rebuilt.
    pub(super) fn rebuildable(&self) -> Result<(), Failure> {
        let spec = self.rig.system();
        let why = match (spec.array_place(), redundant(spec)) {
            (_, Some(_)) => return Ok(()),
            (None, None) => "the target is no array of drives: there is nothing to rebuild",
            (Some(_), None) => {
                "the array does not live on without one of its drives: none is rebuilt"
            }
        };
        Err(Failure::left_out(why))
    }

    /// Brings a whole array into its condition before a load.
    pub(super) fn disturb(&mut self) -> Result<(), Failure> {
        if self.array == ArrayCondition::Healthy || !self.rig.is_whole() {
            return Ok(());
        }
        let none = || Failure::failed("the array has no drive that can fail");
        let member = self.rig.array_member().ok_or_else(none)?;
        self.rig.hold_rebuild();
        self.rig.fail_member(member);
        match (self.array, self.rig.array_spares()) {
            (ArrayCondition::Rebuilding, 0) => {
                self.rig.replace_member(member).map_err(Failure::failed)
            }
            // A spare takes its place by itself.
            _ => Ok(()),
        }
    }

    /// Time that the rebuild of the whole array takes beside the loads so far, s; `None` if there
    /// is none, if none of its windows was seen, or if its pace changes on the way and the
    /// beginning says nothing of the rest.
    pub(super) fn rebuild_time(&self) -> Option<f64> {
        if self.array != ArrayCondition::Rebuilding || self.rig.array_has_slc_cache() {
            return None;
        }
        let recovery = self.rig.array()?.recovery;
        Some(self.rig.member_bytes()? as f64 / recovery.busy.rate()? / self.scale())
    }
}
