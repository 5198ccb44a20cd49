//! Fuzzes [`toolglot_fuzz::repair`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::repair(data));
