//! Block traces in every format.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::block_trace(bytes));
