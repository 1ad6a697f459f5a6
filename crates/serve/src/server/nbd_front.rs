//! NBD: requests become those of the drive, and its answers those of the protocol.

use super::connection::Talk;
use super::{Asker, Notice, Options, Server};
use crate::contents::Stretch;
use crate::drive::{Arrival, Ask, Fault, LiveDrive};
use nbd::{Errno, Event, Export, Extent, Op, Request, Session};
use std::sync::Arc;

/// A read or write is at most so long.
const LONGEST: u32 = 32 << 20;

/// Requests of a client before the next one has its turn.
const A_TURN: usize = 256;
/// Blocks of whose state is told at once. A server may tell less than was asked for.
const TOLD_AT_ONCE: u64 = 64 << 10;

/// What clients can choose: one export a device.
pub(super) fn exports(drive: &LiveDrive, options: &Options) -> Arc<[Export]> {
    let block = u32::try_from(drive.block()).unwrap_or(4096);
    let named = options.names.iter().zip(drive.devices());
    named
        .map(|(name, device)| Export {
            name: name.clone(),
            description: options.description.clone(),
            bytes: device.bytes / u64::from(options.sector) * u64::from(options.sector),
            minimum_block: options.sector,
            preferred_block: block.next_power_of_two().max(options.sector),
            maximum_block: LONGEST,
            read_only: false,
            rotational: options.rotational,
            multi_conn: true,
        })
        .collect()
}

/// Answers a request that has ended.
fn reply(
    session: &mut Session,
    out: &mut Vec<u8>,
    request: &Request,
    result: Result<Vec<u8>, Fault>,
) {
    match result {
        Ok(data) => session.reply_ok(out, request, &data),
        Err(fault) => session.reply_error(out, request, errno(fault)),
    }
}

/// Bytes that a request will be answered with.
fn owed(request: &Request) -> usize {
    if request.op == Op::Read { usize::try_from(request.len).unwrap_or(usize::MAX) } else { 0 }
}

fn errno(fault: Fault) -> Errno {
    match fault {
        Fault::Media | Fault::Closed | Fault::Store => Errno::Io,
        Fault::WriteProtected => Errno::NotPermitted,
        Fault::Gone => Errno::Shutdown,
        Fault::Full => Errno::NoSpace,
    }
}

impl Server<'_> {
    /// Gives an NBD client its answer.
    pub(super) fn answer_nbd(
        &mut self,
        number: u64,
        request: &Request,
        result: Result<Vec<u8>, Fault>,
    ) {
        let Some(client) = self.clients.get_mut(&number) else { return };
        client.under_way = client.under_way.saturating_sub(1);
        client.owed = client.owed.saturating_sub(owed(request));
        if client.unsent() == 0 {
            self.answered.push(number);
        }
        if let Talk::Nbd(session) = &mut client.talk {
            reply(session, &mut client.out, request, result);
        }
    }

    /// Takes what an NBD client has sent.
    pub(super) fn take_nbd(&mut self, client: u64, bytes: &[u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let Talk::Nbd(session) = &mut connection.talk else { return };
        if let Err(fault) = session.receive(bytes, &mut connection.out) {
            return self.leave(client, Some(fault.to_string()));
        }
        self.go_on_nbd(client);
    }

    /// Takes what waits in the session of an NBD client, as far as there is room for its answers.
    pub(super) fn go_on_nbd(&mut self, client: u64) {
        for _ in 0..A_TURN {
            let Some(connection) = self.clients.get_mut(&client) else { return };
            if !connection.wants_more() {
                return;
            }
            let Talk::Nbd(session) = &mut connection.talk else { return };
            match session.next_event() {
                None => return,
                Some(Event::Attached { export }) => self.attach(client, export),
                Some(Event::Request(request)) => self.ask(client, request),
                Some(Event::Disconnected) => self.finish(client),
            }
        }
    }

    fn attach(&mut self, client: u64, export: usize) {
        if let Some(connection) = self.clients.get_mut(&client) {
            connection.device = Some(export);
            (self.tell)(Notice::Attached(self.exports[export].name.clone()));
        }
    }

    /// Gives a request to the drive, at the time at which it came.
    fn ask(&mut self, client: u64, mut request: Request) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let (Some(device), Talk::Nbd(session)) = (connection.device, &mut connection.talk) else {
            return;
        };
        let ask = match request.op {
            Op::Read => Ask::Read,
            Op::Write => Ask::Write(std::mem::take(&mut request.data)),
            Op::Flush => Ask::Flush,
            Op::Trim => Ask::Trim,
            Op::WriteZeroes { may_hole } => Ask::WriteZeros { may_trim: may_hole },
            // Nothing is asked of the medium.
            Op::Cache => return session.reply_ok(&mut connection.out, &request, &[]),
            Op::BlockStatus { one } => {
                let len = u64::from(request.len).min(TOLD_AT_ONCE * self.drive.block());
                let stretches = self.drive.stretches(device, request.start, len);
                let extents = extents(&stretches, one);
                return session.reply_status(&mut connection.out, &request, &extents);
            }
        };
        connection.under_way += 1;
        connection.owed += owed(&request);
        let arrival = Arrival {
            device,
            ask,
            start: request.start,
            len: request.len.into(),
            durable: request.fua,
            own: false,
            ticket: 0,
        };
        self.submit(arrival, Asker::Nbd { client, request });
    }
}

fn extents(stretches: &[Stretch], one: bool) -> Vec<Extent> {
    let most = if one { 1 } else { usize::MAX };
    let extent = |stretch: &Stretch| Extent {
        len: u32::try_from(stretch.len).unwrap_or(u32::MAX),
        hole: !stretch.held,
        zero: !stretch.held,
    };
    stretches.iter().take(most).map(extent).collect()
}
