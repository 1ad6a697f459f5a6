//! The NBD protocol: a server without any I/O, and a small client.
//!
//! NBD shows a block device over a socket. A [`Session`] is one connection of a server: it takes
//! bytes, adds its answers to a buffer, and yields [`Request`]s. It reads no socket and keeps no
//! data, so a test can feed it byte by byte. The [`client`] is for tests and tools.
//!
//! The specification is `doc/proto.md` of the NBD project. What is left out: TLS and extended
//! headers are refused, and `base:allocation` is the only metadata context.

pub mod client;
mod command;
mod errno;
mod event;
mod export;
mod extent;
mod fault;
mod handshake;
mod option;
mod piece;
mod reply;
mod request;
mod session;
mod wire;

pub use errno::Errno;
pub use event::Event;
pub use export::Export;
pub use extent::Extent;
pub use fault::Fault;
pub use request::{Op, Request};
pub use session::Session;
