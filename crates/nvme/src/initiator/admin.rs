//! Commands for the queue of the administrator.

use super::{Queue, Result};
use crate::command::{Sqe, admin, fabrics};
use crate::completion::Completion;
use crate::wire::{PAGE, len32, put};
use std::io::{Read, Write};

/// The part of a log page to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPart {
    /// First byte.
    pub offset: u64,
    /// Bytes, a multiple of four.
    pub len: u32,
    /// Events that the page explains stay as they are.
    pub retain: bool,
}

impl<S: Read + Write> Queue<S> {
    /// A property of the controller; `eight` is whether it has 64 bits.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn property(&mut self, offset: u32, eight: bool) -> Result<u64> {
        let sqe = Sqe::new(fabrics::OPCODE, fabrics::PROPERTY_GET.into());
        Ok(self.call(sqe.with(10, eight.into()).with(11, offset), &[], 0)?.result)
    }

    /// Sets a property of 32 bits.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn set_property(&mut self, offset: u32, value: u32) -> Result<()> {
        let sqe = Sqe::new(fabrics::OPCODE, fabrics::PROPERTY_SET.into());
        self.call(sqe.with(11, offset).with(12, value), &[], 0).map(drop)
    }

    /// Enables the controller: the command set of NVM, and the usual sizes of entries.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn enable(&mut self) -> Result<()> {
        self.set_property(0x14, 4 << 20 | 6 << 16 | 1)
    }

    /// A page of Identify; `dword` 10 has the page in its lowest byte.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn identify(&mut self, dword: u32, nsid: u32) -> Result<Vec<u8>> {
        let sqe = Sqe::new(admin::IDENTIFY, nsid).with(10, dword);
        Ok(self.call(sqe, &[], len32(PAGE))?.data)
    }

    /// A part of a log page.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn log(&mut self, log: u8, nsid: u32, part: LogPart) -> Result<Vec<u8>> {
        let dwords = (part.len / 4).wrapping_sub(1);
        let first = u32::from(log) | u32::from(part.retain) << 15 | dwords << 16;
        let offset = part.offset.to_le_bytes();
        let mut sqe = Sqe::new(admin::GET_LOG_PAGE, nsid).with(10, first).with(11, dwords >> 16);
        put(&mut sqe.0, 48, &offset);
        Ok(self.call(sqe, &[], part.len)?.data)
    }

    /// A feature. `select` is 0 for its value now, 1 for the default, 2 for what is saved, and 3
    /// for what can be done with it; `dword` 11 says more.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn feature(&mut self, feature: u8, select: u32, nsid: u32, dword: u32) -> Result<u32> {
        let sqe = Sqe::new(admin::GET_FEATURES, nsid);
        let sqe = sqe.with(10, u32::from(feature) | select << 8).with(11, dword);
        Ok(low(&self.call(sqe, &[], 0)?))
    }

    /// Sets a feature; `dword` 11 is its value.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn set_feature(&mut self, feature: u8, nsid: u32, dword: u32) -> Result<u32> {
        let sqe = Sqe::new(admin::SET_FEATURES, nsid).with(10, feature.into()).with(11, dword);
        Ok(low(&self.call(sqe, &[], 0)?))
    }

    /// Creates a namespace of some blocks; returns its identifier.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn create_namespace(&mut self, blocks: u64, format: u8) -> Result<u32> {
        let mut data = vec![0; PAGE];
        put(&mut data, 0, &blocks.to_le_bytes());
        put(&mut data, 8, &blocks.to_le_bytes());
        data[26] = format;
        Ok(low(&self.call(Sqe::new(admin::NAMESPACE_MANAGEMENT, 0), &data, 0)?))
    }

    /// Deletes a namespace.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn delete_namespace(&mut self, nsid: u32) -> Result<()> {
        self.call(Sqe::new(admin::NAMESPACE_MANAGEMENT, nsid).with(10, 1), &[], 0).map(drop)
    }

    /// Attaches a namespace to a controller, or detaches it.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn attach_namespace(&mut self, nsid: u32, controller: u16, attach: bool) -> Result<()> {
        let mut data = vec![0; PAGE];
        put(&mut data, 0, &1_u16.to_le_bytes());
        put(&mut data, 2, &controller.to_le_bytes());
        let sqe = Sqe::new(admin::NAMESPACE_ATTACHMENT, nsid).with(10, u32::from(!attach));
        self.call(sqe, &data, 0).map(drop)
    }

    /// Sends Format NVM with this dword 10; it ends when the drive is done. Returns its name.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn send_format(&mut self, nsid: u32, dword: u32) -> Result<u16> {
        self.send(Sqe::new(admin::FORMAT, nsid).with(10, dword), &[], 0)
    }

    /// Begins to sanitize: dwords 10 and 11.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn sanitize(&mut self, dword: u32, pattern: u32) -> Result<()> {
        let sqe = Sqe::new(admin::SANITIZE, 0).with(10, dword).with(11, pattern);
        self.call(sqe, &[], 0).map(drop)
    }

    /// Begins a self-test (1 short, 2 extended), or ends one (15).
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn self_test(&mut self, nsid: u32, code: u32) -> Result<()> {
        self.call(Sqe::new(admin::SELF_TEST, nsid).with(10, code), &[], 0).map(drop)
    }

    /// Asks to be told of the next event; returns the name of the command.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn request_event(&mut self) -> Result<u16> {
        self.send(Sqe::new(admin::ASYNC_EVENT, 0), &[], 0)
    }

    /// Shows the target that the host is there.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn keep_alive(&mut self) -> Result<()> {
        self.call(Sqe::new(admin::KEEP_ALIVE, 0), &[], 0).map(drop)
    }

    /// Aborts a command of this queue. False if the target did not.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn abort(&mut self, cid: u16) -> Result<bool> {
        let sqe = Sqe::new(admin::ABORT, 0).with(10, u32::from(cid) << 16);
        Ok(low(&self.call(sqe, &[], 0)?) & 1 == 0)
    }

    /// The whole of a log page of `len` bytes.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn log_page(&mut self, log: u8, len: usize) -> Result<Vec<u8>> {
        let part = LogPart { offset: 0, len: len32(len), retain: false };
        self.log(log, u32::MAX, part)
    }
}

fn low(completion: &Completion) -> u32 {
    u32::try_from(completion.result & 0xffff_ffff).unwrap_or(0)
}
