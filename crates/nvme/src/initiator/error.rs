//! What can go wrong for an initiator.

use crate::status::Status;
use std::io;

/// Why an initiator cannot go on, or why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum InitiatorError {
    /// The connection failed or ended.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The other side is no target of this protocol, or breaks its rules.
    #[error("the target breaks the protocol: {0}")]
    Malformed(&'static str),
    /// The target ended the connection.
    #[error("the target ended the connection with the fatal error status {0:#06x}")]
    Terminated(u16),
    /// A command failed.
    #[error("the command failed: {0}")]
    Status(Status),
}

impl InitiatorError {
    /// The status of the command, if that is what went wrong.
    pub fn status(&self) -> Option<Status> {
        match self {
            InitiatorError::Status(status) => Some(*status),
            _ => None,
        }
    }
}
