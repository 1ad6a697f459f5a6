//! All tests of the crate in one binary: it is linked once.

mod client;
mod commands;
mod common;
mod handshake;
mod limits;
mod pieces;
mod pipe;
