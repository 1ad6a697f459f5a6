//! Health logs of drives.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::health_log(bytes));
