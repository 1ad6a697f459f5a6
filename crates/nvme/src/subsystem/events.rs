//! Events that hosts are told of without asking each time.

use super::{Done, Outcome, Subsystem};
use crate::backend::{Backend, Health};
use crate::completion::Completion;
use crate::status::Status;
use std::collections::{BTreeSet, VecDeque};

/// Event requests that a controller holds.
pub(crate) const MOST_REQUESTS: usize = 4;

/// Bits of the critical warning that the health log and the configuration of events share.
pub(crate) const SPARE: u8 = 1;
pub(crate) const TEMPERATURE: u8 = 1 << 1;
pub(crate) const DEGRADED: u8 = 1 << 2;
pub(crate) const READ_ONLY: u8 = 1 << 3;
pub(crate) const BACKUP: u8 = 1 << 4;

/// Bit of the configuration for namespaces.
pub(crate) const NAMESPACES: u32 = 1 << 8;

/// What a host is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    Degraded,
    Temperature,
    Spare,
    Namespaces,
    Sanitized,
}

impl Event {
    /// Type, information and log page.
    fn code(self) -> (u8, u8, u8) {
        match self {
            Event::Degraded => (1, 0, 0x02),
            Event::Temperature => (1, 1, 0x02),
            Event::Spare => (1, 2, 0x02),
            Event::Namespaces => (2, 0, 0x04),
            Event::Sanitized => (6, 1, 0x81),
        }
    }

    fn result(self) -> u64 {
        let (kind, information, log) = self.code();
        u64::from(kind) | u64::from(information) << 8 | u64::from(log) << 16
    }
}

/// The events of one controller.
#[derive(Debug, Default)]
pub(crate) struct Events {
    requests: VecDeque<u16>,
    pending: BTreeSet<Event>,
    /// Types that wait for their log page to be read.
    masked: BTreeSet<u8>,
    /// The critical warnings that were there at the last look.
    warnings: u8,
}

impl Events {
    /// The next request with the event that answers it.
    fn next(&mut self) -> Option<(u16, Event)> {
        let open = |event: &&Event| !self.masked.contains(&event.code().0);
        let event = *self.pending.iter().find(open)?;
        let cid = self.requests.pop_front()?;
        self.pending.remove(&event);
        self.masked.insert(event.code().0);
        Some((cid, event))
    }
}

impl<B: Backend> Subsystem<B> {
    pub(crate) fn hold_event_request(&mut self, cntlid: u16, cid: u16) -> Outcome {
        match self.controllers.get_mut(&cntlid) {
            Some(controller) if controller.events.requests.len() < MOST_REQUESTS => {
                controller.events.requests.push_back(cid);
                self.tell(cntlid);
                Outcome::Later
            }
            _ => Status::EVENT_LIMIT.into(),
        }
    }

    /// Drops a request; false if there is none of this name.
    pub(crate) fn drop_event_request(&mut self, cntlid: u16, cid: u16) -> bool {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return false };
        let requests = &mut controller.events.requests;
        let before = requests.len();
        requests.retain(|held| *held != cid);
        requests.len() < before
    }

    /// Tells a controller's host of an event, now or when it asks.
    pub(crate) fn raise(&mut self, cntlid: u16, event: Event) {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return };
        controller.events.pending.insert(event);
        self.tell(cntlid);
    }

    fn tell(&mut self, cntlid: u16) {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return };
        while let Some((cid, event)) = controller.events.next() {
            let completion = Completion::ok(event.result());
            self.done.push_back(Done { cntlid, cid, completion });
        }
    }

    /// The host has read a log page: events that it explains may come again.
    pub(crate) fn unmask(&mut self, cntlid: u16, log: u8) {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return };
        controller.events.pending.retain(|event| event.code().2 != log);
        match log {
            0x02 => controller.events.masked.remove(&1),
            0x04 => controller.events.masked.remove(&2),
            0x81 => controller.events.masked.remove(&6),
            _ => false,
        };
        self.tell(cntlid);
    }

    /// Tells the hosts of all controllers but `of` that a namespace is not what it was.
    pub(crate) fn namespace_changed(&mut self, of: u16, nsid: u32) {
        let others: Vec<u16> = self.controllers.keys().copied().filter(|id| *id != of).collect();
        for cntlid in others {
            self.note_change(cntlid, nsid);
        }
    }

    /// Tells the host of one controller that a namespace is not what it was.
    pub(crate) fn note_change(&mut self, cntlid: u16, nsid: u32) {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return };
        controller.changed.insert(nsid);
        if controller.settings.events & NAMESPACES != 0 {
            self.raise(cntlid, Event::Namespaces);
        }
    }

    /// Tells hosts of critical warnings that are new.
    pub(crate) fn watch_health(&mut self, now: u64) {
        if self.controllers.is_empty() {
            return;
        }
        let health = self.back.health(now);
        let ids: Vec<u16> = self.controllers.keys().copied().collect();
        for cntlid in ids {
            let Some(controller) = self.controllers.get_mut(&cntlid) else { continue };
            let warnings = warnings(&health, controller.settings.is_beyond(&health));
            let wanted = u8::try_from(controller.settings.events & 0xff).unwrap_or(0);
            let new = warnings & !controller.events.warnings & wanted;
            controller.events.warnings = warnings;
            if new & SPARE != 0 {
                self.raise(cntlid, Event::Spare);
            }
            if new & TEMPERATURE != 0 {
                self.raise(cntlid, Event::Temperature);
            }
            if new & (DEGRADED | READ_ONLY | BACKUP) != 0 {
                self.raise(cntlid, Event::Degraded);
            }
        }
    }
}

/// The critical warnings of the health log.
pub(crate) fn warnings(health: &Health, beyond: bool) -> u8 {
    let set = |on: bool, bit: u8| if on { bit } else { 0 };
    set(health.spare < health.spare_threshold, SPARE)
        | set(beyond, TEMPERATURE)
        | set(health.degraded, DEGRADED)
        | set(health.read_only, READ_ONLY)
        | set(health.backup_failed, BACKUP)
}
