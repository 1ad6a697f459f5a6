//! Get Features and Set Features.

use super::{ALL, MOST_QUEUES, Subsystem};
use crate::backend::{Backend, Facts, Health};
use crate::command::Sqe;
use crate::completion::Completion;
use crate::status::Status;
use std::collections::BTreeMap;

/// Numbers of the features.
mod id {
    pub(super) const ARBITRATION: u32 = 0x01;
    pub(super) const POWER: u32 = 0x02;
    pub(super) const TEMPERATURE: u32 = 0x04;
    pub(super) const ERROR_RECOVERY: u32 = 0x05;
    pub(super) const WRITE_CACHE: u32 = 0x06;
    pub(super) const QUEUES: u32 = 0x07;
    pub(super) const ATOMICITY: u32 = 0x0a;
    pub(super) const EVENTS: u32 = 0x0b;
    pub(super) const KEEP_ALIVE: u32 = 0x0f;
    pub(super) const SOFTWARE_PROGRESS: u32 = 0x80;
}

/// Events that can be asked for: the critical warnings, and changes of namespaces.
const EVENTS: u32 = 0x1f | super::events::NAMESPACES;

/// What the host of a controller has set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    arbitration: u32,
    /// Kelvin of the drive and of its sensors: warnings above and below.
    over: [u16; 9],
    under: [u16; 9],
    default_over: u16,
    error_recovery: BTreeMap<u32, u32>,
    queues: u32,
    /// Bit 0: writes beyond a block need not be atomic.
    atomicity: u32,
    pub events: u32,
}

impl Settings {
    pub(crate) fn new(facts: &Facts) -> Self {
        let default_over = if facts.warning_kelvin == 0 { 0xffff } else { facts.warning_kelvin };
        let mut over = [0xffff; 9];
        over[0] = default_over;
        let most = u32::from(MOST_QUEUES - 1);
        Settings {
            arbitration: 0,
            over,
            under: [0; 9],
            default_over,
            error_recovery: BTreeMap::new(),
            queues: most << 16 | most,
            atomicity: 0,
            events: 0,
        }
    }

    /// Back to the defaults.
    pub(crate) fn reset(&mut self) {
        let facts = self.default_over;
        let most = u32::from(MOST_QUEUES - 1);
        self.over = [0xffff; 9];
        self.over[0] = facts;
        self.under = [0; 9];
        (self.arbitration, self.atomicity, self.events) = (0, 0, 0);
        self.queues = most << 16 | most;
        self.error_recovery.clear();
    }

    /// Whether a temperature is beyond its threshold.
    pub(crate) fn is_beyond(&self, health: &Health) -> bool {
        let all = std::iter::once(health.kelvin).chain(health.sensors);
        let limits = self.over.iter().zip(self.under);
        let known = all.zip(limits).filter(|(kelvin, _)| *kelvin > 0);
        known.into_iter().any(|(kelvin, (over, under))| kelvin >= *over || kelvin <= under)
    }

    /// The threshold that dword 11 names.
    fn threshold(&mut self, dword: u32) -> Result<&mut u16, Status> {
        let sensor = usize::try_from(dword >> 16 & 0xf).unwrap_or(usize::MAX);
        let row = match dword >> 20 & 3 {
            0 => &mut self.over,
            1 => &mut self.under,
            _ => return Err(Status::INVALID_FIELD),
        };
        row.get_mut(sensor).ok_or(Status::INVALID_FIELD)
    }

    fn set_threshold(&mut self, dword: u32) -> Result<(), Status> {
        let kelvin = u16::try_from(dword & 0xffff).unwrap_or(u16::MAX);
        if dword >> 16 & 0xf != 0xf {
            *self.threshold(dword)? = kelvin;
            return Ok(());
        }
        for sensor in 0..9 {
            *self.threshold(dword & !(0xf << 16) | sensor << 16)? = kelvin;
        }
        Ok(())
    }
}

impl<B: Backend> Subsystem<B> {
    /// Whether a feature exists, and whether it is one of namespaces.
    fn known_feature(&self, feature: u32) -> Result<bool, Status> {
        match feature {
            id::ERROR_RECOVERY => Ok(true),
            id::WRITE_CACHE if !self.back.facts().volatile_cache => Err(Status::INVALID_FIELD),
            id::ARBITRATION
            | id::POWER
            | id::TEMPERATURE
            | id::WRITE_CACHE
            | id::QUEUES
            | id::ATOMICITY
            | id::EVENTS
            | id::KEEP_ALIVE
            | id::SOFTWARE_PROGRESS => Ok(false),
            // Interrupts (08h, 09h) are none of the fabrics.
            _ => Err(Status::INVALID_FIELD),
        }
    }

    pub(crate) fn get_feature(&mut self, cntlid: u16, sqe: &Sqe) -> Result<Completion, Status> {
        let (feature, select) = (sqe.dword(10) & 0xff, sqe.dword(10) >> 8 & 7);
        let of_namespace = self.known_feature(feature)?;
        match select {
            0 => {
                if of_namespace {
                    self.active(sqe.nsid())?;
                }
                self.current(cntlid, feature, sqe).map(|value| Completion::ok(value.into()))
            }
            // Nothing is saved, so what is saved is the default.
            1 | 2 => self.default(cntlid, feature, sqe).map(|value| Completion::ok(value.into())),
            3 => {
                let changeable = 1 << 2;
                Ok(Completion::ok(changeable | u64::from(of_namespace) << 1))
            }
            _ => Err(Status::INVALID_FIELD),
        }
    }

