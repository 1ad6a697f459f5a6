//! Why a connection ends.

use std::io;

/// What a frontend, or the guest behind it, has done that cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A chain of descriptors from which no request can be read, or that has no place for a status.
    #[error("queue {queue}: a chain of descriptors {what}")]
    Chain {
        /// The queue, from 0.
        queue: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A ring that cannot be.
    #[error("queue {queue}: {what}")]
    Ring {
        /// The queue, from 0.
        queue: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A message of the frontend that is refused.
    #[error("a message of vhost-user: {0}")]
    Message(String),
    /// What the system says.
    #[error(transparent)]
    System(#[from] io::Error),
}
