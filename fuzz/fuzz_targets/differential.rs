//! Fuzzes [`toolglot_fuzz::differential`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::differential(data));
