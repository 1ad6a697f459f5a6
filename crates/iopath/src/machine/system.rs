//! A whole system as resolved numbers, and the machine that is built of it.

use crate::device::disk::{Disk, DiskConfig};
use crate::device::flash::config::DriveConfig;
use crate::device::flash::drive::{Drive, Namespaces};
use crate::device::xpoint::{XPoint, XPointConfig};
use crate::host::path::{Path, PathConfig};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::shared::{Pipe, PipeConfig};
use crate::machine::{Machine, Node};
use crate::volume::cache::{Cache, CacheConfig};
use crate::volume::raid::{Layout, Raid, RaidConfig};
use crate::volume::tier::{Tier, TierConfig};
use engine::{FifoServers, Stream, narrow};
use std::collections::BTreeMap;

/// One node; nodes below are named by their places in [`SystemSpec::nodes`], before this one.
#[derive(Clone, Debug)]
pub enum NodeSpec {
    /// A flash drive.
    Flash(Box<DriveConfig>),
    /// A hard disk.
    Disk(Box<DiskConfig>),
    /// A module of 3D XPoint.
    XPoint(Box<XPointConfig>),
    /// The path to a node.
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

/// A block device as the host sees it: a range of a node that commands address from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceSpec {
    /// The place of the node that takes its commands.
    pub node: usize,
    /// Its namespace on the drive that the node is or leads to, from 0.
    pub namespace: u16,
    /// First byte on the node.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A system: nodes, those below before those above, what they share, and what the host sees.
#[derive(Clone, Debug, Default)]
pub struct SystemSpec {
    /// All nodes.
    pub nodes: Vec<NodeSpec>,
    /// Shared links.
    pub pipes: Vec<PipeConfig>,
    /// Processors, by the number of cores in each pool.
    pub pools: Vec<u32>,
    /// Block devices in the order in which the host lists them; without any, the last node as a
    /// whole.
    pub devices: Vec<DeviceSpec>,
    /// Flash drives that are divided into namespaces, by their places; one namespace is the whole
    /// drive for all others.
    pub namespaces: BTreeMap<usize, Namespaces>,
}

/// A block device in a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDevice {
    /// Address of the node that takes its commands.
    pub address: u16,
    /// The namespace that they name.
    pub namespace: u16,
    /// First byte on the node, for what is done to the node without commands.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Where the nodes of a system are in its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Address of each node of the specification.
    pub addresses: Vec<u16>,
    /// Address of the last, which takes the commands of workloads if no devices are given.
    pub top: u16,
    /// What the host sees, at least one unless all namespaces are detached.
    pub devices: Vec<BlockDevice>,
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

    /// The places of all drives among the nodes: flash, disks and 3D XPoint.
    pub fn drive_places(&self) -> impl Iterator<Item = usize> + Clone {
        let leaf = |node: &NodeSpec| {
            matches!(node, NodeSpec::Flash(_) | NodeSpec::Disk(_) | NodeSpec::XPoint(_))
        };
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(move |(_, node)| leaf(node)).map(|(place, _)| place)
    }

    /// The place of the array nearest to the host.
    pub fn array_place(&self) -> Option<usize> {
        self.nodes.iter().rposition(|node| matches!(node, NodeSpec::Raid { .. }))
    }

    /// Its write-back volume caches.
    pub fn caches(&self) -> impl Iterator<Item = &CacheConfig> {
        self.nodes.iter().filter_map(|node| match node {
            NodeSpec::Cache { config, .. } => Some(config.as_ref()),
            _ => None,
        })
    }

    /// The configurations of all flash drives.
    pub fn flash(&self) -> impl Iterator<Item = &DriveConfig> + Clone {
        self.nodes.iter().filter_map(|node| match node {
            NodeSpec::Flash(config) => Some(config.as_ref()),
            _ => None,
        })
    }

    /// The same for a host of its own, which adds what it adds: completions vary by nothing.
    #[must_use]
    pub fn without_jitter(&self) -> Self {
        let mut system = self.clone();
        for node in &mut system.nodes {
            match node {
                NodeSpec::Flash(config) => config.link.jitter = None,
                NodeSpec::Disk(config) => config.link.jitter = None,
                NodeSpec::XPoint(config) => config.link.jitter = None,
                _ => {}
            }
        }
        system
    }

