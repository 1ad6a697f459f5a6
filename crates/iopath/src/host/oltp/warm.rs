//! A server that has been running for long: its pool as hours of the load leave it, in zero time.

use super::plan::{self, Step};
use super::pool::FrameState;
use super::{Oltp, Pool};
use crate::kernel::payload::Payload;
use engine::Instant;

/// Most transactions for each frame: where all hot pages fit, nothing leaves any more.
const MOST: u64 = 10;

impl<P: Payload> Oltp<P> {
    /// Brings the pool into the state that the load keeps it in: the same transactions, of which
    /// reads and writes take no time, until it has been filled `turns` times over. A pool with room
    /// for every page gets every page.
    pub fn warm(&mut self, turns: u64) {
        let frames = u64::from(self.config.pool.frames);
        if frames >= u64::from(self.config.schema.pages()) {
            (0..self.config.schema.pages()).for_each(|page| self.put(page));
        }
        let mut steps = Vec::new();
        let mut left = MOST * turns * frames;
        while self.pool.gone() < turns * frames && left > 0 {
            left -= 1;
            let config = &self.config;
            plan::draw(&mut steps, &config.mix, &config.schema, config.rows, &mut self.stream);
            for step in &steps {
                match *step {
                    Step::Read(page) => self.has_used(page, false),
                    Step::Change(page) => self.has_used(page, true),
                    Step::ChangeIndex(page) => {
                        if self.config.change_buffering && self.pool.find(page).is_none() {
                            self.redo.log(self.per_change);
                        } else {
                            self.has_used(page, true);
                        }
                    }
                    Step::Compute | Step::Commit => {}
                }
            }
        }
        self.redo.settle();
    }

    fn put(&mut self, page: u32) {
        if self.pool.find(page).is_some() {
            return;
        }
        let flush = self.config.flush;
        let short = self.pool.shortage(flush.search, flush.margin, flush.extra);
        if short > 0 && self.pool.len() == self.config.pool.frames {
            self.clean(|pool, batch| pool.write_from_tail(short.min(flush.batch), batch), true);
        }
        let frame = match self.pool.take(page) {
            Some(frame) => frame,
            None => {
                self.clean(|pool, batch| pool.write_from_tail(flush.batch, batch), true);
                self.pool.take(page).expect("pages were cleaned")
            }
        };
        self.pool.has_read(frame);
    }

    fn has_used(&mut self, page: u32, change: bool) {
        self.put(page);
        let Some((frame, state)) = self.pool.find(page) else { return };
        debug_assert_ne!(state, FrameState::Reading);
        self.pool.touch(frame, Instant::ZERO);
        if change {
            let log = self.redo.log(self.per_change);
            self.pool.change(frame, log);
            if self.redo.age_1024(self.pool.oldest_change()) >= self.config.redo.start_1024 {
                let count = self.config.flush.batch;
                self.clean(|pool, batch| pool.write_oldest(count, batch), false);
            }
        }
    }

    fn clean(&mut self, choose: impl FnOnce(&mut Pool, &mut Vec<u32>), from_tail: bool) {
        let mut batch = Vec::new();
        choose(&mut self.pool, &mut batch);
        for frame in batch {
            self.pool.has_written(frame, self.redo.position(), from_tail);
        }
    }
}
