//! A channel: one transfer at a time. Read data goes before program data; program data goes page
//! by page, so that a read waits for one page at most, or in longer bursts.

use super::read::ReadList;
use std::collections::VecDeque;

/// What a channel moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transfer {
    /// Sensed data to the controller.
    Read(u32),
    /// A page of program data to this die.
    Slice(u32),
}

/// A bus shared by several dies.
#[derive(Default)]
pub(super) struct Channel {
    pub(super) current: Option<Transfer>,
    pub(super) reads: ReadList,
    pub(super) slices: VecDeque<u32>,
}
