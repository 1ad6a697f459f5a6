//! Clients come, are heard, are sent what is theirs, and leave.

use super::connection::{Connection, Got, Talk};
use super::listener::Socket;
use super::room::MOST_CONTROLS;
use super::{Front, Notice, Server};
use std::io;

/// Bytes read from a client before the next one has its turn.
const READ: usize = 256 << 10;
/// Clients taken before those that are there have their turn.
const TAKEN_AT_ONCE: usize = 64;

impl Server<'_> {
    /// Takes the clients that wait at a listener.
    pub(super) fn accept(&mut self, number: usize) -> io::Result<()> {
        for _ in 0..TAKEN_AT_ONCE {
            let (listener, front) = &self.listeners[number];
            let front = *front;
            match listener.accept() {
                Ok(socket) => self.admit(socket, front),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // A client that is gone again is no fault of the server.
                Err(error) if is_of_client(&error) => {}
                // Mostly there are no descriptors left. The listener stays ready: it is not asked
                // for a while, or waiting for it would end at once, again and again.
                Err(error) => {
                    self.refuse(format!("no client can be taken: {error}"));
                    self.room.pause();
                    return self.listen(false);
                }
            }
        }
        Ok(())
    }

    fn listen(&self, on: bool) -> io::Result<()> {
        let mut all = self.listeners.iter().enumerate();
        all.try_for_each(|(number, (listener, _))| self.poll.listen(listener, number, on))
    }

    /// Takes clients again after a pause.
    pub(super) fn listen_again(&mut self) -> io::Result<()> {
        if self.room.resumes() { self.listen(true) } else { Ok(()) }
    }

    fn admit(&mut self, socket: Socket, front: Front) {
        let is_control = front == Front::Control;
        if !is_control && !self.drive.is_powered() {
            return;
        }
        let alike = |client: &&Connection| matches!(client.talk, Talk::Control(_)) == is_control;
        let there = self.clients.values().filter(alike).count();
        let most = if is_control { MOST_CONTROLS } else { self.room.limits.clients };
        if there >= most {
            return self.refuse(format!("{there} clients are there, and no more are taken"));
        }
        if let Err(error) = self.welcome(socket, front) {
            self.refuse(error.to_string());
        }
    }

    /// Says that clients are refused, if nobody was told lately.
    fn refuse(&mut self, why: String) {
        if self.room.tells() {
            (self.tell)(Notice::Refused(why));
        }
    }

    fn welcome(&mut self, socket: Socket, front: Front) -> io::Result<()> {
        let mut out = Vec::new();
        let talk = match front {
            Front::Control => Talk::Control(Vec::new()),
            Front::Nbd => {
                let mut session = nbd::Session::new(self.exports.clone());
                session.greet(&mut out);
                Talk::Nbd(Box::new(session))
            }
            Front::Nvme => Talk::Nvme(Vec::new()),
            Front::VhostUser(device) => match self.open_vhost(&socket, device) {
                Some(talk) => talk,
                None => return Ok(()),
            },
        };
        let place = socket.place();
        let mut connection = Connection::new(socket, talk, self.room.most_owed());
        connection.out = out;
        let client = self.next_client;
        self.next_client += 1;
        self.poll.watch(&connection, client)?;
        self.silent.push_back((client, connection.since));
        self.clients.insert(client, connection);
        if let (Front::Nvme, Some(nvme)) = (front, &mut self.nvme) {
            nvme.open(client, place);
        }
        self.send(client);
        Ok(())
    }

    /// Reads what a client has sent.
    pub(super) fn hear(&mut self, client: u64, hung_up: bool) {
        if self.clients.get(&client).is_some_and(Connection::is_vhost) {
            return self.hear_vhost(client);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(READ, 0);
        self.read(client, hung_up, &mut buffer);
        self.buffer = buffer;
        self.send(client);
    }

    fn read(&mut self, client: u64, hung_up: bool, buffer: &mut [u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        if !connection.reads() {
            // Nobody is there to be answered, and the socket says so until it is closed.
            if hung_up {
                let ended = connection.ending;
                let why = (!ended).then(|| "it hung up with requests under way".to_owned());
                self.leave(client, why);
            }
            return;
        }
        match connection.read(buffer) {
            Ok(Got::Bytes(bytes)) => self.take(client, &buffer[..bytes]),
            Ok(Got::Nothing) => {}
            Ok(Got::End) => self.leave(client, None),
            Err(error) => self.leave(client, Some(error.to_string())),
        }
    }

    fn take(&mut self, client: u64, bytes: &[u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        match &mut connection.talk {
            Talk::Nbd(_) => self.take_nbd(client, bytes),
            Talk::Nvme(_) => self.take_nvme(client, bytes),
            Talk::Vhost { .. } => {}
            Talk::Control(_) => {
                connection.greeted |= bytes.contains(&b'\n');
                self.take_orders(client, bytes);
            }
        }
    }

    /// Clients of which something waits that has been read have their turn.
    pub(super) fn go_on(&mut self) {
        for client in std::mem::take(&mut self.turns) {
            let Some(connection) = self.clients.get_mut(&client) else { continue };
            connection.has_turn = false;
            match &mut connection.talk {
                Talk::Nbd(_) => self.go_on_nbd(client),
                Talk::Nvme(_) => self.take_nvme(client, &[]),
                Talk::Vhost { .. } | Talk::Control(_) => {}
            }
            self.send(client);
        }
    }

    /// Sends what waits for a client, and lets it go if nothing is left to do.
    pub(super) fn send(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let sent = connection.send().and_then(|()| self.poll.update(connection, client));
        match sent {
            Err(error) => return self.leave(client, Some(error.to_string())),
            Ok(()) if connection.is_over() => return self.leave(client, None),
            Ok(()) => {}
        }
        if connection.has_more() && connection.wants_more() && !connection.has_turn {
            connection.has_turn = true;
            self.turns.push(client);
        }
        self.count(client);
    }

    /// Counts what is held for a client. If all is too much, whoever holds most must leave.
    fn count(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let of_target = self.nvme.as_ref().map_or(0, |nvme| nvme.held(client));
        let held = connection.held() + of_target;
        self.room.held = self.room.held - connection.counted + held;
        connection.counted = held;
        connection.most_owed = self.room.most_owed();
        while self.room.held > self.room.limits.held
            && let Some((&client, most)) = self.clients.iter().max_by_key(|(_, one)| one.counted)
        {
            let why = format!(
                "{} bytes wait for it, the most of {} that wait for all clients",
                most.counted, self.room.held
            );
            self.leave(client, Some(why));
        }
    }

    /// Sends the answers that the model has ended. A client that does not take all of them is
    /// watched until it does.
    pub(super) fn send_answers(&mut self) {
        for client in std::mem::take(&mut self.answered) {
            self.send(client);
        }
    }

    /// Nothing more is read from a client; it leaves when it has its answers.
    pub(super) fn finish(&mut self, client: u64) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        if !connection.ending {
            connection.ending = true;
            connection.since = std::time::Instant::now();
            self.silent.push_back((client, connection.since));
        }
    }

    /// A client is gone. What the model has of it goes on and is answered to nobody.
    pub(super) fn leave(&mut self, client: u64, why: Option<String>) {
        let Some(connection) = self.clients.remove(&client) else { return };
        self.room.held -= connection.counted;
        let was_attached = connection.device.is_some();
        let why = connection.why.or(why);
        match (connection.talk, &mut self.nvme) {
            (Talk::Nvme(_), Some(nvme)) => nvme.close(client),
            (Talk::Vhost { link, .. }, _) => {
                link.into_watched().for_each(|kick| self.poll.forget(&kick));
            }
            _ => {}
        }
        if was_attached || why.is_some() {
            (self.tell)(Notice::Left(why));
        }
    }

    /// Drops clients that do not say what they want, or do not take their last answers.
    pub(super) fn drop_silent(&mut self) {
        let patience = self.room.limits.patience;
        while let Some(&(client, since)) = self.silent.front() {
            if since.elapsed() <= patience {
                return;
            }
            self.silent.pop_front();
            let waits = self.clients.get_mut(&client).filter(|waits| waits.since == since);
            let seconds = patience.as_secs_f64();
            match waits {
                // The drive may take longer than any patience: it can be served slower.
                Some(waits) if waits.ending && waits.under_way > 0 => {
                    waits.since = std::time::Instant::now();
                    self.silent.push_back((client, waits.since));
                }
                Some(waits) if waits.ending => {
                    let why = format!("it has not taken its last answers for {seconds} s");
                    self.leave(client, Some(why));
                }
                Some(waits) if waits.is_silent() => {
                    let why = match &waits.talk {
                        Talk::Control(_) => "it has ordered nothing",
                        _ => "it has not chosen a device",
                    };
                    self.leave(client, Some(format!("{why} for {seconds} s")));
                }
                _ => {}
            }
        }
    }
}

/// Whether taking a client failed because of that client.
fn is_of_client(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted)
}
