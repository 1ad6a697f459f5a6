//! The machine: a tree of nodes in an arena, one event queue, the commands in flight.
//!
//! A node gets commands by `submit` and events by `handle`. A completion is an event to the
//! parent, never a call, so that no path recurses.

use crate::device::flash::drive::Drive;
use crate::host::oltp::Oltp;
use crate::host::workload::Workload;
use crate::kernel::command::{Command, CommandId, Commands, Op, Status};
use crate::kernel::data::Data;
use crate::kernel::outgoing::Outgoing;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::shared::Shared;
use crate::kernel::{COMPLETED, Context, Device, OUTSIDE};
use engine::{Duration, Event, EventQueue, Instant, Next, Priority, narrow};

mod failures;
mod node;
mod prepare;
mod replace;
pub mod system;
mod tiers;
mod totals;
mod volumes;

pub use node::Node;
pub use totals::FlashTotals;

/// Why [`Machine::run`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Nothing is left to happen.
    Idle,
    /// The next event is beyond the given time.
    Time,
    /// The given number of events has been done.
    Events,
}

/// A whole simulated machine.
pub struct Machine<P: Payload, O: Probe<P>> {
    /// What all nodes share.
    pub context: Context<P, O>,
    nodes: Vec<Node<P>>,
    /// Which node an event address leads to; events to an address that is gone are dropped.
    routes: Vec<Option<u16>>,
    /// Which node takes the commands for an address. Unlike events they always reach it.
    addresses: Vec<u16>,
}

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// An empty machine.
    pub fn new(probe: O) -> Self {
        let context = Context {
            queue: EventQueue::new(),
            commands: Commands::default(),
            data: Data::default(),
            shared: Shared::default(),
            outgoing: Outgoing::default(),
            probe,
        };
        Machine { context, nodes: Vec::new(), routes: Vec::new(), addresses: Vec::new() }
    }

    /// Adds a node, which gets its address first.
    pub fn add(&mut self, make: impl FnOnce(u16) -> Node<P>) -> u16 {
        let address = self.new_address(narrow(self.nodes.len()));
        self.nodes.push(make(address));
        address
    }

    fn new_address(&mut self, index: u16) -> u16 {
        let address = narrow(self.routes.len());
        assert!(self.routes.len() < OUTSIDE as usize, "too many nodes and power cuts");
        self.routes.push(Some(index));
        self.addresses.push(index);
        address
    }

    /// Events of a node that are in flight are dropped from now on.
    fn cut_routes_to(&mut self, index: usize) {
        for route in &mut self.routes {
            if *route == Some(narrow(index)) {
                *route = None;
            }
        }
    }

    fn index(&self, address: u16) -> usize {
        self.addresses[address as usize] as usize
    }

    /// The drive at an address.
    ///
    /// # Panics
    /// If the node is not a drive.
    pub fn drive(&self, address: u16) -> &Drive<P> {
        match &self.nodes[self.index(address)] {
            Node::Drive(drive) => drive,
            _ => panic!("node {address} is not a drive"),
        }
    }

    /// The drive at an address, to change.
    ///
    /// # Panics
    /// If the node is not a drive.
    pub fn drive_mut(&mut self, address: u16) -> &mut Drive<P> {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Drive(drive) => drive,
            _ => panic!("node {address} is not a drive"),
        }
    }

    /// Takes a drive out of a machine that is done with it.
    ///
    /// # Panics
    /// If the node is not a drive.
    pub fn into_drive(mut self, address: u16) -> Drive<P> {
        let index = self.index(address);
        match self.nodes.swap_remove(index) {
            Node::Drive(drive) => *drive,
            _ => panic!("node {address} is not a drive"),
        }
    }

    /// Starts the workload or the database server at an address.
    ///
    /// # Panics
    /// If the node is neither a workload nor a database server.
    pub fn start(&mut self, address: u16) {
        let index = self.index(address);
        assert!(self.nodes[index].is_source(), "node {address} is not a workload");
        self.nodes[index].start(&mut self.context);
        self.hand_on();
    }

    /// Tells a workload or a database server to begin nothing more.
    ///
    /// # Panics
    /// If the node is neither.
    pub fn stop(&mut self, address: u16) {
        let index = self.index(address);
        assert!(self.nodes[index].is_source(), "node {address} is not a workload");
        self.nodes[index].stop(&mut self.context);
        self.hand_on();
    }

    /// Tells one thread of a workload to issue nothing more.
    ///
    /// # Panics
    /// If the node is not a workload, or has no such thread.
    pub fn stop_thread(&mut self, address: u16, thread: u32) {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Workload(workload) => workload.stop_thread(thread),
            _ => panic!("node {address} is not a workload"),
        }
    }

    /// The workload at an address.
    ///
    /// # Panics
    /// If the node is not a workload.
    pub fn workload(&self, address: u16) -> &Workload<P> {
        match &self.nodes[self.index(address)] {
            Node::Workload(workload) => workload,
            _ => panic!("node {address} is not a workload"),
        }
    }

    /// All nodes, in the order in which they were added.
    pub fn nodes(&self) -> &[Node<P>] {
        &self.nodes
    }

    /// The node at an address.
    pub fn node(&self, address: u16) -> &Node<P> {
        &self.nodes[self.index(address)]
    }

    /// The node at an address, to change.
    pub fn node_mut(&mut self, address: u16) -> &mut Node<P> {
        let index = self.index(address);
        &mut self.nodes[index]
    }

    /// Bytes that commands to a node can address in its namespace 0.
    pub fn capacity(&self, address: u16) -> u64 {
        self.node(address).capacity()
    }

    /// Submits a command to a node, and hands on what that node sends.
    #[inline]
    pub fn submit(&mut self, address: u16, id: CommandId) {
        self.deliver(address, id);
        self.hand_on();
    }

    #[inline]
    fn deliver(&mut self, address: u16, id: CommandId) {
        let index = self.index(address);
        self.nodes[index].submit(&mut self.context, id);
    }

    /// Issues a command from outside the machine; [`Probe::command_done`] reports its end.
    pub fn issue(&mut self, command: Command<P>) -> CommandId {
        let target = command.target;
        let id = self.context.commands.insert(Command { parent: OUTSIDE, ..command });
        self.submit(target, id);
        id
    }

    /// Hands all commands that nodes have sent to their targets. Most events send none.
    #[inline(always)]
    fn hand_on(&mut self) {
        if !self.context.outgoing.is_empty() {
            self.hand_on_all();
        }
    }

    #[inline(never)]
    fn hand_on_all(&mut self) {
        while let Some((to, id)) = self.context.outgoing.take() {
            self.deliver(to, id);
        }
    }

    /// Runs until nothing is left, the time `until` is reached (events at that time are done), or
    /// `events` more events have been done.
    pub fn run(&mut self, until: Instant, events: u64) -> Stop {
        let last = self.context.queue.events_done().saturating_add(events);
        while self.context.queue.events_done() < last {
            match self.context.queue.pop_until(until) {
                Next::Event(_, event) => self.handle(event),
                Next::Later => return Stop::Time,
                Next::Nothing => return Stop::Idle,
            }
        }
        match self.context.queue.peek() {
            None => Stop::Idle,
            Some(time) if time > until => Stop::Time,
            Some(_) => Stop::Events,
        }
    }

    /// Runs until the present is `time`, so that what is issued next is issued then.
    pub fn run_to(&mut self, time: Instant) {
        let event = Event { node: OUTSIDE, kind: 0, argument: 0 };
        self.context.queue.push(time, Priority::Timer, event);
        self.run(time, u64::MAX);
    }

    #[inline]
    fn handle(&mut self, event: Event) {
        let Some(&route) = self.routes.get(event.node as usize) else {
            return self.outside(event);
        };
        let Some(index) = route else { return self.unheard(event) };
        self.nodes[index as usize].handle(&mut self.context, event);
        self.hand_on();
    }

    /// An event for a node that has lost its power or has failed since.
    #[cold]
    fn unheard(&mut self, event: Event) {
        if event.kind == COMPLETED {
            let id = CommandId(event.argument);
            self.context.data.take(id);
            self.context.commands.remove(id);
        }
    }

    /// A command that came from outside has ended, or an outside wait is over.
    #[cold]
    fn outside(&mut self, event: Event) {
        if event.kind != COMPLETED {
            return;
        }
        let id = CommandId(event.argument);
        let units = self.context.data.take(id);
        let command = self.context.commands.remove(id);
        if P::CARRIED && command.op == Op::Read && command.status == Status::Ok {
            self.context.probe.data_read(&command, &units);
        }
        self.context.probe.command_done(id, &command, self.context.queue.now());
    }

    /// Stops every workload and runs until everything is at rest. An array may note on its members
    /// seconds later that its regions are clean: that is no load after which they use a pause.
    pub fn drain(&mut self) {
        for node in &mut self.nodes {
            node.rest(&mut self.context);
        }
        self.hand_on();
        while let Next::Event(_, event) = self.context.queue.pop_until(Instant::NEVER) {
            self.handle(event);
            for node in &mut self.nodes {
                if let Node::Drive(drive) = node {
                    drive.rest(&mut self.context);
                }
            }
        }
    }

    /// Lets time pass without commands, so that drives can do what they do on idle.
    pub fn idle(&mut self, duration: Duration) {
        self.idle_watched(duration, 1, &mut |_, _| ());
    }

    /// The same, with a look at the machine after each of `parts` equal parts of the time. Looking
    /// changes nothing.
    pub fn idle_watched(
        &mut self,
        duration: Duration,
        parts: u32,
        look: &mut dyn FnMut(&Self, Instant),
    ) {
        let begin = self.context.queue.now();
        let end = begin + duration;
        for node in &mut self.nodes {
            node.idle(&mut self.context);
        }
        self.hand_on();
        let parts = u64::from(parts.max(1));
        for part in 1..parts {
            let ps = u128::from(duration.ps()) * u128::from(part) / u128::from(parts);
            let now = begin + Duration::from_ps(narrow(ps));
            self.run(now, u64::MAX);
            look(self, now);
        }
        self.run_to(end);
        look(self, end);
    }

    /// Energy that all devices have used until `now`, idle power included, in picojoules.
    pub fn energy_pj(&self, now: Instant) -> u128 {
        self.nodes.iter().map(|node| node.energy_pj(now)).sum()
    }

    /// Makes the timed parts agree with what was changed in zero time. Collection is as far ahead
    /// then as it is under load: what is measured next does not pay for it.
    pub fn resume(&mut self) {
        for node in &mut self.nodes {
            if let Node::Drive(drive) = node {
                drive.collect_ahead();
                drive.resume();
            }
        }
    }

    /// What every device is doing, in one line each, for messages about a machine that makes no
    /// progress.
    pub fn describe(&self) -> String {
        let devices = self.nodes.iter().filter(|node| !node.is_source());
        let lines = devices.map(Device::describe);
        lines.collect::<Vec<_>>().join("; ")
    }

    /// Panics unless all bookkeeping of all nodes agrees; O(n).
    pub fn audit(&self) {
        self.nodes.iter().for_each(Device::audit);
    }

    /// The database server at an address.
    ///
    /// # Panics
    /// If the node is not a server.
    pub fn server(&self, address: u16) -> &Oltp<P> {
        match self.node(address) {
            Node::Oltp(server) => server,
            _ => panic!("node {address} is not a database server"),
        }
    }
}
