//! What a drive keeps while it is switched off: its map and wear, and the counters of its health.
//! The namespaces that hosts have made are kept beside what it holds, from the moment when they are
//! made.
//!
//! A line of JSON with counters, then the state of each flash drive, then what each
//! tier holds in its fast device. An array without a cache remembers nothing once its members
//! agree, and hard disks and modules of 3D XPoint nothing once they have written what they had
//! accepted. What write caches of arrays remember is not kept.

use super::LiveDrive;
use engine::{Duration, Instant};
use iopath::device::flash::ftl::snapshot::SnapshotError;
use iopath::device::health::Health;
use iopath::kernel::command::{Command, Op};
use iopath::machine::system::NodeSpec;
use iopath::volume::raid::RaidHealth;
use iopath::volume::tier::TierStateError;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

/// What the first line says that it is.
const FORMAT: &str = "drivelab/switched-off/2";
/// Longest first line, bytes.
const LONGEST: u64 = 1 << 20;

/// Why a state is not that of a drive.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// Something else altogether.
    #[error("it is no state of a served drive")]
    Foreign,
    /// Of another number of drives.
    #[error("it is the state of {is} drives, and there are {wanted}")]
    OtherNumber {
        /// The drives of the state.
        is: usize,
        /// Those that are served.
        wanted: usize,
    },
    /// Of another model or damaged.
    #[error("{0}")]
    Drive(#[from] SnapshotError),
    /// Of a cache of another shape or damaged.
    #[error("{0}")]
    Tier(#[from] TierStateError),
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// What a drive has behind it from before it was switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Past {
    /// Time with power, s.
    seconds: f64,
    /// How often it was switched on.
    cycles: u64,
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    drivelab: String,
    power_on_s: f64,
    power_cycles: u64,
    drives: Vec<Counters>,
}

/// What is counted of a drive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counters {
    health: Health,
    /// Units that it had written when it was prepared.
    prepared_units: u64,
}

/// Whether bytes begin as a state does.
pub fn is_kept(begin: &[u8]) -> bool {
    begin.starts_with(format!("{{\"drivelab\":\"{FORMAT}\"").as_bytes())
}

impl LiveDrive {
    /// Whether all that it remembers is in its flash drives and tiers, while its volumes are whole.
    pub fn can_be_kept(&self) -> bool {
        self.system.nodes.iter().all(|node| match node {
            NodeSpec::Flash(_) | NodeSpec::Path { .. } => true,
            NodeSpec::Disk(_) | NodeSpec::XPoint(_) | NodeSpec::Tier { .. } => true,
            // Which spare took the place of which member is known to the array alone.
            NodeSpec::Raid { config, .. } => config.spares == 0,
            NodeSpec::Cache { .. } => false,
        })
    }

    /// Whether the members of each of its arrays are all there and agree, or will when what is
    /// under way has ended, and every tier has its two devices.
    pub fn volumes_are_whole(&self) -> bool {
        let mut nodes = self.system.nodes.iter().zip(&self.built.addresses);
        nodes.all(|(node, address)| match node {
            NodeSpec::Raid { .. } => {
                let health = self.machine.raid(*address).status().health;
                matches!(health, RaidHealth::Clean | RaidHealth::Dirty)
            }
            NodeSpec::Tier { .. } => self.machine.tier(*address).is_whole(),
            _ => true,
        })
    }

    /// Addresses of its tiers.
    fn tiers(&self) -> Vec<u16> {
        let nodes = self.system.nodes.iter().zip(&self.built.addresses);
        let tiers = nodes.filter(|(node, _)| matches!(node, NodeSpec::Tier { .. }));
        tiers.map(|(_, address)| *address).collect()
    }

    /// Time with power, of earlier lives too, s.
    pub fn power_on_s(&self) -> f64 {
        self.past.seconds + self.now().since(Instant::ZERO).as_s()
    }

    /// How often it was switched on, power cuts included.
    pub fn power_cycles(&self) -> u64 {
        self.past.cycles + 1 + self.cuts
    }

    /// Switches it off in good order: requests under way end, what buffers hold goes to the flash,
    /// and what the drives remember is written to `to`.
    ///
    /// # Errors
    /// If `to` cannot be written.
    pub fn switch_off(&mut self, to: &mut impl Write) -> io::Result<()> {
        if !self.powered {
            self.restore_power();
        }
        self.machine.drain();
        self.collect();
        for device in self.built.devices.clone() {
            let (target, namespace, issued) = (device.address, device.namespace, self.now());
            let flush = Command { target, namespace, issued, ..Command::new(Op::Flush, 0, 0) };
            self.machine.issue(flush);
        }
        self.machine.drain();
        self.machine.context.probe.done.clear();
        let head = Head {
            drivelab: FORMAT.to_owned(),
            power_on_s: self.power_on_s(),
            power_cycles: self.power_cycles(),
            drives: self.flash.iter().map(|address| self.counters(*address)).collect(),
        };
        writeln!(to, "{}", serde_json::to_string(&head)?)?;
        self.flash.iter().try_for_each(|address| self.machine.drive(*address).save(to))?;
        self.tiers().into_iter().try_for_each(|address| self.machine.tier(address).save(to))
    }

    fn counters(&self, address: u16) -> Counters {
        let health = *self.machine.drive(address).health();
        Counters { health, prepared_units: self.prepared_units(address) }
    }

    /// Gives it what drives of the same model and size remembered when they were switched off.
    /// Nothing may be under way.
    ///
    /// # Errors
    /// If the bytes are anything else: it is as it was then.
    pub fn switch_on(&mut self, from: &mut impl BufRead) -> Result<(), KeptError> {
        let mut line = Vec::new();
        io::Read::take(&mut *from, LONGEST).read_until(b'\n', &mut line)?;
        let head: Head = serde_json::from_slice(&line).map_err(|_| KeptError::Foreign)?;
        if head.drivelab != FORMAT {
            return Err(KeptError::Foreign);
        }
        if head.drives.len() != self.flash.len() {
            let (is, wanted) = (head.drives.len(), self.flash.len());
            return Err(KeptError::OtherNumber { is, wanted });
        }
        let states = self.flash.iter().map(|address| self.machine.drive(*address).read_state(from));
        let states = states.collect::<Result<Vec<_>, SnapshotError>>()?;
        let tiers = self.tiers();
        let directories = tiers.iter().map(|address| self.machine.tier(*address).read_state(from));
        let directories = directories.collect::<Result<Vec<_>, TierStateError>>()?;
        self.machine.drain();
        for ((address, state), counters) in self.flash.iter().zip(states).zip(head.drives) {
            let drive = self.machine.drive_mut(*address);
            drive.set_ftl(state);
            drive.set_health(counters.health);
            self.prepared.insert(*address, counters.prepared_units);
        }
        for (address, directory) in tiers.into_iter().zip(directories) {
            self.machine.tier_mut(address).set_directory(directory);
        }
        self.machine.idle(Duration::ZERO);
        self.past = Past { seconds: head.power_on_s, cycles: head.power_cycles };
        Ok(())
    }
}
