//! Get Log Page.

use super::{ALL, Subsystem, health_log};
use crate::backend::Backend;
use crate::command::{Sqe, admin, nvm};
use crate::completion::Completion;
use crate::status::Status;
use crate::tcp::LONGEST_TRANSFER;
use crate::wire::{put, put_text};

/// Entries of the error log.
pub(crate) const ERROR_ENTRIES: usize = 16;

/// A command that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorEntry {
    number: u64,
    qid: u16,
    cid: u16,
    status: Status,
    nsid: u32,
    lba: u64,
}

/// The part of a log page that a command asks for.
pub(crate) fn part(sqe: &Sqe, log: &[u8]) -> Result<Completion, Status> {
    let dwords = u64::from(sqe.dword(10) >> 16) | u64::from(sqe.dword(11) & 0xffff) << 16;
    let offset = u64::from(sqe.dword(12)) | u64::from(sqe.dword(13)) << 32;
    let len = (dwords + 1) * 4;
    if len > LONGEST_TRANSFER.into() || !offset.is_multiple_of(4) {
        return Err(Status::INVALID_FIELD);
    }
    if len > sqe.sgl_len().into() {
        return Err(Status::DATA_LENGTH);
    }
    let start = usize::try_from(offset).ok().filter(|start| *start <= log.len());
    let start = start.ok_or(Status::INVALID_FIELD)?;
    let len = usize::try_from(len).unwrap_or(0);
    let mut data: Vec<u8> = log[start..].iter().take(len).copied().collect();
    data.resize(len, 0);
    Ok(Completion::data(data))
}

impl<B: Backend> Subsystem<B> {
    pub(crate) fn log_page(
        &mut self,
        cntlid: u16,
        sqe: &Sqe,
        now: u64,
    ) -> Result<Completion, Status> {
        let log = u8::try_from(sqe.dword(10) & 0xff).unwrap_or(0);
        let page = self.log(cntlid, log, sqe.nsid(), now)?;
        let answer = part(sqe, &page)?;
        let retain = sqe.dword(10) & 1 << 15 != 0;
        if !retain {
            if log == 0x04 {
                self.controller(cntlid)?.changed.clear();
            }
            self.unmask(cntlid, log);
        }
        Ok(answer)
    }

    fn log(&mut self, cntlid: u16, log: u8, nsid: u32, now: u64) -> Result<Vec<u8>, Status> {
        let kinds = self.back.facts().sanitize;
        let sanitizes = kinds.block || kinds.crypto || kinds.overwrite;
        let per_drive = nsid == 0 || nsid == ALL;
        match log {
            0x01 => self.error_log(cntlid),
            0x02 | 0xc0 if !per_drive => Err(Status::INVALID_FIELD),
            0x02 => {
                let health = self.back.health(now);
                let controller = self.controller(cntlid)?;
                let beyond = controller.settings.is_beyond(&health);
                Ok(health_log::page(&health, beyond, controller.error_count))
            }
            0x03 => {
                let mut page = vec![0; 512];
                page[0] = 1;
                put_text(&mut page, 8, 8, &self.back.facts().firmware);
                Ok(page)
            }
            0x04 => {
                let changed = &self.controller(cntlid)?.changed;
                let mut page: Vec<u8> = changed.iter().flat_map(|id| id.to_le_bytes()).collect();
                if changed.len() > 1024 {
                    page = ALL.to_le_bytes().to_vec();
                }
                page.resize(4096, 0);
                Ok(page)
            }
            0x05 => Ok(self.effects()),
            0x06 if self.back.facts().self_test_minutes.is_some() => Ok(self.self_tests.log(now)),
            0x81 if sanitizes => Ok(self.sanitizing.log(now)),
            0xc0 if self.back.facts().ocp => {
                let all = self.back.namespaces();
                let used = all.iter().map(|one| one.used_bytes.div_ceil(self.block(one.format)));
                Ok(health_log::ocp_page(&self.back.health(now).ocp, used.sum()))
            }
            _ => Err(Status::INVALID_LOG_PAGE),
        }
    }

    /// Commands that exist, and what they change.
    fn effects(&self) -> Vec<u8> {
        const EXISTS: u32 = 1;
        const DATA: u32 = 1 << 1;
        const NAMESPACE: u32 = 1 << 2;
        const INVENTORY: u32 = 1 << 3;
        /// No other command may be under way.
        const ALONE: u32 = 2 << 16;
        let mut page = vec![0; 4096];
        let mut tell = |queue: usize, opcode: u8, effects: u32| {
            put(&mut page, queue * 1024 + usize::from(opcode) * 4, &effects.to_le_bytes());
        };
        let plain = [
            admin::GET_LOG_PAGE,
            admin::IDENTIFY,
            admin::ABORT,
            admin::SET_FEATURES,
            admin::GET_FEATURES,
            admin::ASYNC_EVENT,
            admin::KEEP_ALIVE,
        ];
        plain.into_iter().for_each(|opcode| tell(0, opcode, EXISTS));
        tell(0, admin::NAMESPACE_MANAGEMENT, EXISTS | INVENTORY);
        tell(0, admin::NAMESPACE_ATTACHMENT, EXISTS | INVENTORY);
        tell(0, admin::FORMAT, EXISTS | DATA | NAMESPACE | ALONE);
        let facts = self.back.facts();
        if facts.sanitize != crate::backend::SanitizeKinds::default() {
            tell(0, admin::SANITIZE, EXISTS | DATA | ALONE);
        }
        if facts.self_test_minutes.is_some() {
            tell(0, admin::SELF_TEST, EXISTS);
        }
        tell(1, nvm::FLUSH, EXISTS);
        tell(1, nvm::READ, EXISTS);
        for opcode in [nvm::WRITE, nvm::WRITE_ZEROES, nvm::DATASET_MANAGEMENT] {
            tell(1, opcode, EXISTS | DATA);
        }
        page
    }

    /// Notes a command that failed.
    pub(crate) fn note(&mut self, cntlid: u16, qid: u16, sqe: &Sqe, status: Status) {
        let Some(controller) = self.controllers.get_mut(&cntlid) else { return };
        if status == Status::SUCCESS {
            return;
        }
        controller.error_count += 1;
        let (number, cid, nsid) = (controller.error_count, sqe.cid(), sqe.nsid());
        let lba = if qid > 0 { sqe.lba() } else { 0 };
        controller.errors.push_front(ErrorEntry { number, qid, cid, status, nsid, lba });
        controller.errors.truncate(ERROR_ENTRIES);
    }

    fn error_log(&mut self, cntlid: u16) -> Result<Vec<u8>, Status> {
        let mut page = vec![0; ERROR_ENTRIES * 64];
        for (place, entry) in self.controller(cntlid)?.errors.iter().enumerate() {
            let page = &mut page[place * 64..];
            put(page, 0, &entry.number.to_le_bytes());
            put(page, 8, &entry.qid.to_le_bytes());
            put(page, 10, &entry.cid.to_le_bytes());
            put(page, 12, &entry.status.field().to_le_bytes());
            // Which field was wrong is not told.
            put(page, 14, &[0xff, 0xff]);
            put(page, 16, &entry.lba.to_le_bytes());
            put(page, 24, &entry.nsid.to_le_bytes());
            // The transport is TCP.
            page[29] = 3;
        }
        Ok(page)
    }
}
