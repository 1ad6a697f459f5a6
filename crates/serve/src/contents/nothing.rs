//! No bytes at all, for measurements that write more than memory holds.

use super::Medium;
use std::io;

/// A medium that keeps nothing: everything reads as zeros.
#[derive(Debug, Default)]
pub struct NoMedium;

impl Medium for NoMedium {
    fn read(&self, _start: u64, to: &mut [u8]) -> io::Result<()> {
        to.fill(0);
        Ok(())
    }

    fn write(&mut self, _start: u64, _from: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self, _start: u64, _len: u64) -> io::Result<()> {
        Ok(())
    }
}
