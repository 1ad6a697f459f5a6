//! A drive or a system as what will run.

use super::super::host_path::HostPath;
use super::least::Least;
use iopath::machine::system::SystemSpec;

/// A drive or system that can be built.
#[derive(Clone, Debug)]
pub struct ResolvedSystem {
    /// The nodes at the scale.
    pub spec: SystemSpec,
    /// Simulated over real bytes; 1 if everything is simulated whole.
    pub scale: f64,
    /// Bytes that the host sees in reality, after what was given up: of all devices together.
    pub real_bytes: u64,
    /// The same of each device, in the order of the host.
    pub devices: Vec<u64>,
    /// Capacity of its drives together as sold, bytes: what a scale in bytes is a part of.
    pub drive_bytes: u64,
    /// What the host's software costs.
    pub host: HostPath,
    /// What the user should know although it works.
    pub warnings: Vec<String>,
    /// Accesses that it is too small for at the scale.
    pub least: Vec<Least>,
}
