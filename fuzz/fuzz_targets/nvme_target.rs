//! What a host sends to a whole NVMe target.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::nvme_target(bytes));
