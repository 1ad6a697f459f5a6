//! What happens in zero time: hours of prewriting, and a cache that is warm when a test begins.

use super::config::Mode;
use super::{Tier, Use};
use crate::kernel::Range;
use crate::kernel::payload::Payload;
use engine::{Stream, narrow};

/// Bytes of a random write.
const WRITE: u64 = 4096;

impl<P: Payload> Tier<P> {
    /// Fills the cache with a range as if it had been read often enough to be admitted, in zero
    /// time. The ranges of the cache device that are written are added to `out`. Returns the bytes
    /// of the range that are in the cache afterwards.
    pub fn warm(&mut self, start: u64, len: u64, out: &mut Vec<Range>) -> u64 {
        let end = (start + len).min(self.config.backing_bytes);
        if start < end { self.enter(start, end, false, out) } else { 0 }
    }

    /// What long random writes of 4 KiB leave: a full cache, of which as much as may be is newer
    /// than on the slow device.
    pub fn fill_at_random(&mut self, stream: &mut Stream) {
        if self.cache_gone || self.usage != Use::Attached {
            return;
        }
        let (slots, block) = (self.directory.slots(), self.config.block);
        let blocks = (self.config.backing_bytes / block).max(1);
        let limit = match self.config.mode {
            Mode::WriteBack => u64::from(self.config.dirty_limit()),
            _ => 0,
        };
        // More draws than slots, because blocks are drawn twice; but not without end.
        for _ in 0..4 * u64::from(slots) {
            if self.directory.len() >= slots {
                break;
            }
            let number = narrow(stream.below(blocks));
            let start = u64::from(number) * block + stream.below(block.div_ceil(WRITE)) * WRITE;
            let mask = self.grid.covered(number, start, start + WRITE);
            if mask == 0 || self.directory.find(number).is_some() {
                continue;
            }
            let Some(slot) = self.directory.insert(number, |_| false) else { break };
            let changed = u64::from(self.directory.dirty_blocks()) * u64::from(slots)
                < limit * u64::from(self.directory.len());
            self.directory.validate(slot, mask, changed);
        }
    }

    /// Lets the blocks that are wholly inside a range enter the cache. Of a range longer than the
    /// cache only the end can stay. If it was `written`, what was changed before is on both devices
    /// now.
    pub(super) fn enter(
        &mut self,
        start: u64,
        end: u64,
        written: bool,
        out: &mut Vec<Range>,
    ) -> u64 {
        if self.cache_gone || self.usage != Use::Attached {
            return 0;
        }
        let block = self.config.block;
        let room = self.directory.slots() as u64 * block;
        let from = start.max(end.saturating_sub(room));
        if written {
            self.forget(start, from);
        }
        let mut bytes = 0;
        let address = self.cache;
        let fill = |(from, to): (u64, u64)| Range { address, start: from, len: to - from };
        // The run on the cache device that grows.
        let mut run: Option<(u64, u64)> = None;
        for number in self.grid.blocks(from, end) {
            let mask = self.grid.covered(number, from, end);
            let slot = match self.directory.find(number) {
                Some(slot) => {
                    self.directory.touch(slot);
                    Some(slot)
                }
                None if mask == 0 => None,
                None => {
                    let activity = &self.activity;
                    self.directory.insert(number, |slot| activity.is_busy(slot))
                }
            };
            let Some(slot) = slot else { continue };
            self.directory.validate(slot, mask, false);
            if written {
                self.directory.clean(slot, mask);
            }
            bytes += mask.count_ones() as u64 * self.config.sector;
            let at = slot as u64 * block;
            match &mut run {
                Some((_, to)) if *to == at => *to += block,
                _ => {
                    out.extend(run.map(fill));
                    run = Some((at, at + block));
                }
            }
        }
        out.extend(run.map(fill));
        bytes
    }
}
