//! Fuzzes [`toolglot_fuzz::chunks`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::chunks(data));
