//! All tests of the crate in one binary: it is linked once.

mod admin;
mod common;
mod data;
mod discovery;
mod erase;
mod events;
mod handshake;
mod initiator;
mod malformed;
mod namespaces;
mod pieces;
