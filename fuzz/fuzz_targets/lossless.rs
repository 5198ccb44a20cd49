//! Fuzzes [`toolglot_fuzz::lossless`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::lossless(data));
