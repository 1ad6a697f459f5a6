//! All tests of the crate in one binary: it is linked once.

mod any_text;
mod every_option;
mod output;
mod reader;
mod refusals;
mod source;
