//! Separation by the host's own word: the stream number of a command.

/// The class of a hint. What names no stream, and what names more than there are, goes to the
/// first, as NVMe drives do with identifiers that they have no resources for.
pub(super) fn class(hint: u16, streams: u32) -> usize {
    if u32::from(hint) < streams { hint as usize } else { 0 }
}
