//! Power losses and device failures.
use crate::kernel::Device;
use engine::narrow;

use super::{Machine, Node};
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// Power fails at one device; it is back at once. Returns how much acknowledged data it lost:
    /// a flash drive counts mapping units, everything else bytes.
    pub fn power_cut(&mut self, address: u16) -> u64 {
        let index = self.index(address);
        if self.nodes[index].is_source() {
            return 0;
        }
        // Events in flight belong to the time before: their address dies, the device gets another.
        self.cut_routes_to(index);
        let fresh = self.new_address(narrow(index));
        self.nodes[index].power_cut(&mut self.context, fresh)
    }

    /// Power fails everywhere at one instant and is back at once. Commands between the nodes are
    /// gone without a trace; those of workloads and from outside end as gone. Returns how many
    /// bytes of acknowledged data were lost, as the device nearest to the host counts them: what
    /// a device loses that a volume above it still holds is counted by nobody.
    pub fn power_cut_all(&mut self) -> u64 {
        debug_assert!(self.context.outgoing.is_empty(), "the machine is between two events");
        let inner = |node: u16| {
            let index = self.addresses.get(node as usize);
            index.is_some_and(|&i| !self.nodes[i as usize].is_source())
        };
        let orphans: Vec<CommandId> = self
            .context
            .commands
            .iter()
            .filter(|(_, command)| inner(command.parent) && !command.answered)
            .map(|(id, _)| id)
            .collect();
        for id in orphans {
            self.context.data.take(id);
            self.context.commands.remove(id);
        }
        let mut lost = 0;
        for index in 0..self.nodes.len() {
            if let Some(address) = self.addresses.iter().position(|&i| i as usize == index) {
                let units = self.power_cut(narrow(address));
                let bytes = match &self.nodes[index] {
                    Node::Drive(drive) => drive.config().unit_bytes(),
                    _ => 1,
                };
                lost += units * bytes;
            }
        }
        lost
    }

    /// The device at an address dies.
    pub fn fail(&mut self, address: u16) {
        let index = self.index(address);
        if self.nodes[index].is_source() {
            return;
        }
        self.nodes[index].fail(&mut self.context);
        self.cut_routes_to(index);
        self.hand_on();
    }
}
