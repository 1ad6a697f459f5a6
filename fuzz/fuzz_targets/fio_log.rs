//! Logs that fio wrote.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::fio_log(bytes));
