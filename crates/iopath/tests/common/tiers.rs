//! A cache tier over two small flash drives whose times a test sets.

use super::*;
use iopath::machine::system::{Built, NodeSpec, SystemSpec};
use iopath::volume::tier::TierConfig;

/// A drive of some 10 MB whose reads and writes take these microseconds, with a buffer that hides
/// nothing unless it is volatile.
pub fn leaf(name: &str, read: u64, write: u64, protection: Protection) -> DriveConfig {
    let mut config = config(geometry(), 1.2);
    config.name = name.to_owned();
    config.nand.sense = vec![us(read)];
    config.nand.program = vec![us(write)];
    config.buffer.protection = protection;
    config
}

/// A drive that keeps what it acknowledged in a volatile buffer until much has been written.
pub fn forgetful(name: &str) -> DriveConfig {
    let g = Geometry { page_bytes: 16384, pages_per_wl: 2, planes: 2, ..geometry() };
    let mut config = config(g, 1.5);
    config.name = name.to_owned();
    config.buffer.protection = Protection::Volatile;
    config
}

/// A machine of a tier over two drives: cache, backing, tier.
pub fn tiered<P: Payload, O: Probe<P>>(
    cache: DriveConfig,
    backing: DriveConfig,
    tier: TierConfig,
    probe: O,
) -> (Machine<P, O>, Built) {
    let nodes = vec![
        NodeSpec::Flash(Box::new(cache)),
        NodeSpec::Flash(Box::new(backing)),
        NodeSpec::Tier { config: Box::new(tier), cache: 0, backing: 1 },
    ];
    let spec = SystemSpec { nodes, ..SystemSpec::default() };
    let mut machine = Machine::new(probe);
    let built = spec.build(&mut machine, 1);
    (machine, built)
}
