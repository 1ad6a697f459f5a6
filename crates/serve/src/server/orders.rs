//! What the control socket is told: health, power cuts, the end.

use super::connection::Talk;
use super::nvme_front::NvmeFront;
use super::{Notice, Server};
use crate::control::{self, Action, Answer, LONGEST_LINE, LastCut, Served, State};
use crate::drive::Immune;
use crate::recorder;
use engine::Instant;
use library::Surroundings;

impl Server<'_> {
    /// Takes lines of a control client.
    pub(super) fn take_orders(&mut self, client: u64, bytes: &[u8]) {
        let Some(connection) = self.clients.get_mut(&client) else { return };
        let Talk::Control(line) = &mut connection.talk else { return };
        line.extend_from_slice(bytes);
        let mut lines = Vec::new();
        while let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            lines.push(line.drain(..=end).collect::<Vec<u8>>());
        }
        if line.len() > LONGEST_LINE {
            return self.leave(client, Some("a line of the control socket is too long".to_owned()));
        }
        for line in lines {
            let action = serde_json::from_slice::<Action>(&line);
            let served = matches!(action, Ok(Action::Timeline)).then(|| self.served());
            let answer = match action {
                Ok(action) => self.obey(action),
                Err(error) => Err(format!("this is no action: {error}")),
            };
            let answer = Answer { error: answer.err(), state: self.state(), served };
            let text = serde_json::to_string(&answer).unwrap_or_default();
            if let Some(connection) = self.clients.get_mut(&client) {
                connection.out.extend_from_slice(text.as_bytes());
                connection.out.push(b'\n');
            }
        }
    }

    fn obey(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Health | Action::Timeline => {}
            Action::Age { age } => {
                let aged = self.drive.set_age(|cell| age.resolve(cell));
                self.befall("aged", aged)?;
            }
            Action::Cool { cooling, fan, ambient } => {
                let around = Surroundings { cooling, fan, ambient };
                let cooled = self.drive.cool(|heat| around.apply(heat).map_err(|d| d.message));
                self.befall("cooled otherwise", cooled)?;
            }
            Action::Throttle { limit } => {
                let name = match limit {
                    Some(limit) => format!("at most {limit}"),
                    None => "no limit of power".to_owned(),
                };
                let throttled = self.drive.throttle(limit);
                self.befall(&name, throttled)?;
            }
            Action::FailMember { member } => {
                let failed = self.drive.fail_member(member);
                self.befall(&format!("drive {member} failed"), failed)?;
            }
            Action::ReplaceMember { member } => {
                let replaced = self.drive.replace_member(member);
                self.befall(&format!("drive {member} replaced"), replaced)?;
            }
            Action::CutPower { .. } if !self.drive.is_powered() => {
                return Err("it has no power".to_owned());
            }
            Action::CutPower { within_writes, .. } if within_writes > 0 => {
                self.cut_after = Some(1 + self.moments.below(within_writes));
            }
            Action::CutPower { after_writes: 0, .. } => self.cut_power(),
            Action::CutPower { after_writes, .. } => self.cut_after = Some(after_writes),
            Action::Restore if self.drive.is_powered() => {
                return Err("it has power".to_owned());
            }
            Action::Restore => self.restore(),
            Action::Stop => self.ending = true,
        }
        Ok(())
    }

    /// Something has befallen the drive: what follows is another part of its timeline.
    fn befall(&mut self, name: &str, done: Result<(), Immune>) -> Result<(), String> {
        done.map_err(|why| why.to_string())?;
        let now = self.clock.now();
        self.recorder.begin(name, &self.drive, now);
        (self.tell)(Notice::Befell(name.to_owned()));
        Ok(())
    }

    /// Power fails: the model loses what it would lose, and all clients of the drive are gone.
    pub(super) fn cut_power(&mut self) {
        self.cut_after = None;
        let announced = self.nvme.as_ref().is_some_and(NvmeFront::is_shut_down);
        let cut = self.drive.cut_power(announced);
        while self.drive.take_end().is_some() {}
        self.asked.clear();
        if let Some(nvme) = &mut self.nvme {
            nvme.power_cycle();
        }
        self.obey_controller();
        let all = self.clients.iter();
        let of_data = all.filter(|(_, connection)| !matches!(connection.talk, Talk::Control(_)));
        let of_data: Vec<u64> = of_data.map(|(client, _)| *client).collect();
        // What was acknowledged must reach its client, which counts on it.
        of_data.iter().for_each(|client| self.send(*client));
        for client in of_data {
            self.leave(client, Some("power was cut".to_owned()));
        }
        self.recorder.begin("power cut", &self.drive, self.clock.now());
        match cut {
            Ok(cut) => {
                let cut = LastCut::from(cut);
                self.last_cut = Some(cut);
                (self.tell)(Notice::Cut(cut));
            }
            Err(error) => (self.tell)(Notice::Left(Some(format!("the store failed: {error}")))),
        }
    }

    fn restore(&mut self) {
        self.drive.restore_power();
        self.clock.set(self.drive.now());
        self.recorder.begin("power restored", &self.drive, self.clock.now());
        (self.tell)(Notice::Restored);
    }

    /// What a Record of the drive needs, up to now.
    pub fn served(&mut self) -> Served {
        let now = self.clock.now();
        self.recorder.sample(&self.drive, now);
        let (joules, seconds) = self.recorder.energy();
        Served {
            about: self.options.about.clone(),
            run: recorder::run(&self.drive, self.recorder.series(), seconds),
            mean_power_w: if seconds > 0.0 { joules / seconds } else { 0.0 },
        }
    }

    /// The state of the drive now.
    pub fn state(&self) -> State {
        let clients = self.clients.values();
        State {
            powered: self.drive.is_powered(),
            seconds: self.clock.now().since(Instant::ZERO).as_s(),
            slower: self.clock.slower(),
            clients: clients.filter(|client| client.device.is_some()).count(),
            under_way: self.drive.under_way(),
            requests: control::requests(&self.drive),
            lateness: self.lateness.summary(),
            drives: control::drives(&self.drive),
            array: self.drive.array().map(Into::into),
            limit_w: self.drive.limit().map(|limit| limit.base() as f64 / 1e6),
            cuts: self.drive.cuts(),
            last_cut: self.last_cut,
        }
    }
}
