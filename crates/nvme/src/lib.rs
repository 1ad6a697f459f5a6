//! NVMe over TCP: a target without any I/O, and a small initiator.
//!
//! [`tcp::Session`] is one connection, which is one queue: it takes bytes, adds its answers to a
//! buffer, and yields commands. [`Subsystem`] carries out the commands of the fabrics and of the
//! administrator over a [`Backend`], which is the drive, and checks those for data. [`Target`] puts
//! both together: bytes go in, [`Io`]s come out, and the server says how they ended. No part reads
//! a clock: calls carry the time in nanoseconds. The [`initiator`] is for tests and tools.
//!
//! The specifications are NVM Express Base 1.4, NVMe over Fabrics 1.1, the NVMe/TCP transport 1.0,
//! and the OCP Datacenter NVMe SSD 2.0 for log page C0h. Left out are security, metadata,
//! reservations, Compare, firmware updates, and authentication.

pub mod backend;
mod command;
mod completion;
mod connect;
pub mod initiator;
mod io;
mod status;
mod subsystem;
mod target;
pub mod tcp;
mod wire;

pub use backend::Backend;
pub use command::Sqe;
pub use completion::Completion;
pub use io::{Io, IoError, IoOp, Range};
pub use status::Status;
pub use subsystem::Subsystem;
pub use target::Target;
