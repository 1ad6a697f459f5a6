//! What may hold a system back besides its flash drives: shared links and processors, the threads
//! of arrays, the arms of disks and the dies of modules.

use iopath::kernel::probe::Probe;
use iopath::machine::{Machine, Node};
use stats::LimitedBy;

/// Something that works, and how long it has.
pub(super) struct Worker {
    /// What it limits a run by.
    pub by: LimitedBy,
    /// What it is called.
    pub name: &'static str,
    /// Time at work, ps.
    pub busy_ps: u64,
    /// How many of it work side by side.
    pub servers: u32,
}

/// All of a machine, in an order that stays the same.
pub(super) fn workers<O: Probe<()>>(machine: &Machine<(), O>) -> Vec<Worker> {
    let mut all = Vec::new();
    let mut add = |by, name, busy: engine::Duration, servers| {
        all.push(Worker { by, name, busy_ps: busy.ps(), servers });
    };
    for pipe in &machine.context.shared.pipes {
        let (down, up) = pipe.busy();
        add(LimitedBy::System, "shared link to the drives", down, 1);
        add(LimitedBy::System, "shared link to the host", up, 1);
    }
    for pool in &machine.context.shared.pools {
        add(LimitedBy::System, "shared processor", pool.busy(), pool.servers());
    }
    for node in machine.nodes() {
        match node {
            Node::Raid(raid) => {
                if let Some((busy, threads)) = raid.busy() {
                    add(LimitedBy::System, "threads of the array", busy, threads);
                }
            }
            Node::Disk(disk) => {
                let [down, up] = disk.wires_busy();
                add(LimitedBy::Media, "the arm of the disk", disk.arm_busy(), 1);
                add(LimitedBy::Link, "link to the disk", down, 1);
                add(LimitedBy::Link, "link from the disk", up, 1);
            }
            Node::XPoint(module) => {
                let [down, up] = module.link_busy();
                add(LimitedBy::Media, "the dies of the module", module.busy(), 1);
                add(LimitedBy::Cores, "the controller of the module", module.gate_busy(), 1);
                add(LimitedBy::Link, "link to the module", down, 1);
                add(LimitedBy::Link, "link from the module", up, 1);
            }
            _ => {}
        }
    }
    all
}
