//! A modelled drive that real programs use: a machine of `iopath` in step with the clock, what the
//! host wrote to it, and the sockets at which clients attach.
//!
//! A request goes through [`server`] (sockets, protocol) to [`drive`] (the model decides when it
//! ends) and [`contents`] (the bytes). The model knows versions, not bytes: after a power cut it
//! says which version of each block it still has, and the bytes go back to that version.

#![allow(clippy::disallowed_methods, reason = "a served drive is in step with the clock")]

pub mod clock;
pub mod contents;
pub mod control;
pub mod controller;
pub mod drive;
pub mod lateness;
pub mod recorder;
pub mod server;
pub mod spaces;
pub mod transport;
