//! A fresh machine brought into a state in zero time.

use super::{Machine, Node};
use crate::device::flash::drive::DriveState;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::spread::Spread;
use engine::Stream;

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// Brings every flash drive of a fresh machine into a state: members of arrays into the one
    /// that random writes to the array lead to. The random choices of each follow from its own part
    /// of `stream`. Returns whether it took next to no time, as [`Drive::prepare_member`] says.
    ///
    /// [`Drive::prepare_member`]: crate::device::flash::drive::Drive::prepare_member
    pub fn prepare(&mut self, state: &DriveState, stream: &mut Stream) -> bool {
        let mut is_quick = true;
        for place in 0..self.nodes.len() {
            let spread = self.spread(place, state.run());
            if let Node::Drive(drive) = &mut self.nodes[place] {
                is_quick &= drive.prepare_member(state, spread.as_ref(), stream);
            }
        }
        is_quick
    }

    /// How random writes of so many units to an array reach the drive in this place. `None` if it
    /// is in no array, or all of it is written alike.
    fn spread(&self, place: usize, run: u32) -> Option<Spread> {
        let Node::Drive(drive) = &self.nodes[place] else { return None };
        let unit = u64::from(drive.config().geometry.unit_bytes);
        self.nodes.iter().find_map(|node| {
            let Node::Raid(raid) = node else { return None };
            let slot = raid.slots().find(|&(_, address)| self.index(address) == place)?.0;
            raid.spread(slot, u64::from(run) * unit, unit)
        })
    }

    /// Brings every tier of a fresh machine into the state after long random writes.
    pub fn fill_tiers_at_random(&mut self, stream: &mut Stream) {
        for node in &mut self.nodes {
            if let Node::Tier(tier) = node {
                tier.fill_at_random(stream);
            }
        }
    }
}
