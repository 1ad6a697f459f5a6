//! The machine: a tree of nodes in an arena, one event queue, the commands under way.
//!
//! A node gets commands by `submit` and events by `handle`. A completion is an event to the
//! parent, never a call, so that no path recurses.

use crate::command::{Command, CommandId, Commands};
use crate::drive::Drive;
use crate::payload::Payload;
use crate::probe::Probe;
use crate::workload::Workload;
use engine::{Duration, Event, EventQueue, Instant, Priority};

/// Event kind that every parent understands: a command of its own has completed.
pub const COMPLETED: u16 = u16::MAX;

/// The parent of commands that come from outside the machine; the probe is told their end.
pub const OUTSIDE: u16 = u16::MAX;

/// What all nodes share.
pub struct Context<P: Payload, O: Probe<P>> {
    /// Time and what is to come.
    pub queue: EventQueue,
    /// Commands under way.
    pub commands: Commands<P>,
    /// The outside.
    pub probe: O,
}

/// A node of the tree. RAID, cache tier, rate limit and fault injection will be variants with the
/// same submit/complete shape as a drive.
pub enum Node<P: Payload> {
    /// Issues commands.
    Workload(Box<Workload<P>>),
    /// Serves them.
    Drive(Box<Drive<P>>),
}

/// Why [`Machine::run`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Nothing is left to happen.
    Idle,
    /// The next event lies beyond the given time.
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
        let context = Context { queue: EventQueue::new(), commands: Commands::default(), probe };
        Machine { context, nodes: Vec::new(), routes: Vec::new(), addresses: Vec::new() }
    }

    /// Adds a node, which gets its address first.
    pub fn add(&mut self, make: impl FnOnce(&mut Context<P, O>, u16) -> Node<P>) -> u16 {
        let address = self.new_address(self.nodes.len() as u16);
        let node = make(&mut self.context, address);
        self.nodes.push(node);
        address
    }

    fn new_address(&mut self, index: u16) -> u16 {
        let address = self.routes.len() as u16;
        assert!(self.routes.len() < OUTSIDE as usize, "too many nodes and power cuts");
        self.routes.push(Some(index));
        self.addresses.push(index);
        address
    }

    /// Events of a node that are under way reach nobody from now on.
    fn cut_routes_to(&mut self, index: usize) {
        for route in &mut self.routes {
            if *route == Some(index as u16) {
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
    /// If the node is no drive.
    pub fn drive(&self, address: u16) -> &Drive<P> {
        match &self.nodes[self.index(address)] {
            Node::Drive(drive) => drive,
            Node::Workload(_) => panic!("node {address} is no drive"),
        }
    }

    /// The drive at an address, to change.
    ///
    /// # Panics
    /// If the node is no drive.
    pub fn drive_mut(&mut self, address: u16) -> &mut Drive<P> {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Drive(drive) => drive,
            Node::Workload(_) => panic!("node {address} is no drive"),
        }
    }

    /// Takes a drive out of a machine that is done with it.
    ///
    /// # Panics
    /// If the node is no drive.
    pub fn into_drive(mut self, address: u16) -> Drive<P> {
        let index = self.index(address);
        match self.nodes.swap_remove(index) {
            Node::Drive(drive) => *drive,
            Node::Workload(_) => panic!("node {address} is no drive"),
        }
    }

    /// Starts the workload at an address.
    ///
    /// # Panics
    /// If the node is no workload.
    pub fn start(&mut self, address: u16) {
        let index = self.index(address);
        let (workload, context) = match &mut self.nodes[index] {
            Node::Workload(workload) => (workload, &mut self.context),
            Node::Drive(_) => panic!("node {address} is no workload"),
        };
        workload.start(context);
        self.submit_issued(index);
    }

    /// Tells a workload to issue nothing more.
    ///
    /// # Panics
    /// If the node is no workload.
    pub fn stop(&mut self, address: u16) {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Workload(workload) => workload.stop(),
            Node::Drive(_) => panic!("node {address} is no workload"),
        }
    }

    /// Tells one thread of a workload to issue nothing more.
    ///
    /// # Panics
    /// If the node is no workload, or has no such thread.
    pub fn stop_thread(&mut self, address: u16, thread: u32) {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Workload(workload) => workload.stop_thread(thread),
            Node::Drive(_) => panic!("node {address} is no workload"),
        }
    }

    /// The workload at an address.
    ///
    /// # Panics
    /// If the node is no workload.
    pub fn workload(&self, address: u16) -> &Workload<P> {
        match &self.nodes[self.index(address)] {
            Node::Workload(workload) => workload,
            Node::Drive(_) => panic!("node {address} is no workload"),
        }
    }

    /// Submits a command to a node.
    #[inline]
    pub fn submit(&mut self, address: u16, id: CommandId) {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Drive(drive) => drive.submit(&mut self.context, id),
            Node::Workload(_) => panic!("a workload takes no commands"),
        }
    }

    /// Issues a command from outside the machine; [`Probe::command_done`] tells its end.
    pub fn issue(&mut self, command: Command<P>) -> CommandId {
        let target = command.target;
        let id = self.context.commands.insert(Command { parent: OUTSIDE, ..command });
        self.submit(target, id);
        id
    }

    /// Hands on what a workload has issued in its last call.
    #[inline]
    fn submit_issued(&mut self, index: usize) {
        loop {
            let Node::Workload(workload) = &mut self.nodes[index] else { return };
            let Some((to, id)) = workload.take_issued() else { return };
            self.submit(to, id);
        }
    }

    /// Runs until nothing is left, the time `until` is reached (events at that time are done), or
    /// `events` more events have been done.
    pub fn run(&mut self, until: Instant, events: u64) -> Stop {
        let last = self.context.queue.events_done().saturating_add(events);
        loop {
            match self.context.queue.peek() {
                None => return Stop::Idle,
                Some(time) if time > until => return Stop::Time,
                Some(_) => {}
            }
            if self.context.queue.events_done() >= last {
                return Stop::Events;
            }
            let Some((_, event)) = self.context.queue.pop() else { return Stop::Idle };
            self.handle(event);
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
        let Some(index) = route else { return };
        match &mut self.nodes[index as usize] {
            Node::Drive(drive) => drive.handle(&mut self.context, event),
            Node::Workload(workload) => {
                workload.handle(&mut self.context, event);
                self.submit_issued(index as usize);
            }
        }
    }

    /// A command that came from outside has ended, or an outside wait is over.
    #[cold]
    fn outside(&mut self, event: Event) {
        if event.kind != COMPLETED {
            return;
        }
        let id = CommandId(event.argument);
        let command = self.context.commands.remove(id);
        self.context.probe.command_done(id, &command, self.context.queue.now());
    }

    /// Power fails at a drive; it is back at once. Returns how many units of acknowledged data it
    /// lost.
    pub fn power_cut(&mut self, address: u16) -> u64 {
        let index = self.index(address);
        if matches!(self.nodes[index], Node::Workload(_)) {
            return 0;
        }
        // Events under way belong to the time before: their address dies, the drive gets another.
        self.cut_routes_to(index);
        let fresh = self.new_address(index as u16);
        match &mut self.nodes[index] {
            Node::Drive(drive) => drive.power_cut(&mut self.context, fresh),
            Node::Workload(_) => 0,
        }
    }

    /// The drive at an address dies.
    pub fn fail(&mut self, address: u16) {
        let index = self.index(address);
        if let Node::Drive(drive) = &mut self.nodes[index] {
            drive.fail(&mut self.context);
            self.cut_routes_to(index);
        }
    }

    /// Stops every workload and runs until everything is at rest.
    pub fn drain(&mut self) {
        for node in &mut self.nodes {
            if let Node::Workload(workload) = node {
                workload.stop();
            }
            if let Node::Drive(drive) = node {
                drive.rest();
            }
        }
        self.run(Instant::NEVER, u64::MAX);
    }

    /// Lets time pass without commands, so that drives can do what they do on idle.
    pub fn idle(&mut self, duration: Duration) {
        let end = self.context.queue.now() + duration;
        for node in &mut self.nodes {
            if let Node::Drive(drive) = node {
                drive.idle(&mut self.context);
            }
        }
        self.run_to(end);
    }

    /// What every drive is doing, in one line each, for messages about a machine that stands
    /// still.
    pub fn describe(&self) -> String {
        let lines = self.nodes.iter().filter_map(|node| match node {
            Node::Drive(drive) => Some(drive.describe()),
            Node::Workload(_) => None,
        });
        lines.collect::<Vec<_>>().join("; ")
    }

    /// Panics unless all bookkeeping of all nodes agrees; O(n).
    pub fn audit(&self) {
        for node in &self.nodes {
            if let Node::Drive(drive) = node {
                drive.audit();
            }
        }
    }
}
