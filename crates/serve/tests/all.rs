//! Tests of served drives.

#![allow(clippy::disallowed_methods, reason = "clients wait on the clock")]

mod common;
mod crowds;
mod disconnects;
mod faults;
mod idlers;
mod one_drive;
mod power;
mod slow_readers;
mod sockets;
mod switched_off;
