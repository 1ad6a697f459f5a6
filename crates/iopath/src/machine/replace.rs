//! A new drive in the place of one that failed.

use super::Machine;
use super::system::{Built, NodeSpec, SystemSpec};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::Stream;

impl SystemSpec {
    /// The place of the array that a drive is a member of, and the nodes from the drive up to it:
    /// between them there may be paths. `None` if it is no member of an array.
    fn up_to_the_array(&self, drive: usize) -> Option<(usize, Vec<usize>)> {
        let mut chain = vec![drive];
        loop {
            let below = chain[chain.len() - 1];
            let above = self.nodes.iter().position(|node| match node {
                NodeSpec::Path { below: own, .. } => *own == below,
                NodeSpec::Raid { members, .. } => members.contains(&below),
                _ => false,
            })?;
            match self.nodes[above] {
                NodeSpec::Raid { .. } => return Some((above, chain)),
                _ => chain.push(above),
            }
        }
    }

    /// Puts a fresh drive of the same model in the place of the one at `drive`, which its array
    /// then rebuilds; `built` is the system in the machine. Returns false, with nothing done, if
    /// the drive is no member of an array.
    pub fn replace<P: Payload, O: Probe<P>>(
        &self,
        machine: &mut Machine<P, O>,
        built: &mut Built,
        drive: usize,
        seed: u64,
    ) -> bool {
        let Some((array, chain)) = self.up_to_the_array(drive) else { return false };
        let last = chain[chain.len() - 1];
        let old = built.addresses[last];
        for (step, place) in chain.iter().enumerate() {
            let name = format!("replacement/{}/{step}", machine.context.queue.now().ps());
            let seed = Stream::new(seed, &name).bits();
            built.addresses[*place] = self.add(machine, *place, &built.addresses, seed);
        }
        machine.replace_member(built.addresses[array], old, built.addresses[last]);
        true
    }
}
