//! Quantities with units.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::units(bytes));
