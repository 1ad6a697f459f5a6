//! What a server of NBD sends to a client.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::protocols::nbd_client(bytes));
