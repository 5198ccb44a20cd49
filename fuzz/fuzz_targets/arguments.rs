//! Fuzzes [`toolglot_fuzz::arguments`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::arguments(data));