    /// Builds the nodes in an empty machine. The first node draws from `seed` itself, so that a
    /// drive alone behaves the same inside and outside a system; every other one from a seed of
    /// its own.
    ///
    /// # Panics
    /// If there are no nodes, or one names a node that does not precede it.
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
        for (&place, table) in &self.namespaces {
            machine.drive_mut(addresses[place]).set_namespaces(table.clone());
        }
        let top = addresses[addresses.len() - 1];
        debug_assert_eq!(addresses, self.first_addresses(), "an empty machine");
        let devices = self.host_devices(&addresses);
        Built { addresses, top, devices }
    }

    /// The addresses of the nodes in a machine that was empty before.
    pub fn first_addresses(&self) -> Vec<u16> {
        (0..narrow(self.nodes.len())).collect()
    }

    /// Bytes that commands to the node at a place can address.
    pub fn capacity(&self, place: usize) -> u64 {
        match &self.nodes[place] {
            NodeSpec::Flash(config) => config.user_bytes,
            NodeSpec::Disk(config) => config.user_bytes,
            NodeSpec::XPoint(config) => config.user_bytes,
            NodeSpec::Path { below, .. } | NodeSpec::Cache { below, .. } => self.capacity(*below),
            NodeSpec::Tier { config, .. } => config.backing_bytes,
            NodeSpec::Raid { config, members } => {
                let least = members.iter().map(|&member| self.capacity(member)).min();
                Layout::new(config, least.unwrap_or(0)).capacity()
            }
        }
    }

    /// The devices in a machine in which the nodes have these addresses.
    pub fn host_devices(&self, addresses: &[u16]) -> Vec<BlockDevice> {
        if self.devices.is_empty() && self.namespaces.is_empty() {
            let address = addresses[addresses.len() - 1];
            let bytes = self.capacity(self.nodes.len() - 1);
            return vec![BlockDevice { address, namespace: 0, start: 0, bytes }];
        }
        let built = |device: &DeviceSpec| BlockDevice {
            address: addresses[device.node],
            namespace: device.namespace,
            start: device.start,
            bytes: device.bytes,
        };
        self.devices.iter().map(built).collect()
    }

    /// The places of all drives at and below one place: flash, disks and 3D XPoint.
    pub fn leaves_below(&self, place: usize) -> Vec<usize> {
        let (mut open, mut leaves) = (vec![place], Vec::new());
        while let Some(place) = open.pop() {
            match &self.nodes[place] {
                NodeSpec::Flash(_) | NodeSpec::Disk(_) | NodeSpec::XPoint(_) => leaves.push(place),
                NodeSpec::Path { below, .. } | NodeSpec::Cache { below, .. } => open.push(*below),
                NodeSpec::Tier { cache, backing, .. } => open.extend([*cache, *backing]),
                NodeSpec::Raid { members, .. } => open.extend(members),
            }
        }
        leaves.sort_unstable();
        leaves
    }

    /// The configurations of all flash drives at and below one place.
    pub fn flash_below(&self, place: usize) -> impl Iterator<Item = &DriveConfig> {
        self.leaves_below(place).into_iter().filter_map(|leaf| match &self.nodes[leaf] {
            NodeSpec::Flash(config) => Some(config.as_ref()),
            _ => None,
        })
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
            NodeSpec::Flash(config) => machine.add(|node| {
                let config = config.as_ref().clone();
                Node::Drive(Box::new(Drive::new(config, seed, node)))
            }),
            NodeSpec::Disk(config) => machine
                .add(|node| Node::Disk(Box::new(Disk::new(config.as_ref().clone(), seed, node)))),
            NodeSpec::XPoint(config) => machine.add(|node| {
                Node::XPoint(Box::new(XPoint::new(config.as_ref().clone(), seed, node)))
            }),
            NodeSpec::Path { config, below } => {
                let below = addresses[*below];
                let capacity = machine.capacity(below);
                machine.add(|node| {
                    Node::Path(Box::new(Path::new(config.clone(), below, capacity, node)))
                })
            }
            NodeSpec::Tier { config, cache, backing } => {
                let (cache, backing) = (addresses[*cache], addresses[*backing]);
                machine.add(|node| {
                    let config = config.as_ref().clone();
                    Node::Tier(Box::new(Tier::new(config, cache, backing, node)))
                })
            }
            NodeSpec::Cache { config, below } => {
                let below = addresses[*below];
                let capacity = machine.capacity(below);
                machine.add(|node| {
                    let config = config.as_ref().clone();
                    Node::Cache(Box::new(Cache::new(config, below, capacity, node)))
                })
            }
            NodeSpec::Raid { config, members } => {
                let below = members.iter().map(|&member| addresses[member]);
                let below: Vec<(u16, u64)> =
                    below.map(|address| (address, machine.capacity(address))).collect();
                machine.add(|node| {
                    let config = config.as_ref().clone();
                    Node::Raid(Box::new(Raid::new(config, &below, node)))
                })
            }
        }
    }
}
