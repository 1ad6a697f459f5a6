//! What a host of a served drive sends over NVMe.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::nvme_session(bytes));
