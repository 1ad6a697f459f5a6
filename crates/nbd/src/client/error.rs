//! What can go wrong for a client.

use std::io;

/// Why a client cannot go on, or why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed or ended.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
    /// The other side is no server of this protocol, or breaks its rules.
    #[error("the server breaks the protocol: {0}")]
    Malformed(&'static str),
    /// The server refuses an option of the handshake.
    #[error("the server refuses option {option} with error {code}: {message}")]
    Option {
        /// Number of the option.
        option: u32,
        /// Number of the error, without the bit that marks errors.
        code: u32,
        /// What the server says about it.
        message: String,
    },
    /// The server answers a request with an error.
    #[error("the request failed with error {0}")]
    Request(u32),
    /// A request with this cookie still has no answer.
    #[error("a request with the cookie {0} is under way")]
    CookieInUse(u64),
}
