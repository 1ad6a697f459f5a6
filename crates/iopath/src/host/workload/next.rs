//! What a thread does next.

use crate::kernel::command::Op;
use engine::Instant;

/// What a thread can do now.
pub(super) enum Next {
    /// Issue this.
    Issue { op: Op, start: u64, len: u32 },
    /// Nothing before this time.
    At(Instant),
    /// Nothing before a completion.
    WhenCompleted,
    /// Nothing any more.
    Done,
}
