//! What a thread does next.

use crate::kernel::command::Op;
use engine::Instant;

/// An I/O that is drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub(super) op: Op,
    /// Position of its region in the thread.
    pub(super) region: u32,
    /// First byte on the device of the region.
    pub(super) start: u64,
    pub(super) len: u32,
}

/// What a thread can do now.
pub(super) enum Next {
    /// Issue this.
    Issue(Drawn),
    /// Nothing before this time.
    At(Instant),
    /// Nothing before a completion.
    WhenCompleted,
    /// Nothing any more.
    Done,
}
