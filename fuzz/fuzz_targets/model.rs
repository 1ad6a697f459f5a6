//! Model files of drives.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::model(bytes));
