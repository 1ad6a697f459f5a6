//! vhost-user: the requests of a guest, taken from its own memory, become those of the drive.

use super::connection::Talk;
use super::listener::Socket;
use super::{Asker, Notice, Options, Server};
use crate::drive::{Arrival, Ask, Fault, LiveDrive};
use virtio::{Change, Disk, Heard, Link, Op, Piece, Status, Tag};

/// Bytes of a serial number.
const SERIAL: usize = 20;

/// The disk that guests find: a device of the drive.
fn disk(drive: &LiveDrive, options: &Options, device: usize) -> Disk {
    let sector = u64::from(options.sector);
    let bytes = drive.devices().get(device).map_or(0, |device| device.bytes);
    let name = options.names.get(device).map_or("", String::as_str);
    Disk {
        bytes: bytes / sector * sector,
        sector: options.sector,
        block: drive.block(),
        serial: serial(name),
    }
}

/// The end of a name: what tells devices of one drive apart is there.
fn serial(name: &str) -> String {
    let plain = name.chars().filter(char::is_ascii_graphic);
    let plain: Vec<char> = plain.collect();
    plain[plain.len().saturating_sub(SERIAL)..].iter().collect()
}

fn status(fault: Fault) -> Status {
    match fault {
        Fault::Media
        | Fault::WriteProtected
        | Fault::Gone
        | Fault::Closed
        | Fault::Full
        | Fault::Store => Status::IoError,
    }
}

/// A piece of a request as the drive takes it.
fn arrival(device: usize, piece: Piece, durable: bool) -> Arrival {
    let Piece { op, start, len } = piece;
    let ask = match op {
        Op::Read => Ask::Read,
        Op::Write(data) => Ask::Write(data),
        Op::WriteZeroes { may_unmap } => Ask::WriteZeros { may_trim: may_unmap },
        Op::Discard => Ask::Trim,
        Op::Flush => Ask::Flush,
    };
    Arrival { device, ask, start, len, durable, own: false, ticket: 0 }
}

impl Server<'_> {
    fn link(&mut self, client: u64) -> Option<&mut Link> {
        match &mut self.clients.get_mut(&client)?.talk {
            Talk::Vhost { link, .. } => Some(link),
            _ => None,
        }
    }

    /// A device for a frontend that has come; `None` if it is gone again.
    pub(super) fn open_vhost(&self, socket: &Socket, device: usize) -> Option<Talk> {
        let Socket::Unix(stream) = socket else { return None };
        let disk = disk(&self.drive, &self.options, device);
        let link = Link::new(stream.try_clone().ok()?, disk).ok()?;
        Some(Talk::Vhost { device, link: Box::new(link) })
    }

    /// Obeys a message of a frontend.
    pub(super) fn hear_vhost(&mut self, client: u64) {
        let Some(link) = self.link(client) else { return };
        let heard = link.hear();
        let changes = link.changes();
        if let Err(error) = self.watch(client, changes) {
            return self.leave(client, Some(format!("its events cannot be watched: {error}")));
        }
        match heard {
            Ok(Heard::Message) => {
                self.attach_vhost(client);
                self.take_vhost(client);
            }
            Ok(Heard::Nothing | Heard::Waits) => self.send(client),
            Ok(Heard::End) => self.leave(client, None),
            Err(fault) => self.leave(client, Some(fault.to_string())),
        }
    }

    /// Watches the events by which a guest kicks its queues, and no others.
    fn watch(&self, client: u64, changes: Vec<Change>) -> std::io::Result<()> {
        for change in changes {
            match change {
                Change::Watch(queue, kick) => self.poll.watch_kick(&kick, client, queue)?,
                Change::Forget(kick) => self.poll.forget(&kick),
            }
        }
        Ok(())
    }

    fn attach_vhost(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let Talk::Vhost { device, .. } = connection.talk else { return };
        if connection.device.replace(device).is_none() {
            let name = self.options.names.get(device).cloned().unwrap_or_default();
            (self.tell)(Notice::Attached(name));
        }
    }

    /// A guest has kicked a queue.
    pub(super) fn kicked(&mut self, client: u64, queue: usize) {
        let Some(link) = self.link(client) else { return };
        match link.take_kick(queue) {
            Ok(()) => self.take_vhost(client),
            Err(fault) => self.leave(client, Some(fault.to_string())),
        }
    }

    /// Gives what a guest asks for to the drive, at the time at which it came.
    fn take_vhost(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let Talk::Vhost { device, link } = &mut connection.talk else { return };
        let device = *device;
        let requests = match link.take() {
            Ok(requests) => requests,
            Err(fault) => return self.leave(client, Some(fault.to_string())),
        };
        for request in requests {
            let (tag, durable) = (request.tag, request.durable);
            for piece in request.pieces {
                let is_write = matches!(piece.op, Op::Write(_) | Op::WriteZeroes { .. });
                let asker = Asker::Vhost { client, tag, is_write };
                self.submit(arrival(device, piece, durable), asker);
            }
        }
        // Some may have been answered already.
        self.send(client);
    }

    /// A piece of a guest's request has ended.
    pub(super) fn answer_vhost(&mut self, client: u64, tag: Tag, result: Result<Vec<u8>, Fault>) {
        let Some(link) = self.link(client) else { return };
        match link.complete(tag, result.map_err(status)) {
            Ok(()) if self.answered.last() == Some(&client) => {}
            Ok(()) => self.answered.push(client),
            Err(fault) => self.leave(client, Some(fault.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_name_is_its_serial_number() {
        assert_eq!(serial("p4510-8tb"), "p4510-8tb");
        assert_eq!(serial("a drive with a long name.12"), "rivewithalongname.12");
        assert_eq!(serial("0123456789012345678901234.2"), "789012345678901234.2");
    }
}
