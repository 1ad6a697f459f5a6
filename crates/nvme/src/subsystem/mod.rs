//! What carries out commands: the controllers of a subsystem over its drive.

mod controller;
mod discovery;
mod erase;
mod events;
mod features;
mod health_log;
mod identify;
mod logs;
mod manage;
mod self_test;

use crate::backend::{Backend, Namespace};
use crate::command::{Sqe, admin, fabrics, nvm};
use crate::completion::Completion;
use crate::connect::{self, ANY, Connect};
use crate::io::{self, Io, Shape};
use crate::status::Status;
use controller::{Controller, Role};
use erase::{Formatting, Sanitizing};
use self_test::SelfTests;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

/// Namespaces as a command names all of them.
pub(crate) const ALL: u32 = u32::MAX;
/// Most controllers at once.
const MOST_CONTROLLERS: usize = 64;
/// Most queues for data of a controller.
const MOST_QUEUES: u16 = 64;

/// A command that ended later than it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub cntlid: u16,
    pub cid: u16,
    pub completion: Completion,
}

/// What became of a command of the administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has ended.
    Done(Completion),
    /// It ends later.
    Later,
}

impl From<Status> for Outcome {
    fn from(status: Status) -> Self {
        Outcome::Done(status.into())
    }
}

impl From<Result<Completion, Status>> for Outcome {
    fn from(result: Result<Completion, Status>) -> Self {
        Outcome::Done(result.unwrap_or_else(Completion::from))
    }
}

/// A subsystem: a drive, and the controllers through which hosts reach it.
#[derive(Debug)]
pub struct Subsystem<B> {
    back: B,
    name: String,
    controllers: BTreeMap<u16, Controller>,
    next_cntlid: u16,
    done: VecDeque<Done>,
    power_state: u8,
    /// The last power state in which commands are carried out.
    working_state: u8,
    write_cache: bool,
    software_progress: u8,
    formatting: Vec<Formatting>,
    sanitizing: Sanitizing,
    self_tests: SelfTests,
    /// The last host has said that power may go, and nothing has been asked for since.
    announced: bool,
}

impl<B: Backend> Subsystem<B> {
    /// A subsystem of this qualified name.
    pub(crate) fn new(back: B, name: &str) -> Self {
        Subsystem {
            name: name.to_owned(),
            controllers: BTreeMap::new(),
            next_cntlid: 1,
            done: VecDeque::new(),
            power_state: 0,
            working_state: 0,
            write_cache: back.facts().volatile_cache,
            software_progress: 0,
            formatting: Vec::new(),
            sanitizing: Sanitizing::default(),
            self_tests: SelfTests::default(),
            announced: false,
            back,
        }
    }

    /// The drive.
    pub fn back(&self) -> &B {
        &self.back
    }

    /// The drive, to change it.
    pub fn back_mut(&mut self) -> &mut B {
        &mut self.back
    }

    /// The next command that ended later than it came.
    pub(crate) fn take_done(&mut self) -> Option<Done> {
        self.done.pop_front()
    }

    /// Whether data can be neither read nor written: the drive is being sanitized, or that failed.
    pub fn is_closed(&self) -> bool {
        self.check_sanitize_io().is_err()
    }

