//! Power cuts: the model loses what its drives would lose, and the contents follow.

use super::{Fault, LiveDrive};
use crate::contents::Recovery;
use engine::{Duration, Instant};
use iopath::device::health::Health;
use iopath::kernel::command::{Command, Op};
use rustc_hash::FxHashMap;
use std::io;

/// Blocks that are read with one command.
const BLOCKS_AT_ONCE: u64 = 64;

/// What a power cut did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Acknowledged bytes that the model lost.
    pub lost_bytes: u64,
    /// What became of blocks that were written lately.
    pub recovery: Recovery,
}

impl LiveDrive {
    /// Power fails now. Requests under way end as gone, and so do all until
    /// [`LiveDrive::restore_power`]. A loss that was `announced` counts as no unsafe shutdown.
    ///
    /// # Errors
    /// What the store says while lost blocks are taken back.
    pub fn cut_power(&mut self, announced: bool) -> io::Result<Cut> {
        self.powered = false;
        self.cuts += 1;
        let lost_bytes = self.machine.power_cut_all();
        for address in self.flash.iter().filter(|_| announced) {
            let drive = self.machine.drive_mut(*address);
            let health = *drive.health();
            let unsafe_shutdowns = health.unsafe_shutdowns.saturating_sub(1);
            drive.set_health(Health { unsafe_shutdowns, ..health });
        }
        self.machine.drain();
        self.collect();
        // What the machine no longer knows of has no power either.
        let now = self.now();
        for slot in 0..self.pending.len() {
            if let Some(pending) = self.pending[slot].take() {
                self.free.push(engine::narrow(slot));
                self.refuse(pending.ticket, now, Fault::Gone);
            }
        }
        self.writing.clear();
        let mut recovery = Recovery::default();
        for device in 0..self.contents.len() {
            let versions = self.versions(device);
            let version_of = |block| versions.get(&block).copied().unwrap_or(0);
            let of_device = self.contents[device].recover(version_of)?;
            recovery.kept += of_device.kept;
            recovery.taken_back += of_device.taken_back;
            recovery.unknown += of_device.unknown;
        }
        Ok(Cut { lost_bytes, recovery })
    }

    /// Power is back; the model goes on at [`LiveDrive::now`].
    pub fn restore_power(&mut self) {
        self.powered = true;
        self.machine.idle(Duration::ZERO);
    }

    /// Power cuts so far.
    pub fn cuts(&self) -> u64 {
        self.cuts
    }

    /// Asks the model for the versions of the blocks at risk.
    fn versions(&mut self, device: usize) -> FxHashMap<u64, u32> {
        let blocks = self.contents[device].at_risk();
        let (block, bytes) = (self.contents[device].block(), self.contents[device].bytes());
        let place = self.built.devices[device];
        self.machine.context.probe.wanted = Some(block);
        for (first, count) in runs(&blocks) {
            let start = first * block;
            let len = (count * block).min(bytes - start);
            self.machine.issue(Command {
                target: place.address,
                namespace: place.namespace,
                issued: self.machine.context.queue.now(),
                ..Command::new(Op::Read, start, u32::try_from(len).unwrap_or(u32::MAX))
            });
            while self.machine.context.probe.done.is_empty() {
                if self.machine.run(Instant::NEVER, 1) == iopath::machine::Stop::Idle {
                    break;
                }
            }
            self.machine.context.probe.done.clear();
        }
        self.machine.context.probe.wanted = None;
        self.machine.drain();
        self.machine.context.probe.versions.drain(..).collect()
    }
}

/// Neighbouring blocks together: the first, and how many.
fn runs(blocks: &[u64]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &block in blocks {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == block && *count < BLOCKS_AT_ONCE => {
                *count += 1;
            }
            _ => runs.push((block, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_read_together() {
        assert_eq!(runs(&[1, 2, 3, 7, 9, 10]), [(1, 3), (7, 1), (9, 2)]);
        let many: Vec<u64> = (0..65).collect();
        assert_eq!(runs(&many), [(0, 64), (64, 1)]);
        assert!(runs(&[]).is_empty());
    }
}
