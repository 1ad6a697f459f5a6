//! Identify.

use super::controller::VERSION;
use super::events::MOST_REQUESTS;
use super::logs::ERROR_ENTRIES;
use super::{ALL, Subsystem};
use crate::backend::{Backend, Facts, Namespace};
use crate::command::Sqe;
use crate::completion::Completion;
use crate::status::Status;
use crate::tcp::{IN_CAPSULE, LONGEST_TRANSFER, MOST_ENTRIES};
use crate::wire::{PAGE, put, put_text};

/// Optional commands of the administrator: format, namespaces, self-test.
const FORMAT: u16 = 1 << 1;
const MANAGEMENT: u16 = 1 << 3;
const SELF_TEST: u16 = 1 << 4;

/// Optional commands for data: dataset management, zeroes, the selection of features.
const OPTIONAL_IO: u16 = 1 << 2 | 1 << 3 | 1 << 4;

/// Events of namespaces.
const EVENTS: u32 = 1 << 8;

impl<B: Backend> Subsystem<B> {
    pub(crate) fn identify(&mut self, cntlid: u16, sqe: &Sqe) -> Result<Completion, Status> {
        let (what, nsid) = (sqe.dword(10) & 0xff, sqe.nsid());
        let page = match what {
            0x00 if nsid == ALL => self.common(),
            0x00 => self.namespace(nsid, true)?,
            0x01 => self.identify_controller(cntlid),
            0x02 => self.list(nsid, |namespace| namespace.attached)?,
            0x03 => self.descriptors(nsid)?,
            // The command set of NVM has nothing to add.
            0x05 | 0x06 if sqe.dword(11) >> 24 == 0 => vec![0; PAGE],
            0x10 => self.list(nsid, |_| true)?,
            0x11 => self.namespace(nsid, false)?,
            0x12 => {
                let attached = self.allocated(nsid)?.attached;
                self.controllers_from(sqe, attached)
            }
            0x13 => self.controllers_from(sqe, true),
            _ => return Err(Status::INVALID_FIELD),
        };
        Ok(Completion::data(page))
    }

    /// What all namespaces have in common.
    fn common(&self) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        put_formats(&mut page, self.back.facts());
        page
    }

    /// A namespace; zeroes if hosts do not see it and `active` is wanted.
    fn namespace(&self, nsid: u32, active: bool) -> Result<Vec<u8>, Status> {
        let known = match self.allocated(nsid) {
            Ok(namespace) if namespace.attached || !active => namespace,
            Ok(_) | Err(Status::INVALID_FIELD) => return Ok(vec![0; PAGE]),
            Err(status) => return Err(status),
        };
        let Namespace { bytes, format, used_bytes, nguid, .. } = known;
        let block = self.block(format);
        let mut page = self.common();
        let (size, used) = (bytes / block, used_bytes.div_ceil(block));
        put(&mut page, 0, &size.to_le_bytes());
        put(&mut page, 8, &size.to_le_bytes());
        put(&mut page, 16, &used.min(size).to_le_bytes());
        page[26] = format;
        // All controllers share it.
        page[30] = 1;
        // Blocks that were given up read as zeroes, and Write Zeroes can give up blocks.
        page[33] = 1 | 1 << 3;
        put(&mut page, 48, &u128::from(bytes).to_le_bytes());
        put(&mut page, 104, &nguid);
        Ok(page)
    }

    /// The identifiers above `after`.
    fn list(&self, after: u32, wanted: fn(&Namespace) -> bool) -> Result<Vec<u8>, Status> {
        if after >= ALL - 1 {
            return Err(Status::INVALID_NAMESPACE);
        }
        let all = self.back.namespaces();
        let ids = all.iter().filter(|one| wanted(one) && one.nsid > after).map(|one| one.nsid);
        let mut page: Vec<u8> = ids.take(PAGE / 4).flat_map(u32::to_le_bytes).collect();
        page.resize(PAGE, 0);
        Ok(page)
    }

    fn descriptors(&self, nsid: u32) -> Result<Vec<u8>, Status> {
        let namespace = self.active(nsid)?;
        let mut page = vec![0; PAGE];
        put(&mut page, 0, &[2, 16]);
        put(&mut page, 4, &namespace.nguid);
        Ok(page)
    }

    /// The controllers from the identifier in dword 10 on.
    fn controllers_from(&self, sqe: &Sqe, any: bool) -> Vec<u8> {
        let from = sqe.dword(10) >> 16;
        let drives = self.controllers.iter().filter(|(_, one)| one.role == super::Role::Drive);
        let ids = drives.map(|(id, _)| *id).filter(|id| any && u32::from(*id) >= from);
        let ids: Vec<u16> = ids.take(2047).collect();
        let mut page = vec![0; PAGE];
        put(&mut page, 0, &u16::try_from(ids.len()).unwrap_or(0).to_le_bytes());
        for (place, id) in ids.iter().enumerate() {
            put(&mut page, 2 + place * 2, &id.to_le_bytes());
        }
        page
    }

    fn identify_controller(&self, cntlid: u16) -> Vec<u8> {
        let facts = self.back.facts();
        let mut page = vec![0; PAGE];
        put_text(&mut page, 4, 20, &facts.serial);
        put_text(&mut page, 24, 40, &facts.model);
        put_text(&mut page, 64, 8, &facts.firmware);
        // The subsystem may have several controllers.
        page[76] = 1 << 1;
        put_common(&mut page, cntlid, 1);
        put(&mut page, 92, &EVENTS.to_le_bytes());
        let tests = if facts.self_test_minutes.is_some() { SELF_TEST } else { 0 };
        put(&mut page, 256, &(FORMAT | MANAGEMENT | tests).to_le_bytes());
        put_limits(&mut page);
        put_drive(&mut page, facts);
        let held: u64 = self.back.namespaces().iter().map(|one| one.bytes).sum();
        let free = facts.total_bytes.saturating_sub(held);
        put(&mut page, 296, &u128::from(free).to_le_bytes());
        put_text(&mut page, 768, self.name.len().min(256), &self.name);
        put_power_states(&mut page, facts);
        page
    }
}

