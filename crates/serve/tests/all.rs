//! Tests of served drives.

mod common;
mod power;
mod sockets;
