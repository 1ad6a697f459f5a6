//! A virtio block device for frontends of vhost-user: virtual machines and libraries that share
//! their memory with it.
//!
//! A [`Device`] holds the memory of a guest and its queues. It takes [`Request`]s out of them and
//! puts answers back; the drive behind it is somebody else's. It has no socket and no clock. A
//! [`Link`] is a device with the socket of its frontend. The messages and the rings themselves are
//! those of rust-vmm. The [`driver`] is for tests and tools.
//!
//! The specifications are VIRTIO 1.2 (5.2, block device) and vhost-user of the QEMU project. What
//! is left out: packed rings, migration (dirty pages), zones, secure erase.

mod chain;
mod config;
mod device;
pub mod driver;
mod fault;
mod inflight;
mod link;
mod memory;
mod messages;
mod request;
mod ring;

pub use config::{Disk, ENTRIES, QUEUES};
pub use device::{Device, Next, Request, Tag};
pub use fault::Fault;
pub use link::{Change, Heard, Link};
pub use request::{LONGEST, Op, Piece, Status};
