//! A controller: its registers, features and events.

use super::events::Events;
use super::features::Settings;
use super::logs::ErrorEntry;
use crate::backend::Facts;
use crate::command::{Sqe, fabrics};
use crate::completion::Completion;
use crate::connect::Connect;
use crate::status::Status;
use crate::tcp::MOST_ENTRIES;
use crate::wire::u64_at;
use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

/// NVMe 1.4.
pub(crate) const VERSION: u32 = 0x0001_0400;

/// Offsets of the properties.
const CAPABILITIES: u32 = 0x00;
const VERSION_AT: u32 = 0x08;
const CONFIGURATION: u32 = 0x14;
const STATUS: u32 = 0x1c;

/// Bits of the configuration.
const ENABLE: u32 = 1;
const SHUTDOWN: u32 = 3 << 14;

/// What a controller is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Drive,
    Discovery,
}

/// A controller.
#[derive(Debug)]
pub(crate) struct Controller {
    pub role: Role,
    pub host: String,
    /// Queues for data.
    pub queues: BTreeSet<u16>,
    /// When the host last sent a command.
    pub heard: u64,
    pub keep_alive_ms: u32,
    pub settings: Settings,
    pub events: Events,
    /// Namespaces that changed since the host asked.
    pub changed: BTreeSet<u32>,
    pub errors: VecDeque<ErrorEntry>,
    pub error_count: u64,
    /// Where the host found the subsystem.
    pub place: SocketAddr,
    configuration: u32,
}

impl Controller {
    pub(crate) fn new(
        (role, place): (Role, SocketAddr),
        connect: &Connect,
        facts: &Facts,
        now: u64,
    ) -> Self {
        Controller {
            role,
            host: connect.host.clone(),
            queues: BTreeSet::new(),
            heard: now,
            keep_alive_ms: connect.keep_alive_ms,
            settings: Settings::new(facts),
            events: Events::default(),
            changed: BTreeSet::new(),
            errors: VecDeque::new(),
            error_count: 0,
            place,
            configuration: 0,
        }
    }

    /// It carries out commands.
    pub(crate) fn is_ready(&self) -> bool {
        self.configuration & ENABLE != 0 && self.configuration & SHUTDOWN == 0
    }

    /// Its host has said that power may go.
    pub(crate) fn is_shut_down(&self) -> bool {
        self.configuration & SHUTDOWN != 0
    }

    pub(crate) fn is_expired(&self, now: u64) -> bool {
        let limit = u64::from(self.keep_alive_ms) * 1_000_000;
        limit > 0 && now.saturating_sub(self.heard) > limit
    }

    /// Carries out a command of the fabrics about properties.
    pub(crate) fn property(&mut self, sqe: &Sqe) -> Result<Completion, Status> {
        let (offset, eight) = (sqe.dword(11), sqe.dword(10) & 7 == 1);
        if sqe.dword(10) & 6 != 0 {
            return Err(Status::INVALID_FIELD);
        }
        match sqe.fabrics_type() {
            fabrics::PROPERTY_GET => self.read(offset, eight).map(Completion::ok),
            fabrics::PROPERTY_SET if offset == CONFIGURATION && !eight => {
                // The lower dword is the whole of it.
                self.configure(u32::try_from(u64_at(&sqe.0, 48) & 0xffff_ffff).unwrap_or(0));
                Ok(Completion::ok(0))
            }
            fabrics::PROPERTY_SET => Err(Status::INVALID_FIELD),
            fabrics::CONNECT => Err(Status::SEQUENCE),
            fabrics::DISCONNECT => Err(Status::QUEUE_TYPE),
            _ => Err(Status::INVALID_OPCODE),
        }
    }

    fn read(&self, offset: u32, eight: bool) -> Result<u64, Status> {
        match (offset, eight) {
            (CAPABILITIES, true) => {
                // Queues lie in one piece; ten seconds to become ready; the command set is NVM.
                Ok(u64::from(MOST_ENTRIES - 1) | 1 << 16 | 20 << 24 | 1 << 37)
            }
            (VERSION_AT, false) => Ok(VERSION.into()),
            (CONFIGURATION, false) => Ok(self.configuration.into()),
            (STATUS, false) => {
                let shut = if self.configuration & SHUTDOWN != 0 { 2 << 2 } else { 0 };
                Ok(u64::from(self.configuration & ENABLE) | shut)
            }
            _ => Err(Status::INVALID_FIELD),
        }
    }

    /// A controller that is disabled forgets what its host set, and its event requests.
    fn configure(&mut self, configuration: u32) {
        let was = self.configuration & ENABLE != 0;
        self.configuration = configuration;
        if was && configuration & ENABLE == 0 {
            self.settings.reset();
            self.events = Events::default();
            self.changed.clear();
        }
    }
}
