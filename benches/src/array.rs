//! A RAID 6 of many drives under random writes: how fast its drives' commands are simulated.

use crate::drive::{self, Special};
use crate::floor;
use crate::process::{Measured, cpu_seconds, peak_bytes};
use crate::work::{Recorder, Work, run_until};
use engine::Stream;
use iopath::device::flash::drive::DriveState;
use iopath::host::workload::Workload;
use iopath::machine::system::{NodeSpec, SystemSpec};
use iopath::machine::{Machine, Node};
use iopath::volume::raid::{Level, RaidConfig};

/// Stripe unit.
const CHUNK: u32 = 64 << 10;

/// Runs the work in this process. What is counted are the commands of the drives.
pub fn run(work: &Work) -> Measured {
    let config = drive::config(work.flash(), Special::None);
    let live = (config.user_bytes as f64 * work.live()) as u64;
    let members = work.members();
    let drives = (0..members).map(|_| NodeSpec::Flash(Box::new(config.clone())));
    let mut nodes: Vec<NodeSpec> = drives.collect();
    let array = RaidConfig::new(Level::Raid6, members, CHUNK);
    let parts = (0..members as usize).collect();
    nodes.push(NodeSpec::Raid { config: Box::new(array), members: parts });
    let spec = SystemSpec { nodes, ..SystemSpec::default() };
    let mut machine: Machine<(), Recorder> = Machine::new(Recorder::new());
    let built = spec.build(&mut machine, 1);
    let start = cpu_seconds();
    machine.prepare(&DriveState::Steady(work.live()), &mut Stream::new(1, "steady"));
    let precondition_s = cpu_seconds() - start;
    let span = live * u64::from(members - 2) / u64::from(CHUNK) * u64::from(CHUNK);
    let warm = work.warming();
    let threads = work.threads(built.top, span, warm);
    let workload = machine.add(|node| Node::Workload(Box::new(Workload::new(threads, 1, node))));
    machine.start(workload);
    run_until(&mut machine, warm);
    let commands = |machine: &Machine<(), Recorder>| -> u64 {
        let of = |&address: &u16| {
            let health = machine.drive(address).health();
            health.read_commands + health.write_commands
        };
        built.addresses[..members as usize].iter().map(of).sum()
    };
    let (cpu, before) = (cpu_seconds(), commands(&machine));
    run_until(&mut machine, warm + work.requests());
    let seconds = cpu_seconds() - cpu;
    let done = (commands(&machine) - before) as f64;
    machine.audit();
    let mapped_pages = live / 4096 * u64::from(members);
    Measured {
        requests_per_cpu_s: done / seconds,
        flash_ops_per_cpu_s: 0.0,
        peak_bytes: peak_bytes(),
        mapped_pages,
        precondition_us_per_page: Some(precondition_s * 1e6 / mapped_pages as f64),
        floor_per_cpu_s: floor::rate(mapped_pages, true),
        write_amplification: None,
        bytes_per_page: None,
    }
}
