//! A whole system as resolved numbers, and the machine that is built of it.

use crate::cache::{Cache, CacheConfig};
use crate::config::DriveConfig;
use crate::disk::{Disk, DiskConfig};
use crate::drive::Drive;
use crate::machine::{Machine, Node};
use crate::path::{Path, PathConfig};
use crate::payload::Payload;
use crate::probe::Probe;
use crate::raid::{Raid, RaidConfig};
use crate::shared::{Pipe, PipeConfig};
use crate::tier::{Tier, TierConfig};
use crate::xpoint::{XPoint, XPointConfig};
use engine::{FifoServers, Stream};

/// One node; nodes below are named by their places in [`SystemSpec::nodes`], before this one.
#[derive(Clone, Debug)]
pub enum NodeSpec {
    /// A flash drive.
    Flash(Box<DriveConfig>),
    /// A hard disk.
    Disk(Box<DiskConfig>),
    /// A module of 3D XPoint.
    XPoint(Box<XPointConfig>),
    /// The way to a node.
    Path {
        /// What it costs.
        config: PathConfig,
        /// The node.
        below: usize,
    },
    /// A fast device before a slow one.
    Tier {
        /// What the tier does.
        config: Box<TierConfig>,
        /// The fast device.
        cache: usize,
        /// The slow device.
        backing: usize,
    },
    /// An array.
    Raid {
        /// Its level, shape and policies.
        config: Box<RaidConfig>,
        /// The members in the order of their slots, then the spares.
        members: Vec<usize>,
    },
    /// A write-back volume cache.
    Cache {
        /// What it does.
        config: Box<CacheConfig>,
        /// The node that it is in front of.
        below: usize,
    },
}

/// A system: nodes, those below before those above, and what they share. The last node is the one
/// that workloads address.
#[derive(Clone, Debug, Default)]
pub struct SystemSpec {
    /// All nodes.
    pub nodes: Vec<NodeSpec>,
    /// Shared links.
    pub pipes: Vec<PipeConfig>,
    /// Processors, by the number of cores in each pool.
    pub pools: Vec<u32>,
}

/// Where the nodes of a system are in its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Address of each node of the specification.
    pub addresses: Vec<u16>,
    /// Address of the last, which takes the commands of workloads.
    pub top: u16,
}

impl From<DriveConfig> for SystemSpec {
    /// A system of one flash drive.
    fn from(config: DriveConfig) -> Self {
        SystemSpec { nodes: vec![NodeSpec::Flash(Box::new(config))], ..SystemSpec::default() }
    }
}

impl SystemSpec {
    /// The places of all flash drives among the nodes.
    pub fn flash_places(&self) -> impl Iterator<Item = usize> + Clone {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| matches!(node, NodeSpec::Flash(_))).map(|(place, _)| place)
    }

    /// The configurations of all flash drives.
    pub fn flash(&self) -> impl Iterator<Item = &DriveConfig> + Clone {
        self.nodes.iter().filter_map(|node| match node {
            NodeSpec::Flash(config) => Some(config.as_ref()),
            _ => None,
        })
    }

    /// Builds the nodes in an empty machine. The first node draws from `seed` itself, so that a
    /// drive alone behaves the same inside and outside a system; every other one from a seed of
    /// its own.
    ///
    /// # Panics
    /// If there are no nodes, or one names a node that does not stand before it.
    pub fn build<P: Payload, O: Probe<P>>(&self, machine: &mut Machine<P, O>, seed: u64) -> Built {
        assert!(!self.nodes.is_empty(), "a system has at least one node");
        machine.context.shared.pipes = self.pipes.iter().map(|pipe| Pipe::new(*pipe)).collect();
        machine.context.shared.pools =
            self.pools.iter().map(|cores| FifoServers::new(*cores)).collect();
        let mut addresses: Vec<u16> = Vec::new();
        for place in 0..self.nodes.len() {
            let seed = match place {
                0 => seed,
                _ => Stream::new(seed, &format!("node/{place}")).bits(),
            };
            let address = self.add(machine, place, &addresses, seed);
            addresses.push(address);
        }
        let top = addresses[addresses.len() - 1];
        Built { addresses, top }
    }

    /// Adds the node of one place to a machine, fresh; `addresses` are those of the nodes below.
    /// Returns its address.
    ///
    /// # Panics
    /// If there is no such place, or no address of a node below it.
    pub fn add<P: Payload, O: Probe<P>>(
        &self,
        machine: &mut Machine<P, O>,
        place: usize,
        addresses: &[u16],
        seed: u64,
    ) -> u16 {
        match &self.nodes[place] {
            NodeSpec::Flash(config) => machine.add(|context, node| {
                let config = config.as_ref().clone();
                Node::Drive(Box::new(Drive::new(config, seed, context, node)))
            }),
            NodeSpec::Disk(config) => machine.add(|context, node| {
                Node::Disk(Box::new(Disk::new(config.as_ref().clone(), context, node)))
            }),
            NodeSpec::XPoint(config) => machine.add(|context, node| {
                Node::XPoint(Box::new(XPoint::new(config.as_ref().clone(), context, node)))
            }),
            NodeSpec::Path { config, below } => {
                let below = addresses[*below];
                let capacity = machine.capacity(below);
                machine.add(|_, node| {
                    Node::Path(Box::new(Path::new(config.clone(), below, capacity, node)))
                })
            }
            NodeSpec::Tier { config, cache, backing } => {
                let (cache, backing) = (addresses[*cache], addresses[*backing]);
                machine.add(|context, node| {
                    let config = config.as_ref().clone();
                    Node::Tier(Box::new(Tier::new(config, cache, backing, context, node)))
                })
            }
            NodeSpec::Cache { config, below } => {
                let below = addresses[*below];
                let capacity = machine.capacity(below);
                machine.add(|_, node| {
                    let config = config.as_ref().clone();
                    Node::Cache(Box::new(Cache::new(config, below, capacity, node)))
                })
            }
            NodeSpec::Raid { config, members } => {
                let below = members.iter().map(|&member| addresses[member]);
                let below: Vec<(u16, u64)> =
                    below.map(|address| (address, machine.capacity(address))).collect();
                machine.add(|_, node| {
                    let config = config.as_ref().clone();
                    Node::Raid(Box::new(Raid::new(config, &below, node)))
                })
            }
        }
    }
}
