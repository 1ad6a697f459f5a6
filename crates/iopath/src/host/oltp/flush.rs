//! What is written, and when: the redo log for commits, batches of dirty pages for room in the pool
//! and in the log.

use super::batch::Next;
use super::config::{PAGE_BYTES, PAGE_LEN};
use super::io::Asked;
use super::{DOUBLEWRITE_HALF, Oltp};
use crate::kernel::Context;
use crate::kernel::payload::Payload;
use crate::kernel::probe::{Cause, Part, Probe};
use engine::narrow;

impl<P: Payload> Oltp<P> {
    fn ask<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        cause: Cause,
        owner: u32,
        start: u64,
        len: u32,
    ) {
        self.disk.ask(context, self.node, Asked { cause, owner, start, len });
    }

    /// Begins to write the log, unless a write of it is in flight.
    pub(super) fn begin_log<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if let Some(write) = self.redo.begin() {
            let start = self.config.base + write.start;
            self.ask(context, Cause::LogWrite, 0, start, write.len);
        }
    }

    pub(super) fn log_written<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        match self.redo.write_on() {
            Some(write) => {
                let start = self.config.base + write.start;
                self.ask(context, Cause::LogWrite, 0, start, write.len);
            }
            None => self.ask(context, Cause::LogFlush, 0, 0, 0),
        }
    }

    pub(super) fn log_flushed<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let mut done = Vec::new();
        self.redo.flushed(&mut done);
        self.ready.extend(done);
        self.begin_log(context);
    }

    /// Part of the log that the oldest dirty page keeps, in 1024ths.
    fn log_age(&self) -> u32 {
        self.redo.age_1024(self.pool.oldest_change())
    }

    /// Whether a change has to wait for room in the log; then the client waits for the batch that
    /// makes some.
    pub(super) fn log_is_full<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: u32,
    ) -> bool {
        let age = self.log_age();
        if age < self.config.redo.start_1024 {
            return false;
        }
        self.write_oldest(context);
        if age < self.config.redo.stop_1024 || !self.batch.is_under_way() {
            return false;
        }
        self.clients[client as usize].wait(Part::Frame, context.queue.now());
        self.for_batch.push(client);
        true
    }

    /// A client has read a page: if too few pages at the tail can be replaced, it writes a batch or
    /// waits for the one that is in progress; else it continues.
    pub(super) fn keep_margin<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: u32) {
        let flush = &self.config.flush;
        let short = self.pool.shortage(flush.search, flush.margin, flush.extra);
        if short > 0 {
            self.write_from_tail(context, short.min(self.config.flush.batch));
            if self.batch.is_under_way() {
                let it = &mut self.clients[client as usize];
                it.go_on(context.queue.now());
                it.wait(Part::Frame, context.queue.now());
                self.for_batch.push(client);
                return;
            }
        }
        self.ready.push_back(client);
    }

    /// Begins a batch of pages that are to be replaced, unless one is in progress.
    pub(super) fn write_from_tail<O: Probe<P>>(&mut self, context: &mut Context<P, O>, count: u32) {
        if !self.batch.is_under_way() {
            self.pool.write_from_tail(count, &mut self.batch.frames);
            self.start_batch(context, true);
        }
    }

    /// Begins a batch of the pages that were changed first, unless one is in progress.
    fn write_oldest<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if !self.batch.is_under_way() {
            self.pool.write_oldest(self.config.flush.batch, &mut self.batch.frames);
            self.start_batch(context, false);
        }
    }

    fn start_batch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, from_tail: bool) {
        if self.batch.frames.is_empty() {
            return;
        }
        self.batch.from_tail = from_tail;
        self.touched.fill(false);
        let all = self.touched.len();
        for &frame in &self.batch.frames {
            let table = self.config.schema.table_of(self.pool.page(frame));
            self.touched[table as usize % all] = true;
        }
        let files = narrow(self.touched.iter().filter(|touched| **touched).count());
        let next = self.batch.start(files, self.config.flush.doublewrite);
        self.does(context, next);
    }

    pub(super) fn batch_goes_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let next = self.batch.ended();
        self.does(context, next);
    }

    fn does<O: Probe<P>>(&mut self, context: &mut Context<P, O>, next: Next) {
        match next {
            Next::Double { half, pages } => {
                let skip = u64::from(half * DOUBLEWRITE_HALF) * PAGE_BYTES;
                let start = self.config.doublewrite_at() + skip;
                self.ask(context, Cause::DoubleWrite, 0, start, pages * PAGE_LEN);
            }
            Next::FlushDouble => self.ask(context, Cause::DoubleFlush, 0, 0, 0),
            Next::Places => {
                for place in 0..self.batch.frames.len() {
                    let page = u64::from(self.pool.page(self.batch.frames[place]));
                    let start = self.config.pages_at() + page * PAGE_BYTES;
                    self.ask(context, Cause::PageWrite, narrow(place), start, PAGE_LEN);
                }
            }
            Next::FlushFile => self.ask(context, Cause::FileFlush, 0, 0, 0),
            Next::Wait => {}
            Next::Over => {
                self.ready.extend(self.for_batch.drain(..));
                // The log is served in the background until there is room enough.
                if self.running > 0 && self.log_age() >= self.config.redo.start_1024 {
                    self.write_oldest(context);
                }
            }
        }
    }
}
