//! What an NVMe target sends to an initiator.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::nvme_initiator(bytes));
