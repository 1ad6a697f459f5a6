//! All tests of the crate in one binary: it is linked once.

mod endurance;
mod read;
mod round_trip;
