//! Tests of served drives.

#![allow(clippy::disallowed_methods, reason = "clients wait on the clock")]

mod common;
mod faults;
mod power;
mod sockets;
