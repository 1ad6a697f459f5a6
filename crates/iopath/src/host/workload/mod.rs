//! Workloads: threads that issue I/Os as fio's jobs do, closed loop or at a rate.
//!
//! A workload is a node without commands of its own: it issues commands to other nodes and gets
//! their completions.

mod cover;
mod flow;
mod next;
mod pattern;
mod places;
mod replay;
mod search;
mod size;
mod spec;
mod thread;
mod turns;

pub use flow::Flow;
pub use pattern::Pattern;
pub use replay::{Arrival, Pace, Recording, Replay};
pub use search::Search;
pub use size::BlockSizes;
pub use spec::{Blocking, Directions, Rate, RateProcess, Region, Think, ThreadSpec, Turns, Zones};

use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::{IoDone, Probe};
use crate::kernel::{COMPLETED, Context, Source};
use engine::{Event, Instant, Priority, narrow};
use flow::{Flows, Held};
use next::{Drawn, Next};
use thread::Thread;

mod kind {
    /// A thread may be able to continue; argument: the thread.
    pub const WAKE: u16 = 0;
    /// A command's submission is done; argument: the command.
    pub const SUBMIT: u16 = 1;
}

/// A set of threads in phases: a phase starts when the one before has ended.
pub struct Workload<P: Payload> {
    threads: Vec<Thread>,
    flows: Flows,
    node: u16,
    phase: u32,
    running: u32,
    stopped: bool,
    written: u32,
    marker: std::marker::PhantomData<P>,
}

impl<P: Payload> Source<P> for Workload<P> {
    fn start<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.start_phase(context);
    }

    /// Threads end when their last I/O has, those that wait for a time at once.
    fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if std::mem::replace(&mut self.stopped, true) {
            return;
        }
        let waits = |thread: &Thread| thread.started && !thread.done && thread.in_flight == 0;
        let waiting: Vec<usize> =
            (0..self.threads.len()).filter(|i| waits(&self.threads[*i])).collect();
        self.wake(context, &waiting);
    }

    #[inline]
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        match event.kind {
            COMPLETED => self.completed(context, CommandId(event.argument)),
            kind::SUBMIT => {
                let id = CommandId(event.argument);
                context.outgoing.send(context.commands.get(id).target, id);
            }
            _ => {
                let now = context.queue.now();
                let thread = &mut self.threads[event.argument as usize];
                if thread.wake_at == Some(now) {
                    thread.wake_at = None;
                    self.pump(context, event.argument);
                }
            }
        }
    }
}

impl<P: Payload> Workload<P> {
    /// A workload of these threads. Each thread draws from its own random stream under `seed`.
    pub fn new(specs: Vec<ThreadSpec>, seed: u64, node: u16) -> Self {
        let threads = specs
            .into_iter()
            .enumerate()
            .map(|(i, spec)| Thread::new(spec, seed, narrow(i)))
            .collect();
        Workload {
            threads,
            flows: Flows::default(),
            node,
            phase: 0,
            running: 0,
            stopped: false,
            written: 0,
            marker: std::marker::PhantomData,
        }
    }

    /// True when every thread has done its work.
    pub fn is_done(&self) -> bool {
        self.running == 0 && self.threads.iter().all(|t| t.done)
    }

    /// Stops one thread.
    pub fn stop_thread(&mut self, thread: u32) {
        self.threads[thread as usize].stopped = true;
    }

