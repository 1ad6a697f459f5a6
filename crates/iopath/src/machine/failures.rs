//! Losses of power and deaths of devices.

use super::{Machine, Node};
use crate::command::CommandId;
use crate::payload::Payload;
use crate::probe::Probe;

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// Power fails at one device; it is back at once. Returns how much acknowledged data it lost:
    /// a flash drive counts mapping units, everything else bytes.
    pub fn power_cut(&mut self, address: u16) -> u64 {
        let index = self.index(address);
        if matches!(self.nodes[index], Node::Workload(_) | Node::Oltp(_)) {
            return 0;
        }
        // Events under way belong to the time before: their address dies, the device gets another.
        self.cut_routes_to(index);
        let fresh = self.new_address(index as u16);
        let context = &mut self.context;
        device!(
            &mut self.nodes[index],
            device => device.power_cut(context, fresh),
            workload => 0
        )
    }

    /// Power fails everywhere at one instant and is back at once. Commands between the nodes are
    /// gone without a trace; those of workloads and from outside end as gone. Returns how many
    /// bytes of acknowledged data were lost, as the device nearest to the host counts them: what
    /// a device loses that a volume above it still holds is counted by nobody.
    pub fn power_cut_all(&mut self) -> u64 {
        debug_assert!(self.context.outgoing.is_empty(), "the machine is between two events");
        let inner = |node: u16| {
            let index = self.addresses.get(node as usize);
            index.is_some_and(|&i| {
                !matches!(self.nodes[i as usize], Node::Workload(_) | Node::Oltp(_))
            })
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
                let units = self.power_cut(address as u16);
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
        let context = &mut self.context;
        device!(&mut self.nodes[index], device => device.fail(context), workload => return);
        self.cut_routes_to(index);
        self.hand_on();
    }
}
