//! A database server with its clients: sysbench's transactions on InnoDB, as a closed loop.
//!
//! A node without commands of its own, like a workload. Each client has one transaction in
//! progress: its statements take processor time and use pages; a page that is not in the pool is
//! read while the client waits; changes make pages dirty and fill the redo log; the commit waits
//! until the log is durable. Dirty pages are written in batches, when too few clean ones are left
//! at the tail of the pool, or when the log fills. As in InnoDB 5.5 there is no thread of its own
//! for the former: the client that needs a page writes the batch, and others that read in the
//! meantime wait for it.
//!
//! Left out, because they are small in this load: locks of rows (a few hundred of a billion rows
//! are locked), undo pages and inner pages (always in the pool), the writes of the change buffer's
//! own tree, neighbours of dirty pages (none is dirty too where pages are many).

mod batch;
mod client;
mod config;
mod flush;
mod io;
mod plan;
mod pool;
mod redo;
mod schema;
mod warm;

pub use config::{
    DOUBLEWRITE_HALF, FlushConfig, LOG_BLOCK, Mix, OltpConfig, PAGE_BYTES, PAGE_LEN, PoolConfig,
    RedoConfig, Rows,
};
pub use pool::{FrameState, Pool};
pub use redo::{LogWrite, Redo};
pub use schema::Schema;

use crate::kernel::command::CommandId;
use crate::kernel::command::Status;
use crate::kernel::payload::Payload;
use crate::kernel::probe::{Cause, DatabaseIo, Part, Probe, TransactionDone};
use crate::kernel::{COMPLETED, Context, Source};
use batch::Batch;
use client::Client;
use engine::{Duration, Event, FifoServers, Instant, Priority, Stream};
use io::{Asked, Disk};
use plan::Step;
use std::collections::VecDeque;
use std::marker::PhantomData;

mod kind {
    /// The processor's part of a statement is done; argument: the client.
    pub const COMPUTED: u16 = 0;
}

/// A server and its clients.
pub struct Oltp<P: Payload> {
    config: OltpConfig,
    node: u16,
    disk: Disk,
    cpus: FifoServers,
    /// Processor time of a statement.
    slice: Duration,
    /// Bytes that a change logs, and a commit.
    per_change: u64,
    pool: Pool,
    redo: Redo,
    batch: Batch,
    /// Files of the batch, while they are counted.
    touched: Vec<bool>,
    clients: Vec<Client>,
    stream: Stream,
    /// Clients that can continue now.
    ready: VecDeque<u32>,
    /// Clients that wait for a page that another one reads.
    for_page: Vec<(u32, u32)>,
    /// Clients that wait for the end of a batch.
    for_batch: Vec<u32>,
    stopped: bool,
    running: u32,
    payload: PhantomData<P>,
}

impl<P: Payload> Source<P> for Oltp<P> {
    fn start<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        self.running = self.config.threads;
        for client in 0..self.config.threads {
            self.begin(client, now);
            self.ready.push_back(client);
        }
        self.work(context);
    }

    fn stop<O: Probe<P>>(&mut self, _: &mut Context<P, O>) {
        self.stopped = true;
    }

    #[inline]
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        match event.kind {
            COMPLETED => self.completed(context, CommandId(event.argument)),
            _ => {
                self.clients[event.argument as usize].at += 1;
                self.ready.push_back(event.argument);
            }
        }
        self.work(context);
    }

    fn audit(&self) {
        self.pool.audit();
        let resting = self.running > 0 || self.disk.is_at_rest();
        assert!(resting, "a server without transactions has I/Os under way");
    }
}

impl<P: Payload> Oltp<P> {
    /// A server that has not started, with an empty pool.
    ///
    /// # Panics
    /// If it has no clients, no processors, no room in its disk's queue, or fewer than 8 frames for
    /// each client.
    pub fn new(config: OltpConfig, seed: u64, node: u16) -> Self {
        assert!(config.threads > 0 && config.queue_depth > 0, "a server has clients and a disk");
        assert!(config.pool.frames >= 8 * config.threads, "each client needs some frames");
        let statements = u64::from(config.mix.statements());
        let records = u64::from(config.mix.changes()) + 1;
        Oltp {
            node,
            disk: Disk::new(&config),
            cpus: FifoServers::new(config.cpus),
            slice: config.cpu.scaled(1, statements),
            per_change: (config.redo.per_transaction / records).max(1),
            pool: Pool::new(config.pool, config.schema.pages()),
            redo: Redo::new(config.redo),
            batch: Batch::new(),
            touched: vec![false; config.flush.files as usize],
            clients: (0..config.threads).map(|_| Client::default()).collect(),
            stream: Stream::new(seed, &format!("oltp/{}", config.name)),
            ready: VecDeque::new(),
            for_page: Vec::new(),
            for_batch: Vec::new(),
            stopped: false,
            running: 0,
            payload: PhantomData,
            config,
        }
    }

    /// What it was built from.
    pub fn config(&self) -> &OltpConfig {
        &self.config
    }

    /// The buffer pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Processor time spent so far, over all processors.
    pub fn processor_time(&self) -> Duration {
        self.cpus.busy()
    }

    /// Clients that still have a transaction in progress.
    pub fn running(&self) -> u32 {
        self.running
    }

    fn begin(&mut self, client: u32, now: Instant) {
        let it = &mut self.clients[client as usize];
        it.begin(now);
        let config = &self.config;
        plan::draw(&mut it.steps, &config.mix, &config.schema, config.rows, &mut self.stream);
    }

