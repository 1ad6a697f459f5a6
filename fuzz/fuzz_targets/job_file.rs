//! fio's job files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::job_file(bytes));
