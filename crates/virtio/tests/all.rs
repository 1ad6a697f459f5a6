//! All tests of the crate in one binary: it is linked once.

mod common;
mod link;
mod malformed;
mod messages;
mod requests;