    fn completed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = context.commands.remove(id);
        let (cause, owner) = io::read_tag(command.tag);
        context.probe.database_io(&DatabaseIo {
            server: self.node,
            cause,
            len: command.len,
            issued: command.issued,
            completed: context.queue.now(),
            status: command.status,
        });
        self.disk.ended(context, self.node);
        if command.status != Status::Ok {
            // A server stops when its disk fails; what the clients wait for is taken as done.
            self.stopped = true;
        }
        match cause {
            Cause::PageRead => self.has_read(context, owner),
            Cause::LogWrite => self.log_written(context),
            Cause::LogFlush => self.log_flushed(context),
            Cause::PageWrite => {
                let frame = self.batch.frames[owner as usize];
                self.pool.has_written(frame, self.redo.position(), self.batch.from_tail);
                self.batch_goes_on(context);
            }
            Cause::DoubleWrite | Cause::DoubleFlush | Cause::FileFlush => {
                self.batch_goes_on(context);
            }
        }
    }

    /// Lets all clients continue that can.
    #[inline]
    fn work<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(client) = self.ready.pop_front() {
            self.advance(context, client);
        }
    }

    #[inline]
    fn advance<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: u32) {
        let now = context.queue.now();
        self.clients[client as usize].go_on(now);
        loop {
            let it = &mut self.clients[client as usize];
            let Some(&step) = it.steps.get(it.at) else {
                if !self.finish(context, client) {
                    return;
                }
                continue;
            };
            let on = match step {
                Step::Compute => {
                    it.wait(Part::Processor, now);
                    let done = self.cpus.serve(now, self.slice);
                    let event = Event { node: self.node, kind: kind::COMPUTED, argument: client };
                    context.queue.push(done, Priority::Normal, event);
                    return;
                }
                Step::Read(page) => self.uses(context, client, page, false),
                Step::Change(page) => self.uses(context, client, page, true),
                Step::ChangeIndex(page) => {
                    if self.config.change_buffering && self.pool.find(page).is_none() {
                        self.redo.log(self.per_change);
                        true
                    } else {
                        self.uses(context, client, page, true)
                    }
                }
                Step::Commit => {
                    // Its step is done when the log is: it continues behind it.
                    it.at += 1;
                    // The commit has a record of its own, if there is anything to commit.
                    if self.config.mix.changes() == 0 {
                        continue;
                    }
                    self.redo.log(self.per_change);
                    if self.redo.wait(client) {
                        it.wait(Part::Log, now);
                        self.begin_log(context);
                        return;
                    }
                    continue;
                }
            };
            if !on {
                return;
            }
            self.clients[client as usize].at += 1;
        }
    }

    /// A transaction is over; `true` if the client has begun another one.
    fn finish<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: u32) -> bool {
        let now = context.queue.now();
        let it = &self.clients[client as usize];
        context.probe.transaction_done(&TransactionDone {
            server: self.node,
            client,
            began: it.began,
            ended: now,
            parts: it.parts,
        });
        if self.stopped {
            self.running -= 1;
            return false;
        }
        self.begin(client, now);
        true
    }

    /// A client uses a page; `false` if it has to wait.
    #[inline]
    fn uses<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: u32,
        page: u32,
        change: bool,
    ) -> bool {
        let now = context.queue.now();
        if change && self.log_is_full(context, client) {
            return false;
        }
        let it = &mut self.clients[client as usize];
        match self.pool.find(page) {
            Some((frame, FrameState::Reading)) => {
                it.wait(Part::Page, now);
                self.for_page.push((frame, client));
                false
            }
            Some((frame, _)) => {
                if !std::mem::take(&mut it.fetched) {
                    context.probe.page_used(self.node, true);
                }
                self.pool.touch(frame, now);
                if change {
                    let log = self.redo.log(self.per_change);
                    self.pool.change(frame, log);
                }
                true
            }
            None => self.fetch(context, client, page),
        }
    }

    /// A page is not in the pool: the client reads it, or waits for a frame.
    fn fetch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: u32, page: u32) -> bool {
        let now = context.queue.now();
        let mut taken = self.pool.take(page);
        if taken.is_none() {
            self.write_from_tail(context, self.config.flush.batch);
            if self.batch.is_under_way() {
                self.clients[client as usize].wait(Part::Frame, now);
                self.for_batch.push(client);
                return false;
            }
            taken = self.pool.take_any(page);
        }
        // Neither dirty nor clean is only what clients are reading, an eighth of the pool at most.
        let frame = taken.expect("a pool has more frames than clients");
        context.probe.page_used(self.node, false);
        let it = &mut self.clients[client as usize];
        it.fetched = true;
        it.frame = frame;
        it.wait(Part::Page, now);
        let start = self.config.pages_at() + u64::from(page) * PAGE_BYTES;
        let asked = Asked { cause: Cause::PageRead, owner: client, start, len: PAGE_LEN };
        self.disk.ask(context, self.node, asked);
        false
    }

    fn has_read<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: u32) {
        let frame = self.clients[client as usize].frame;
        self.pool.has_read(frame);
        let ready = &mut self.ready;
        self.for_page.retain(|(other, waiting)| {
            if *other == frame {
                ready.push_back(*waiting);
            }
            *other != frame
        });
        self.keep_margin(context, client);
    }
}
