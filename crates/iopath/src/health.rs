//! What a drive counts about itself over its life.

/// Counters that a real drive keeps.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Health {
    /// Bytes that commands have read.
    pub host_read_bytes: u64,
    /// Bytes that commands have written.
    pub host_write_bytes: u64,
    /// Bytes that were read and written again because a write covered a mapping unit in part.
    pub modify_bytes: u64,
    /// Power losses without notice.
    pub unsafe_shutdowns: u64,
}