    fn current(&mut self, cntlid: u16, feature: u32, sqe: &Sqe) -> Result<u32, Status> {
        let (power, cache) = (self.power_state, self.write_cache);
        let progress = self.software_progress;
        let controller = self.controller(cntlid)?;
        let settings = &mut controller.settings;
        Ok(match feature {
            id::ARBITRATION => settings.arbitration,
            id::POWER => power.into(),
            id::TEMPERATURE => (*settings.threshold(sqe.dword(11))?).into(),
            id::ERROR_RECOVERY => settings.error_recovery.get(&sqe.nsid()).copied().unwrap_or(0),
            id::WRITE_CACHE => cache.into(),
            id::QUEUES => settings.queues,
            id::ATOMICITY => settings.atomicity,
            id::EVENTS => settings.events,
            id::KEEP_ALIVE => controller.keep_alive_ms,
            _ => progress.into(),
        })
    }

    fn default(&mut self, cntlid: u16, feature: u32, sqe: &Sqe) -> Result<u32, Status> {
        let most = u32::from(MOST_QUEUES - 1);
        Ok(match feature {
            id::TEMPERATURE => {
                let mut fresh = self.controller(cntlid)?.settings.clone();
                fresh.reset();
                (*fresh.threshold(sqe.dword(11))?).into()
            }
            id::WRITE_CACHE => 1,
            id::QUEUES => most << 16 | most,
            _ => 0,
        })
    }

    pub(crate) fn set_feature(&mut self, cntlid: u16, sqe: &Sqe) -> Result<Completion, Status> {
        let (feature, value) = (sqe.dword(10) & 0xff, sqe.dword(11));
        let of_namespace = self.known_feature(feature)?;
        if sqe.dword(10) >> 31 != 0 {
            return Err(Status::NOT_SAVEABLE);
        }
        if !of_namespace && sqe.nsid() != 0 && sqe.nsid() != ALL {
            return Err(Status::NOT_OF_NAMESPACE);
        }
        let mut result = 0;
        match feature {
            id::ARBITRATION => self.controller(cntlid)?.settings.arbitration = value,
            id::POWER => self.set_power(value)?,
            id::TEMPERATURE => self.controller(cntlid)?.settings.set_threshold(value)?,
            id::ERROR_RECOVERY => self.set_recovery(cntlid, sqe.nsid(), value)?,
            id::WRITE_CACHE => {
                self.write_cache = value & 1 != 0;
                self.back.set_write_cache(self.write_cache);
            }
            id::QUEUES => result = self.set_queues(cntlid, value)?,
            id::ATOMICITY => self.controller(cntlid)?.settings.atomicity = value & 1,
            id::EVENTS if value & !EVENTS != 0 => return Err(Status::INVALID_FIELD),
            id::EVENTS => self.controller(cntlid)?.settings.events = value,
            id::KEEP_ALIVE => self.controller(cntlid)?.keep_alive_ms = value,
            _ => self.software_progress = u8::try_from(value & 0xff).unwrap_or(0),
        }
        Ok(Completion::ok(result))
    }

    /// Another power state of the drive.
    fn set_power(&mut self, value: u32) -> Result<(), Status> {
        let state = u8::try_from(value & 0x1f).unwrap_or(u8::MAX);
        let known = self.back.facts().power_states.get(usize::from(state)).copied();
        let known = known.ok_or(Status::INVALID_FIELD)?;
        self.power_state = state;
        if !known.idle {
            self.working_state = state;
        }
        self.back.set_power_state(state);
        Ok(())
    }

    fn set_recovery(&mut self, cntlid: u16, nsid: u32, value: u32) -> Result<(), Status> {
        // Errors of blocks that were given up cannot be asked for.
        if value >> 16 != 0 {
            return Err(Status::INVALID_FIELD);
        }
        let all = self.back.namespaces();
        let active = all.iter().filter(|namespace| namespace.attached);
        let mut ids: Vec<u32> = active.map(|namespace| namespace.nsid).collect();
        if nsid != ALL {
            ids = vec![self.active(nsid)?.nsid];
        }
        let settings = &mut self.controller(cntlid)?.settings;
        settings.error_recovery.extend(ids.into_iter().map(|nsid| (nsid, value)));
        Ok(())
    }

    /// How many queues for data the host may connect; not to be asked again once it has.
    fn set_queues(&mut self, cntlid: u16, value: u32) -> Result<u64, Status> {
        let controller = self.controller(cntlid)?;
        let (submit, complete) = (value & 0xffff, value >> 16);
        if submit == 0xffff || complete == 0xffff {
            return Err(Status::INVALID_FIELD);
        }
        if !controller.queues.is_empty() {
            return Err(Status::SEQUENCE);
        }
        let most = u32::from(MOST_QUEUES - 1);
        controller.settings.queues = complete.min(most) << 16 | submit.min(most);
        Ok(controller.settings.queues.into())
    }
}
