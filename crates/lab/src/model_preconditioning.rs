//! Hours of writing on modelled drives, without most of their time.

use super::failure::Failure;
use super::model_target::ModelTarget;
use super::preconditioning::Preconditioning;
use super::prewrite;
use super::target::Target;
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::DriveState;
use iopath::machine::system::{NodeSpec, SystemSpec};
use simulate::{Rig, RunOptions};

/// Parts of the hour on the fast path. It is several times what the steady state takes, so the rate
/// is asked for a few times only.
const PARTS: u32 = 6;
impl ModelTarget {
    /// Preconditions flash drives that stand alone, each with all of its space for itself; `false`
    /// if the target is something else.
    pub(super) fn preconditioned(&mut self, asked: &Preconditioning) -> Result<bool, Failure> {
        let (scale, host) = (self.scale(), RunOptions { host: self.host, ..RunOptions::default() });
        if self.rig.single().is_some() {
            write(&mut self.rig, scale, asked, host)?;
            return Ok(true);
        }
        let Some(config) = side_by_side(self.rig.system()) else { return Ok(false) };
        let mut one = Rig::new(config, scale, asked.seed);
        write(&mut one, scale, asked, host)?;
        self.rig.prepare(&DriveState::Fresh);
        self.rig.set_ftls(std::iter::repeat(one.ftl()));
        self.rig.skip_time(asked.sequential_s + asked.random_s);
        Ok(true)
    }
}

/// The drive of which all of a system are, each a device of its own.
fn side_by_side(system: &SystemSpec) -> Option<DriveConfig> {
    let alone = |node: &NodeSpec| matches!(node, NodeSpec::Flash(_) | NodeSpec::Path { .. });
    let first = system.flash().next()?;
    // Variants of a model bear one name; what they are is all they say.
    let said = |config: &DriveConfig| format!("{config:?}");
    let wanted = said(first);
    let like = |config: &DriveConfig| said(config) == wanted;
    let all = system.nodes.iter().all(alone) && system.flash().all(like);
    let whole = system.devices.len() == system.flash().count() && system.namespaces.is_empty();
    (all && whole).then(|| first.clone())
}

/// Writes one drive: in order as a whole, then its tested part at random. In order, a second pass
/// leaves the same as any number of them.
fn write(
    rig: &mut Rig,
    scale: f64,
    asked: &Preconditioning,
    host: RunOptions<'static>,
) -> Result<(), Failure> {
    rig.prepare(&DriveState::Fresh);
    rig.fill();
    if asked.sequential_s > 0.0 {
        rig.fill();
        rig.skip_time(asked.sequential_s);
    }
    let load = asked.random(&[rig.real_bytes()]);
    if asked.random_s > 0.0 {
        prewrite::load_in_parts(rig, scale, asked.random_s, PARTS, &load, asked.seed, host)?;
    }
    Ok(())
}
