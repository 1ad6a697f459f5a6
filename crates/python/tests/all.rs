//! All tests of the crate in one binary: it is linked once.

mod package;
