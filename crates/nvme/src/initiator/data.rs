//! Commands for data.

use super::{Queue, Result};
use crate::command::{Sqe, fabrics, nvm};
use crate::wire::{len32, put};
use std::io::{Read, Write};

/// Force Unit Access and Deallocate.
const FUA: u32 = 1 << 30;
const DEALLOCATE: u32 = 1 << 25;

fn command(opcode: u8, nsid: u32, lba: u64, blocks: u16) -> Sqe {
    let mut sqe = Sqe::new(opcode, nsid);
    put(&mut sqe.0, 40, &lba.to_le_bytes());
    put(&mut sqe.0, 48, &blocks.wrapping_sub(1).to_le_bytes());
    sqe
}

fn flagged(sqe: Sqe, on: bool, flag: u32) -> Sqe {
    let dword = sqe.dword(12);
    sqe.with(12, if on { dword | flag } else { dword })
}

impl<S: Read + Write> Queue<S> {
    /// Reads some blocks of `block` bytes.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn read(&mut self, nsid: u32, lba: u64, blocks: u16, block: u32) -> Result<Vec<u8>> {
        let len = u32::from(blocks).saturating_mul(block);
        Ok(self.call(command(nvm::READ, nsid, lba, blocks), &[], len)?.data)
    }

    /// Writes `blocks` blocks; with `fua` the data is durable when it returns.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn write(
        &mut self,
        nsid: u32,
        (lba, blocks): (u64, u16),
        data: &[u8],
        fua: bool,
    ) -> Result<()> {
        self.call(flagged(command(nvm::WRITE, nsid, lba, blocks), fua, FUA), data, 0).map(drop)
    }

    /// Zeroes some blocks, which may be given up.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn write_zeroes(&mut self, nsid: u32, lba: u64, blocks: u16, give_up: bool) -> Result<()> {
        let sqe = command(nvm::WRITE_ZEROES, nsid, lba, blocks);
        self.call(flagged(sqe, give_up, DEALLOCATE), &[], 0).map(drop)
    }

    /// Gives up ranges: first block and blocks, up to 256 of them.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn deallocate(&mut self, nsid: u32, ranges: &[(u64, u32)]) -> Result<()> {
        let mut data = vec![0; ranges.len() * 16];
        for (place, (lba, blocks)) in ranges.iter().enumerate() {
            put(&mut data, place * 16 + 4, &blocks.to_le_bytes());
            put(&mut data, place * 16 + 8, &lba.to_le_bytes());
        }
        let sqe = Sqe::new(nvm::DATASET_MANAGEMENT, nsid);
        let sqe = sqe.with(10, len32(ranges.len()).wrapping_sub(1) & 0xff).with(11, 1 << 2);
        self.call(sqe, &data, 0).map(drop)
    }

    /// Makes all writes durable that were answered before.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn flush(&mut self, nsid: u32) -> Result<()> {
        self.call(Sqe::new(nvm::FLUSH, nsid), &[], 0).map(drop)
    }

    /// Ends the queue in good order.
    ///
    /// # Errors
    /// As [`Queue::call`].
    pub fn disconnect(&mut self) -> Result<()> {
        self.call(Sqe::new(fabrics::OPCODE, fabrics::DISCONNECT.into()), &[], 0).map(drop)
    }
}
