//! What a frontend of vhost-user and its guest do.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::vhost::frontend(bytes));
