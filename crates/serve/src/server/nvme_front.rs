//! NVMe over TCP: commands for data become requests of the drive, and what the controller orders is
//! done.

use super::connection::{Connection, Talk};
use super::{Asker, Notice, Server};
use crate::controller::{About, Controller, Order};
use crate::drive::{Arrival, Ask, Fault, LiveDrive};
use engine::{Duration, Instant};
use nvme::{Io, IoError, IoOp, Target};
use rustc_hash::FxHashMap;
use std::net::SocketAddr;

/// The health that hosts see is at most so old.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);
/// Commands of a host before the next client has its turn.
const A_TURN: usize = 256;
/// Longest range that the model is asked to give up at once, bytes.
const PIECE: u64 = 1 << 30;

/// The subsystem with its hosts.
pub(super) struct NvmeFront {
    target: Target<Controller>,
    /// Parts of commands that are under way, by their tickets, and the first fault among them.
    parts: FxHashMap<u64, (usize, Option<IoError>)>,
    looked: std::time::Instant,
}

impl NvmeFront {
    pub(super) fn new(about: About, place: SocketAddr, drive: &LiveDrive) -> Self {
        let name = about.name.clone();
        let mut controller = Controller::new(about, drive.spaces());
        controller.look(drive);
        NvmeFront {
            target: Target::new(controller, &name, place),
            parts: FxHashMap::default(),
            looked: std::time::Instant::now(),
        }
    }

    /// The ranges of the device that are being formatted or sanitized.
    fn closed(&self) -> Vec<(u64, u64)> {
        let subsystem = self.target.subsystem();
        match subsystem.is_closed() {
            true => vec![(0, subsystem.back().spaces().held.total())],
            false => {
                let controller = subsystem.back();
                subsystem.formatting().filter_map(|nsid| controller.range(nsid)).collect()
            }
        }
    }

    /// A client of another front has written.
    pub(super) fn written(&mut self) {
        self.target.written();
    }

    /// Whether hosts have said that power may go.
    pub(super) fn is_shut_down(&self) -> bool {
        self.target.subsystem().is_shut_down()
    }

    pub(super) fn open(&mut self, client: u64, place: Option<SocketAddr>) {
        self.target.open(client, place);
    }

    pub(super) fn close(&mut self, client: u64) {
        self.target.close(client);
    }

    /// Bytes of a host that were received and wait.
    pub(super) fn held(&self, client: u64) -> usize {
        self.target.buffered(client)
    }

    /// Power has failed: nothing is under way any more, and nothing is as hosts had set it.
    pub(super) fn power_cycle(&mut self) {
        self.parts.clear();
        self.target.power_cycle();
    }

    /// When something of the subsystem ends that only time ends.
    pub(super) fn next(&self) -> Option<Instant> {
        let ns = self.target.next_time()?;
        Some(Instant::ZERO + Duration::from_ns(ns.min(Duration::LONGEST.ns())))
    }

    /// A part of a command has ended; the fault of all of it if that was the last.
    fn count(&mut self, ticket: u64, fault: Option<IoError>) -> Option<Option<IoError>> {
        let Some((left, first)) = self.parts.get_mut(&ticket) else { return Some(fault) };
        *left -= 1;
        *first = first.or(fault);
        match *left {
            0 => self.parts.remove(&ticket).map(|(_, first)| first),
            _ => None,
        }
    }
}

fn error(fault: Fault) -> IoError {
    match fault {
        Fault::Media | Fault::Store => IoError::Media,
        Fault::WriteProtected => IoError::WriteProtected,
        Fault::Gone | Fault::Closed => IoError::Gone,
        Fault::Full => IoError::Full,
    }
}

