//! What a client of a served drive sends.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::nbd_session(bytes));
