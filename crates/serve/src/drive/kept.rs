//! What a drive keeps while it is switched off: its map and wear, and the counters of its health.
//!
//! A line of JSON with the counters, and then the state of each flash drive. What volumes and hard
//! disks remember is not kept.

use super::LiveDrive;
use engine::{Duration, Instant};
use iopath::device::flash::ftl::snapshot::SnapshotError;
use iopath::device::health::Health;
use iopath::kernel::command::{Command, Op};
use iopath::machine::system::NodeSpec;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

/// What the first line says that it is.
const FORMAT: &str = "drivelab/switched-off/1";
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
    /// Units that each drive had written when it was prepared.
    prepared_units: Vec<u64>,
}

/// [`Health`] of a drive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counters {
    host_read_bytes: u64,
    host_write_bytes: u64,
    read_commands: u64,
    write_commands: u64,
    modify_bytes: u64,
    unsafe_shutdowns: u64,
    media_errors: u64,
    cycles_at_start: u32,
}

impl From<&Health> for Counters {
    fn from(health: &Health) -> Self {
        Counters {
            host_read_bytes: health.host_read_bytes,
            host_write_bytes: health.host_write_bytes,
            read_commands: health.read_commands,
            write_commands: health.write_commands,
            modify_bytes: health.modify_bytes,
            unsafe_shutdowns: health.unsafe_shutdowns,
            media_errors: health.media_errors,
            cycles_at_start: health.cycles_at_start,
        }
    }
}

impl From<Counters> for Health {
    fn from(counters: Counters) -> Self {
        Health {
            host_read_bytes: counters.host_read_bytes,
            host_write_bytes: counters.host_write_bytes,
            read_commands: counters.read_commands,
            write_commands: counters.write_commands,
            modify_bytes: counters.modify_bytes,
            unsafe_shutdowns: counters.unsafe_shutdowns,
            media_errors: counters.media_errors,
            cycles_at_start: counters.cycles_at_start,
        }
    }
}

/// Whether bytes begin as a state does.
pub fn is_kept(begin: &[u8]) -> bool {
    begin.starts_with(format!("{{\"drivelab\":\"{FORMAT}\"").as_bytes())
}

impl LiveDrive {
    /// Whether all that it remembers is in its flash drives.
    pub fn can_be_kept(&self) -> bool {
        self.system.nodes.iter().all(|node| matches!(node, NodeSpec::Flash(_)))
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
        let drives = || self.flash.iter().map(|address| self.machine.drive(*address));
        let head = Head {
            drivelab: FORMAT.to_owned(),
            power_on_s: self.power_on_s(),
            power_cycles: self.power_cycles(),
            drives: drives().map(|drive| drive.health().into()).collect(),
            prepared_units: self
                .flash
                .iter()
                .map(|at| self.prepared.get(at).copied())
                .map(Option::unwrap_or_default)
                .collect(),
        };
        writeln!(to, "{}", serde_json::to_string(&head)?)?;
        for drive in drives() {
            drive.save(to)?;
        }
        Ok(())
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
        if head.drives.len() != self.flash.len() || head.prepared_units.len() != self.flash.len() {
            let (is, wanted) = (head.drives.len(), self.flash.len());
            return Err(KeptError::OtherNumber { is, wanted });
        }
        let states = self.flash.iter().map(|address| self.machine.drive(*address).read_state(from));
        let states = states.collect::<Result<Vec<_>, SnapshotError>>()?;
        self.machine.drain();
        for ((address, state), counters) in self.flash.iter().zip(states).zip(head.drives) {
            let drive = self.machine.drive_mut(*address);
            drive.set_ftl(state);
            drive.set_health(counters.into());
        }
        self.machine.idle(Duration::ZERO);
        self.prepared = self.flash.iter().copied().zip(head.prepared_units).collect();
        self.past = Past { seconds: head.power_on_s, cycles: head.power_cycles };
        Ok(())
    }
}