impl Server<'_> {
    fn now_ns(&self) -> u64 {
        self.clock.now().since(Instant::ZERO).ns()
    }

    /// Takes what a host has sent, after what waits of it, as far as there is room for its answers.
    pub(super) fn take_nvme(&mut self, client: u64, bytes: &[u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let Talk::Nvme(waiting) = &mut connection.talk else { return };
        let mut input = std::mem::take(waiting);
        // Mostly nothing waits, and nothing is copied.
        let mut rest = if input.is_empty() {
            bytes
        } else {
            input.extend_from_slice(bytes);
            &input[..]
        };
        for _ in 0..A_TURN {
            let wants_more = self.clients.get(&client).is_some_and(Connection::wants_more);
            if rest.is_empty() || !wants_more {
                break;
            }
            self.take_some(client, &mut rest);
        }
        let connection = self.clients.get_mut(&client).filter(|one| !one.ending);
        if let Some(Connection { talk: Talk::Nvme(waiting), .. }) = connection {
            *waiting = rest.to_vec();
        }
    }

    /// Takes bytes of a host up to its next command for data.
    fn take_some(&mut self, client: u64, bytes: &mut &[u8]) {
        let now = self.now_ns();
        let Some(nvme) = &mut self.nvme else {
            *bytes = &[];
            return;
        };
        let fault = nvme.target.receive(client, bytes, now).err();
        let is_connected = nvme.target.is_connected(client);
        while let Some(io) = self.nvme.as_mut().and_then(|nvme| nvme.target.next_io()) {
            self.carry_out(client, io);
        }
        self.obey_controller();
        let Some(connection) = self.clients.get_mut(&client) else { return };
        if is_connected && connection.device.is_none() {
            connection.device = Some(0);
            (self.tell)(Notice::Attached("the NVMe subsystem".to_owned()));
        }
        if let Some(fault) = fault {
            connection.why = Some(fault.to_string());
        }
        self.pass_on();
    }

    /// Gives a command of a host to the drive.
    fn carry_out(&mut self, client: u64, io: Io) {
        let Some(nvme) = &mut self.nvme else { return };
        let controller = nvme.target.subsystem().back();
        let Some(first) = controller.start(io.nsid) else { return };
        let durable = io.fua || controller.writes_through();
        let Io { ticket, start, len, op, .. } = io;
        let is_write = matches!(op, IoOp::Write(_) | IoOp::WriteZeroes { .. });
        let owed = if op == IoOp::Read { usize::try_from(len).unwrap_or(usize::MAX) } else { 0 };
        if let Some(connection) = self.clients.get_mut(&client) {
            connection.owed += owed;
        }
        let asker = || Asker::Nvme { client, ticket, is_write, owed };
        let whole = |ask| Arrival {
            device: 0,
            ask,
            start: first + start,
            len,
            durable,
            own: false,
            ticket: 0,
        };
        match op {
            IoOp::Read => self.submit(whole(Ask::Read), asker()),
            IoOp::Write(data) => self.submit(whole(Ask::Write(data)), asker()),
            IoOp::WriteZeroes { may_deallocate } => {
                self.submit(whole(Ask::WriteZeros { may_trim: may_deallocate }), asker());
            }
            IoOp::Flush => self.submit(whole(Ask::Flush), asker()),
            IoOp::Deallocate(ranges) => {
                let ranges = ranges.iter().flat_map(|one| pieces(first + one.start, one.len));
                let ranges: Vec<(u64, u64)> = ranges.collect();
                if ranges.is_empty() {
                    nvme.target.complete(ticket, Ok(Vec::new()));
                } else {
                    nvme.parts.insert(ticket, (ranges.len(), None));
                }
                for (start, len) in ranges {
                    self.submit(given_up((start, len), false), asker());
                }
            }
        }
    }

    /// A request of a host has ended.
    pub(super) fn answer_nvme(
        &mut self,
        (client, ticket): (u64, u64),
        owed: usize,
        result: Result<Vec<u8>, Fault>,
    ) {
        if let Some(connection) = self.clients.get_mut(&client) {
            connection.owed = connection.owed.saturating_sub(owed);
        }
        let Some(nvme) = &mut self.nvme else { return };
        let (data, fault) = match result {
            Ok(data) => (data, None),
            Err(fault) => (Vec::new(), Some(error(fault))),
        };
        let Some(fault) = nvme.count(ticket, fault) else { return };
        nvme.target.complete(ticket, fault.map_or(Ok(data), Err));
        self.pass_on();
    }

    /// Does what the controller has ordered, keeps the namespaces that hosts have made, and closes
    /// what is formatted or sanitized to all clients.
    pub(super) fn obey_controller(&mut self) {
        let Some(nvme) = &mut self.nvme else { return };
        self.drive.close(nvme.closed());
        if let Err(error) = self.drive.set_spaces(nvme.target.subsystem().back().spaces()) {
            let why = format!("the namespaces cannot be kept in the store: {error}");
            (self.tell)(Notice::Befell(why));
        }
        for order in nvme.target.back_mut().take_orders() {
            match order {
                Order::Limit(cap) => self.drive.set_power_cap(cap),
                Order::GiveUp(start, len) => {
                    for (start, len) in pieces(start, len) {
                        self.submit(given_up((start, len), true), Asker::Controller);
                    }
                }
            }
        }
    }

    /// Lets the subsystem come to now, if something is due there.
    pub(super) fn advance_nvme(&mut self) {
        let now = self.now_ns();
        let Some(nvme) = &mut self.nvme else { return };
        let looks = nvme.looked.elapsed() >= LOOK;
        if looks {
            nvme.looked = std::time::Instant::now();
            nvme.target.back_mut().look(&self.drive);
        }
        if looks || nvme.target.next_time().is_some_and(|due| due <= now) {
            nvme.target.advance(now);
            self.obey_controller();
            self.pass_on();
        }
    }

    /// Takes what the subsystem has for its hosts.
    fn pass_on(&mut self) {
        let Some(nvme) = &mut self.nvme else { return };
        let mut closing = Vec::new();
        for client in nvme.target.take_touched() {
            let Some(connection) = self.clients.get_mut(&client) else { continue };
            if let Some(out) = nvme.target.output(client) {
                connection.out.append(out);
            }
            if nvme.target.has_expired(client) {
                connection.why = Some("it was silent for longer than its keep-alive".to_owned());
            }
            if nvme.target.is_closing(client) {
                closing.push(client);
            }
            self.answered.push(client);
        }
        closing.into_iter().for_each(|client| self.finish(client));
    }
}

/// A range that is needed no more; `own`, because the drive erases it of itself.
fn given_up((start, len): (u64, u64), own: bool) -> Arrival {
    Arrival { device: 0, ask: Ask::Trim, start, len, durable: false, own, ticket: 0 }
}

/// A range in pieces that the model takes.
fn pieces(start: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let starts = (0..len).step_by(usize::try_from(PIECE).unwrap_or(usize::MAX));
    starts.map(move |at| (start + at, PIECE.min(len - at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ranges_are_cut() {
        assert_eq!(pieces(7, 0).count(), 0);
        assert_eq!(pieces(7, PIECE).collect::<Vec<_>>(), [(7, PIECE)]);
        assert_eq!(pieces(7, PIECE + 1).collect::<Vec<_>>(), [(7, PIECE), (7 + PIECE, 1)]);
    }
}
