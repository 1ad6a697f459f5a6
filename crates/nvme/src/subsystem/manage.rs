//! Namespace Management and Namespace Attachment.

use super::{ALL, Subsystem};
use crate::backend::Backend;
use crate::command::Sqe;
use crate::completion::Completion;
use crate::status::Status;
use crate::wire::{PAGE, u16_at, u64_at};

impl<B: Backend> Subsystem<B> {
    pub(crate) fn manage(
        &mut self,
        cntlid: u16,
        sqe: &Sqe,
        data: &[u8],
    ) -> Result<Completion, Status> {
        match sqe.dword(10) & 0xf {
            0 => self.create(sqe, data),
            1 => self.delete(cntlid, sqe.nsid()),
            _ => Err(Status::INVALID_FIELD),
        }
    }

    fn create(&mut self, sqe: &Sqe, data: &[u8]) -> Result<Completion, Status> {
        if sqe.dword(11) >> 24 != 0 {
            return Err(Status::COMMAND_SET);
        }
        if data.len() != PAGE {
            return Err(Status::DATA_LENGTH);
        }
        let (size, capacity) = (u64_at(data, 0), u64_at(data, 8));
        if size != capacity {
            return Err(Status::THIN);
        }
        let (format, protection) = (data[26], data[29]);
        if usize::from(format) >= self.back.facts().formats.len() || protection != 0 {
            return Err(Status::INVALID_FORMAT);
        }
        let bytes = size.checked_mul(self.block(format)).ok_or(Status::NAMESPACE_CAPACITY)?;
        let nsid = self.back.create(bytes, format)?;
        Ok(Completion::ok(nsid.into()))
    }

    fn delete(&mut self, cntlid: u16, nsid: u32) -> Result<Completion, Status> {
        let doomed = if nsid == ALL { self.back.namespaces() } else { vec![self.allocated(nsid)?] };
        if doomed.iter().any(|one| self.is_formatting(one.nsid)) {
            return Err(Status::FORMAT_IN_PROGRESS);
        }
        for namespace in doomed {
            self.back.delete(namespace.nsid)?;
            if namespace.attached {
                self.namespace_changed(cntlid, namespace.nsid);
            }
        }
        Ok(Completion::ok(0))
    }

    /// A namespace is attached to all controllers or to none, whichever of them the list names.
    pub(crate) fn attachment(
        &mut self,
        cntlid: u16,
        sqe: &Sqe,
        data: &[u8],
    ) -> Result<Completion, Status> {
        let attach = match sqe.dword(10) & 0xf {
            0 => true,
            1 => false,
            _ => return Err(Status::INVALID_FIELD),
        };
        if data.len() != PAGE {
            return Err(Status::DATA_LENGTH);
        }
        let namespace = self.allocated(sqe.nsid())?;
        let count = usize::from(u16_at(data, 0));
        let ids = (0..count.min(2047)).map(|place| u16_at(data, 2 + place * 2));
        let known =
            |id: u16| self.controllers.get(&id).is_some_and(|one| one.role == super::Role::Drive);
        if count == 0 || count > 2047 || !ids.into_iter().all(known) {
            return Err(Status::CONTROLLER_LIST);
        }
        if self.is_formatting(namespace.nsid) {
            return Err(Status::FORMAT_IN_PROGRESS);
        }
        self.back.attach(namespace.nsid, attach)?;
        self.namespace_changed(cntlid, namespace.nsid);
        Ok(Completion::ok(0))
    }
}
