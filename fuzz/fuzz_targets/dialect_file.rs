//! Fuzzes [`toolglot_fuzz::dialect_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::dialect_file(data));