/// The fields that a controller for discovery has too. `kind` is 1 for a drive, 2 for discovery.
pub(crate) fn put_common(page: &mut [u8], cntlid: u16, kind: u8) {
    let pages = (LONGEST_TRANSFER >> 12).ilog2();
    page[77] = u8::try_from(pages).unwrap_or(0);
    put(page, 78, &cntlid.to_le_bytes());
    put(page, 80, &VERSION.to_le_bytes());
    // Every command restarts the timer of the keep-alive, whose unit is a second.
    put(page, 96, &(1_u32 << 6).to_le_bytes());
    put(page, 320, &10_u16.to_le_bytes());
    page[111] = kind;
    // Log pages can be read from an offset on; effects of commands are told.
    page[261] = 1 << 1 | 1 << 2;
    put(page, 514, &MOST_ENTRIES.to_le_bytes());
    // SGLs, and addresses that are offsets in a capsule.
    put(page, 536, &(1_u32 | 1 << 20).to_le_bytes());
    put(page, 1792, &((64 + IN_CAPSULE) / 16).to_le_bytes());
    put(page, 1796, &1_u32.to_le_bytes());
    page[1803] = 1;
}

/// What limits commands of a controller of a drive.
fn put_limits(page: &mut [u8]) {
    page[258] = 3;
    page[259] = u8::try_from(MOST_REQUESTS - 1).unwrap_or(0);
    // One slot of firmware, which cannot be written.
    page[260] = 1 | 1 << 1;
    page[262] = u8::try_from(ERROR_ENTRIES - 1).unwrap_or(0);
    page[512] = 6 << 4 | 6;
    page[513] = 4 << 4 | 4;
    put(page, 520, &OPTIONAL_IO.to_le_bytes());
}

/// What the drive is.
fn put_drive(page: &mut [u8], facts: &Facts) {
    put(page, 266, &facts.warning_kelvin.to_le_bytes());
    put(page, 268, &facts.critical_kelvin.to_le_bytes());
    put(page, 280, &u128::from(facts.total_bytes).to_le_bytes());
    put(page, 316, &facts.self_test_minutes.unwrap_or(0).to_le_bytes());
    // One self-test at a time.
    page[318] = u8::from(facts.self_test_minutes.is_some());
    let kinds = facts.sanitize;
    let sanitize =
        u32::from(kinds.crypto) | u32::from(kinds.block) << 1 | u32::from(kinds.overwrite) << 2;
    put(page, 328, &sanitize.to_le_bytes());
    put(page, 516, &facts.most_namespaces.to_le_bytes());
    page[524] = u8::from(facts.crypto_erase) << 2;
    // A flush is of one namespace.
    page[525] = 2 << 1 | u8::from(facts.volatile_cache);
}

fn put_power_states(page: &mut [u8], facts: &Facts) {
    let states = facts.power_states.iter().take(32);
    page[263] = u8::try_from(states.len().saturating_sub(1)).unwrap_or(0);
    for (place, state) in states.enumerate() {
        let at = 2048 + place * 32;
        put(page, at, &state.centiwatts.to_le_bytes());
        page[at + 3] = u8::from(state.idle) << 1;
        put(page, at + 4, &state.entry_us.to_le_bytes());
        put(page, at + 8, &state.exit_us.to_le_bytes());
    }
}

fn put_formats(page: &mut [u8], facts: &Facts) {
    let formats = facts.formats.iter().take(16);
    page[25] = u8::try_from(formats.len().saturating_sub(1)).unwrap_or(0);
    for (place, bytes) in formats.enumerate() {
        page[128 + place * 4 + 2] = u8::try_from(bytes.max(&512).ilog2()).unwrap_or(9);
    }
}
