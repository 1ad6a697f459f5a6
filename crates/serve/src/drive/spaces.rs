//! The namespaces of a drive, and which of its ranges clients may not reach for now.

use super::{Arrival, LiveDrive};
use crate::spaces::Spaces;

impl LiveDrive {
    /// The namespaces of the first device: one that is all of it, or those that hosts have made.
    pub fn spaces(&self) -> Spaces {
        self.spaces.clone().unwrap_or_else(|| Spaces::whole(self.bytes(), self.block()))
    }

    /// Bytes of the first device.
    pub(super) fn bytes(&self) -> u64 {
        self.devices().first().map_or(0, |device| device.bytes)
    }

    /// Hosts have made these namespaces. They are kept with what the device holds.
    ///
    /// # Errors
    /// What the store says.
    pub fn set_spaces(&mut self, spaces: &Spaces) -> std::io::Result<()> {
        if self.spaces.as_ref() == Some(spaces) {
            return Ok(());
        }
        let are_new = self.spaces() != *spaces;
        self.spaces = Some(spaces.clone());
        if are_new { self.contents[0].keep_spaces(spaces.kept()) } else { Ok(()) }
    }

    /// Ranges of the first device, first byte and bytes, that are closed to clients until others
    /// are named.
    pub fn close(&mut self, ranges: Vec<(u64, u64)>) {
        self.closed = ranges;
    }

    /// Whether a client may not reach a range now.
    pub(super) fn is_closed(&self, arrival: &Arrival) -> bool {
        let Arrival { device, start, len, own, .. } = *arrival;
        let meets = |&(first, bytes): &(u64, u64)| start < first + bytes && first < start + len;
        !own && device == 0 && self.closed.iter().any(meets)
    }
}
