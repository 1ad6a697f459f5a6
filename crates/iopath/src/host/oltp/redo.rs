//! The redo log: positions, group commit, and where in its ring the next write goes. It has no
//! notion of time.

use super::config::RedoConfig;
use engine::narrow;

/// A write of the log that is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogWrite {
    /// First byte, from the start of the ring.
    pub start: u64,
    /// Bytes; at most up to the end of the ring.
    pub len: u32,
}

/// The log.
#[derive(Clone, Debug)]
pub struct Redo {
    config: RedoConfig,
    /// End of what was logged.
    position: u64,
    /// What was logged up to here is on the disk and flushed.
    durable: u64,
    /// Up to where it will be when the flush in progress is done.
    target: Option<u64>,
    /// Written so far of what is in flight.
    written: u64,
    /// Waiting clients and their positions, in order.
    waiting: Vec<(u64, u32)>,
}

impl Redo {
    /// An empty log.
    pub fn new(config: RedoConfig) -> Self {
        Redo { config, position: 0, durable: 0, target: None, written: 0, waiting: Vec::new() }
    }

    /// Logs this many bytes; returns the position before them.
    #[inline]
    pub fn log(&mut self, bytes: u64) -> u64 {
        let before = self.position;
        self.position += bytes;
        before
    }

    /// End of what was logged.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Everything logged so far is taken as durable; for a server that has not started.
    pub fn settle(&mut self) {
        self.durable = self.position;
    }

    /// What was logged since `oldest`, in 1024ths of the ring: the age of the checkpoint.
    #[inline]
    pub fn age_1024(&self, oldest: Option<u64>) -> u32 {
        let age = self.position - oldest.unwrap_or(self.position);
        narrow((age.saturating_mul(1024) / self.config.bytes).min(u64::from(u32::MAX)))
    }

    /// `who` waits until everything logged so far is durable; `false` if it is.
    pub fn wait(&mut self, who: u32) -> bool {
        if self.durable >= self.position {
            return false;
        }
        self.waiting.push((self.position, who));
        true
    }

    /// The next write, if none is in flight and somebody waits. It takes everything logged so far
    /// along, so that all waiting clients share one flush.
    pub fn begin(&mut self) -> Option<LogWrite> {
        if self.target.is_some() || self.waiting.is_empty() {
            return None;
        }
        self.target = Some(self.position);
        self.written = self.durable;
        self.write_on()
    }

    /// The rest of what is in flight, once a write of it is done; `None` if all is written and a
    /// flush is due.
    pub fn write_on(&mut self) -> Option<LogWrite> {
        let target = self.target?;
        if self.written >= target {
            return None;
        }
        // The last block is written again until it is full.
        let align = self.config.align;
        let from = self.written / align * align;
        let to = target.next_multiple_of(align);
        let start = from % self.config.bytes;
        let len = (to - from).min(self.config.bytes - start);
        self.written = (from + len).min(target);
        Some(LogWrite { start, len: narrow(len) })
    }

    /// The flush is done: clients that waited for a position that it covers continue.
    pub fn flushed(&mut self, done: &mut Vec<u32>) {
        let Some(target) = self.target.take() else { return };
        self.durable = target;
        self.waiting.retain(|(position, who)| {
            let covered = *position <= target;
            if covered {
                done.push(*who);
            }
            !covered
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redo() -> Redo {
        Redo::new(RedoConfig {
            bytes: 4096,
            per_transaction: 100,
            align: 512,
            start_1024: 800,
            stop_1024: 960,
        })
    }

    #[test]
    fn who_comes_during_a_flush_shares_the_next() {
        let mut redo = redo();
        redo.log(700);
        assert!(redo.wait(1));
        assert_eq!(redo.begin(), Some(LogWrite { start: 0, len: 1024 }));
        redo.log(100);
        assert!(redo.wait(2));
        redo.log(100);
        assert!(redo.wait(3));
        assert_eq!(redo.begin(), None, "one at a time");
        assert_eq!(redo.write_on(), None, "written, to be flushed");
        let mut done = Vec::new();
        redo.flushed(&mut done);
        assert_eq!(done, [1]);
        // 700 to 900: the block from 512 on is written again.
        assert_eq!(redo.begin(), Some(LogWrite { start: 512, len: 512 }));
        redo.flushed(&mut done);
        assert_eq!(done, [1, 2, 3]);
        assert!(!redo.wait(4), "nothing was logged since");
    }

    #[test]
    fn a_write_ends_at_the_end_of_the_ring() {
        let mut redo = redo();
        redo.log(3900);
        redo.wait(1);
        redo.begin();
        redo.flushed(&mut Vec::new());
        redo.log(600);
        redo.wait(2);
        assert_eq!(redo.begin(), Some(LogWrite { start: 3584, len: 512 }));
        assert_eq!(redo.write_on(), Some(LogWrite { start: 0, len: 512 }));
        assert_eq!(redo.write_on(), None);
    }

    #[test]
    fn the_age_is_a_part_of_the_ring() {
        let mut redo = redo();
        redo.log(2048);
        assert_eq!((redo.age_1024(None), redo.age_1024(Some(1024))), (0, 256));
    }
}
