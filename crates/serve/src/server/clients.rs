//! Clients come, are heard, are sent what is theirs, and leave.

use super::connection::{Connection, Got, Talk};
use super::listener::Socket;
use super::{Front, Notice, Server};
use std::time::Duration;

/// Clients at most.
const MOST_CLIENTS: usize = 1024;
/// Who has not chosen a device by then is dropped.
const GREETING: Duration = Duration::from_secs(10);
/// Bytes read from a client before the next one has its turn.
const READ: usize = 256 << 10;

impl Server<'_> {
    /// Takes the clients that wait at a listener.
    pub(super) fn accept(&mut self, number: usize) {
        loop {
            let (listener, front) = &self.listeners[number];
            let front = *front;
            // A client that is gone again is no fault of the server.
            let Ok(socket) = listener.accept() else { return };
            let is_lost = front != Front::Control && !self.drive.is_powered();
            if self.clients.len() < MOST_CLIENTS && !is_lost {
                self.welcome(socket, front);
            }
        }
    }

    fn welcome(&mut self, socket: Socket, front: Front) {
        let mut out = Vec::new();
        let talk = match front {
            Front::Control => Talk::Control(Vec::new()),
            Front::Nbd => {
                let mut session = nbd::Session::new(self.exports.clone());
                session.greet(&mut out);
                Talk::Nbd(Box::new(session))
            }
            Front::Nvme => Talk::Nvme,
            Front::VhostUser(device) => match self.open_vhost(&socket, device) {
                Some(talk) => talk,
                None => return,
            },
        };
        let mut connection = Connection::new(socket, talk);
        connection.out = out;
        let client = self.next_client;
        self.next_client += 1;
        if self.poll.watch(&connection, client).is_ok() {
            if front != Front::Control {
                self.silent.push_back(client);
            }
            self.clients.insert(client, connection);
            if let (Front::Nvme, Some(nvme)) = (front, &mut self.nvme) {
                nvme.open(client);
            }
            self.send(client);
        }
    }

    /// Reads what a client has sent.
    pub(super) fn hear(&mut self, client: u64) {
        if self.clients.get(&client).is_some_and(Connection::is_vhost) {
            return self.hear_vhost(client);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(READ, 0);
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let got = match connection.wants_more() {
            true => connection.read(&mut buffer),
            false => Ok(Got::Nothing),
        };
        match got {
            Ok(Got::Bytes(bytes)) => self.take(client, &buffer[..bytes]),
            Ok(Got::Nothing) => {}
            Ok(Got::End) => self.leave(client, None),
            Err(error) => self.leave(client, Some(error.to_string())),
        }
        self.buffer = buffer;
        self.send(client);
    }

    fn take(&mut self, client: u64, bytes: &[u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        match &mut connection.talk {
            Talk::Nbd(_) => self.take_nbd(client, bytes),
            Talk::Nvme => self.take_nvme(client, bytes),
            Talk::Control(_) => self.take_orders(client, bytes),
            Talk::Vhost { .. } => {}
        }
    }

    /// Sends what waits for a client, and lets it go if nothing is left to do.
    pub(super) fn send(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let sent = connection.send().and_then(|()| self.poll.update(connection, client));
        match sent {
            Err(error) => self.leave(client, Some(error.to_string())),
            Ok(()) if connection.is_over() => self.leave(client, None),
            Ok(()) => {}
        }
    }

    /// Sends the answers that the model has ended. A client that does not take all of them is
    /// watched until it does.
    pub(super) fn send_answers(&mut self) {
        for client in std::mem::take(&mut self.answered) {
            self.send(client);
        }
    }

    /// A client is gone. What the model has of it goes on and is answered to nobody.
    pub(super) fn leave(&mut self, client: u64, why: Option<String>) {
        let Some(connection) = self.clients.remove(&client) else { return };
        let was_attached = connection.device.is_some();
        match (connection.talk, &mut self.nvme) {
            (Talk::Nvme, Some(nvme)) => nvme.close(client),
            (Talk::Vhost { link, .. }, _) => {
                link.into_watched().for_each(|kick| self.poll.forget(&kick));
            }
            _ => {}
        }
        if was_attached || why.is_some() {
            (self.tell)(Notice::Left(why));
        }
    }

    /// Drops clients that do not say what they want.
    pub(super) fn drop_silent(&mut self) {
        while let Some(&client) = self.silent.front() {
            let waits = self.clients.get(&client).filter(|waits| waits.device.is_none());
            if waits.is_some_and(|waits| waits.since.elapsed() <= GREETING) {
                return;
            }
            self.silent.pop_front();
            if waits.is_some() {
                self.leave(client, Some("it has not chosen a device for 10 s".to_owned()));
            }
        }
    }
}
