//! What a session hands to its server.

use crate::request::Request;

/// What the peer sent, once it is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The peer chose an export: transmission begins.
    Attached {
        /// Number of the export, from 0.
        export: usize,
    },
    /// A request that is well formed and inside the export. The session answers all others.
    Request(Request),
    /// The peer ended the session in good order.
    Disconnected,
}
