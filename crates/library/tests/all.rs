//! All tests of the crate in one binary: it is linked once.

mod admission;
mod media;
mod policies;
mod queues;
mod scale;
mod tier_system;