    /// Namespaces that are being formatted.
    pub fn formatting(&self) -> impl Iterator<Item = u32> + '_ {
        self.formatting.iter().flat_map(|formatting| &formatting.namespaces).copied()
    }

    /// Data was written without a command of a host of this subsystem.
    pub fn written(&mut self) {
        self.sanitizing.written();
    }

    /// Whether the last host has said that power may go, and nothing was asked for since.
    pub fn is_shut_down(&self) -> bool {
        self.announced
    }

    /// Power has failed and comes back: hosts are gone with what they had set, and formats end. A
    /// sanitize goes on.
    pub(crate) fn power_cycle(&mut self) {
        self.controllers.clear();
        self.done.clear();
        self.formatting.clear();
        self.announced = false;
        (self.power_state, self.working_state) = (0, 0);
        self.write_cache = self.back.facts().volatile_cache;
        self.back.set_power_state(0);
        self.back.set_write_cache(true);
    }

    /// A host makes a connection, made at `place`, a queue; returns the controller.
    pub(crate) fn connect(
        &mut self,
        connect: &Connect,
        place: SocketAddr,
        now: u64,
    ) -> Result<u16, Completion> {
        let role = match connect.subsystem.as_str() {
            discovery::NAME => Role::Discovery,
            name if name == self.name => Role::Drive,
            _ => return Err(connect::invalid(connect::SUBSYSTEM)),
        };
        if connect.qid > 0 {
            return self.connect_queue(connect, role);
        }
        if connect.cntlid != ANY {
            return Err(connect::invalid(connect::CNTLID));
        }
        if self.controllers.len() >= MOST_CONTROLLERS {
            return Err(Status::CONTROLLER_BUSY.into());
        }
        while self.next_cntlid == 0
            || self.next_cntlid >= 0xfff0
            || self.controllers.contains_key(&self.next_cntlid)
        {
            self.next_cntlid = self.next_cntlid.wrapping_add(1);
        }
        let cntlid = self.next_cntlid;
        self.next_cntlid = self.next_cntlid.wrapping_add(1);
        let controller = Controller::new((role, place), connect, self.back.facts(), now);
        self.announced &= role == Role::Discovery;
        self.controllers.insert(cntlid, controller);
        Ok(cntlid)
    }

    fn connect_queue(&mut self, connect: &Connect, role: Role) -> Result<u16, Completion> {
        let controller = self.controllers.get_mut(&connect.cntlid);
        let controller = controller
            .filter(|controller| controller.role == role && controller.host == connect.host)
            .ok_or_else(|| connect::invalid(connect::CNTLID))?;
        if role == Role::Discovery || connect.qid > MOST_QUEUES {
            return Err(connect::invalid(connect::QUEUE));
        }
        if !controller.is_ready() {
            return Err(Status::SEQUENCE.into());
        }
        if !controller.queues.insert(connect.qid) {
            return Err(connect::invalid(connect::QUEUE));
        }
        Ok(connect.cntlid)
    }

    /// A queue is gone; with that of the administrator its controller is.
    pub(crate) fn disconnect(&mut self, cntlid: u16, qid: u16) {
        if qid == 0 {
            self.controllers.remove(&cntlid);
        } else if let Some(controller) = self.controllers.get_mut(&cntlid) {
            controller.queues.remove(&qid);
        }
    }

    /// The controllers whose hosts were silent for too long.
    pub(crate) fn expired(&self, now: u64) -> Vec<u16> {
        let late = self.controllers.iter().filter(|(_, controller)| controller.is_expired(now));
        late.map(|(cntlid, _)| *cntlid).collect()
    }

    /// A command arrived on a queue of the controller.
    pub(crate) fn heard(&mut self, cntlid: u16, now: u64) {
        if let Some(controller) = self.controllers.get_mut(&cntlid) {
            controller.heard = now;
        }
    }

    /// Carries out a command of the queue of the administrator.
    pub(crate) fn execute(&mut self, cntlid: u16, sqe: &Sqe, data: &[u8], now: u64) -> Outcome {
        self.advance(now);
        let Some(controller) = self.controllers.get_mut(&cntlid) else {
            return Status::INTERNAL.into();
        };
        let outcome = if sqe.opcode() == fabrics::OPCODE {
            let outcome = controller.property(sqe).into();
            let of_drive = |one: &&Controller| one.role == Role::Drive;
            let mut drives = self.controllers.values().filter(of_drive).peekable();
            if drives.peek().is_some() {
                self.announced = drives.all(Controller::is_shut_down);
            }
            outcome
        } else if !controller.is_ready() {
            Status::SEQUENCE.into()
        } else if controller.role == Role::Discovery {
            self.discover(cntlid, sqe).into()
        } else {
            self.admin(cntlid, sqe, data, now)
        };
        if let Outcome::Done(Completion { status, .. }) = &outcome {
            self.note(cntlid, 0, sqe, *status);
        }
        outcome
    }

    fn admin(&mut self, cntlid: u16, sqe: &Sqe, data: &[u8], now: u64) -> Outcome {
        if let Err(status) = self.check_sanitize(sqe.opcode()) {
            return status.into();
        }
        match sqe.opcode() {
            admin::IDENTIFY => self.identify(cntlid, sqe).into(),
            admin::GET_LOG_PAGE => self.log_page(cntlid, sqe, now).into(),
            admin::SET_FEATURES => self.set_feature(cntlid, sqe).into(),
            admin::GET_FEATURES => self.get_feature(cntlid, sqe).into(),
            admin::ASYNC_EVENT => self.hold_event_request(cntlid, sqe.cid()),
            admin::ABORT => self.abort(cntlid, sqe).into(),
            admin::KEEP_ALIVE => Outcome::Done(Completion::ok(0)),
            admin::NAMESPACE_MANAGEMENT => self.manage(cntlid, sqe, data).into(),
            admin::NAMESPACE_ATTACHMENT => self.attachment(cntlid, sqe, data).into(),
            admin::FORMAT => self.format(cntlid, sqe, now),
            admin::SANITIZE => self.sanitize(cntlid, sqe, now).into(),
            admin::SELF_TEST => self.self_test(sqe, now).into(),
            _ => Status::INVALID_OPCODE.into(),
        }
    }

    /// Checks a command for data.
    pub(crate) fn io(&mut self, cntlid: u16, sqe: &Sqe, data: Vec<u8>) -> Result<Io, Status> {
        let ready = self.controllers.get(&cntlid).is_some_and(Controller::is_ready);
        if !ready {
            return Err(Status::SEQUENCE);
        }
        self.check_sanitize_io()?;
        let known = [nvm::FLUSH, nvm::WRITE, nvm::READ, nvm::WRITE_ZEROES, nvm::DATASET_MANAGEMENT];
        if !known.contains(&sqe.opcode()) {
            return Err(Status::INVALID_OPCODE);
        }
        let namespace = self.active(sqe.nsid())?;
        if self.is_formatting(namespace.nsid) {
            return Err(Status::FORMAT_IN_PROGRESS);
        }
        let shape = Shape { bytes: namespace.bytes, block: self.block(namespace.format) };
        let io = io::parse(sqe, data, shape)?;
        if !matches!(io.op, io::IoOp::Read | io::IoOp::Flush) {
            self.sanitizing.written();
        }
        self.announced = false;
        if self.power_state != self.working_state {
            self.power_state = self.working_state;
            self.back.set_power_state(self.working_state);
        }
        Ok(io)
    }

    /// What has ended by `now` ends, and hosts are told what has changed.
    pub(crate) fn advance(&mut self, now: u64) {
        self.end_due(now);
        self.watch_health(now);
    }

    /// What has ended by `now` ends.
    pub(crate) fn end_due(&mut self, now: u64) {
        self.end_formats(now);
        self.end_sanitize(now);
        self.end_self_test(now);
    }

    /// When something ends next.
    pub(crate) fn next_time(&self) -> Option<u64> {
        let formats = self.formatting.iter().map(|formatting| formatting.due);
        formats.chain(self.sanitizing.due()).chain(self.self_tests.due()).min()
    }

    /// A namespace that hosts see.
    fn active(&self, nsid: u32) -> Result<Namespace, Status> {
        let namespace = self.allocated(nsid)?;
        if namespace.attached { Ok(namespace) } else { Err(Status::INVALID_FIELD) }
    }

    /// A namespace that exists.
    fn allocated(&self, nsid: u32) -> Result<Namespace, Status> {
        if nsid == 0 || nsid > self.back.facts().most_namespaces {
            return Err(Status::INVALID_NAMESPACE);
        }
        self.back.namespace(nsid).ok_or(Status::INVALID_FIELD)
    }

    /// Bytes of a logical block.
    fn block(&self, format: u8) -> u64 {
        let bytes = self.back.facts().formats.get(usize::from(format));
        bytes.copied().map_or(512, |bytes| u64::from(bytes.max(512)))
    }

    /// Only event requests can be aborted: other commands are with the drive already.
    fn abort(&mut self, cntlid: u16, sqe: &Sqe) -> Result<Completion, Status> {
        let (queue, cid) = (sqe.dword(10) & 0xffff, sqe.dword(10) >> 16);
        let cid = u16::try_from(cid).unwrap_or(0);
        let not_aborted = Completion::ok(1);
        if queue != 0 || !self.drop_event_request(cntlid, cid) {
            return Ok(not_aborted);
        }
        self.done.push_back(Done { cntlid, cid, completion: Status::ABORTED.into() });
        Ok(Completion::ok(0))
    }

    fn controller(&mut self, cntlid: u16) -> Result<&mut Controller, Status> {
        self.controllers.get_mut(&cntlid).ok_or(Status::INTERNAL)
    }

    fn discover(&mut self, cntlid: u16, sqe: &Sqe) -> Result<Completion, Status> {
        let name = self.name.clone();
        discovery::execute(self.controller(cntlid)?, cntlid, sqe, &name)
    }
}