    fn start_phase<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        while self.running == 0 && !self.stopped {
            let rest = self.threads.iter().filter(|t| !t.started).map(|t| t.spec.phase);
            let Some(phase) = rest.min() else { return };
            self.phase = phase;
            for i in 0..self.threads.len() {
                let thread = &mut self.threads[i];
                if thread.started || thread.spec.phase != phase {
                    continue;
                }
                thread.begin(now);
                if let Some(flow) = thread.spec.flow {
                    self.flows.join(i, flow);
                }
                self.running += 1;
                let at = now + thread.spec.start_delay;
                self.wake_at(context, narrow(i), at);
            }
        }
    }

    fn completed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = context.commands.remove(id);
        let now = context.queue.now();
        let index = command.tag;
        let thread = &mut self.threads[index as usize];
        thread.in_flight -= 1;
        thread.blocked &= !thread.blocks(command.op);
        context.probe.io_done(&IoDone {
            thread: index,
            op: command.op,
            start: command.start,
            len: command.len,
            issued: command.issued,
            submitted: command.submitted,
            completed: now,
            status: command.status,
        });
        if command.status != Status::Ok {
            // fio stops a job at the first error.
            thread.stopped = true;
        }
        if let Some(found) = thread.searched(now.since(command.issued), now) {
            context.probe.depth_found(index, found, now);
        }
        if thread.in_flight <= thread.spec.refill_below {
            self.pump(context, index);
        }
    }

    /// Lets a thread issue all it may issue now.
    #[inline]
    fn pump<O: Probe<P>>(&mut self, context: &mut Context<P, O>, index: u32) {
        let now = context.queue.now();
        loop {
            let thread = &mut self.threads[index as usize];
            thread.stopped |= self.stopped;
            let held = if thread.spec.flow.is_some() { self.held(index, now) } else { None };
            match held.unwrap_or_else(|| self.threads[index as usize].next(now)) {
                Next::Issue(io) => {
                    self.issue(context, index, io);
                    let thread = &self.threads[index as usize];
                    if thread.spec.flow.is_some() {
                        let waiting = self.flows.issued(index as usize);
                        self.wake(context, &waiting);
                    } else if thread.is_full() {
                        return;
                    }
                }
                Next::At(time) => {
                    self.wake_at(context, index, time);
                    return;
                }
                Next::WhenCompleted => return,
                Next::Done => {
                    let thread = &mut self.threads[index as usize];
                    if !thread.done {
                        thread.done = true;
                        self.running -= 1;
                        context.probe.thread_done(index, now);
                        let waiting = self.flows.leave(index as usize);
                        self.wake(context, &waiting);
                        if self.running == 0 {
                            self.start_phase(context);
                        }
                    }
                    return;
                }
            }
        }
    }

    /// What a thread does in place of an I/O, if its flow holds it back.
    fn held(&mut self, index: u32, now: Instant) -> Option<Next> {
        let thread = &self.threads[index as usize];
        if thread.is_over(now) {
            return None;
        }
        match self.flows.holds(index as usize, now, thread.in_flight)? {
            Held::Until(time) => Some(Next::At(time.min(thread.ends()))),
            // Its time may be over before the others go on.
            Held::Waits if thread.in_flight == 0 && thread.ends() != Instant::NEVER => {
                Some(Next::At(thread.ends()))
            }
            Held::Waits => Some(Next::WhenCompleted),
        }
    }

    fn wake<O: Probe<P>>(&mut self, context: &mut Context<P, O>, threads: &[usize]) {
        for thread in threads {
            self.wake_at(context, narrow(*thread), context.queue.now());
        }
    }

    fn wake_at<O: Probe<P>>(&mut self, context: &mut Context<P, O>, index: u32, time: Instant) {
        let thread = &mut self.threads[index as usize];
        if thread.wake_at.is_none_or(|t| t > time) {
            thread.wake_at = Some(time);
            let event = Event { node: self.node, kind: kind::WAKE, argument: index };
            context.queue.push(time, Priority::Normal, event);
        }
    }

    #[inline]
    fn issue<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        index: u32,
        Drawn { op, region, start, len }: Drawn,
    ) {
        let now = context.queue.now();
        let thread = &mut self.threads[index as usize];
        thread.in_flight += 1;
        thread.blocked |= thread.blocks(op);
        let issued = now.max(thread.cpu_free);
        let at = issued + thread.spec.submit_cost;
        thread.cpu_free = at;
        let (target, namespace) = thread.device(region);
        let payload = if op == Op::Write { P::next(&mut self.written) } else { P::default() };
        // It stays unsubmitted until the node has it: a power cut must not end what is still on its
        // way.
        let command = Command {
            durable: thread.spec.durable_writes && op == Op::Write,
            namespace,
            stored_ppm: thread.spec.stored_ppm,
            target,
            parent: self.node,
            tag: index,
            // Each thread has a queue of its own, as a processor has in Linux, as far as the drive
            // has queues: further threads share those of the first.
            queue: index,
            next: thread.follows(region),
            payload,
            issued,
            ..Command::new(op, start, len)
        };
        context.probe.io_issued(index, issued);
        let id = context.commands.insert(command);
        if at == now {
            context.outgoing.send(target, id);
        } else {
            let event = Event { node: self.node, kind: kind::SUBMIT, argument: id.0 };
            context.queue.push(at, Priority::Normal, event);
        }
    }
}
