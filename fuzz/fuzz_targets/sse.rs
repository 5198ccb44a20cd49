//! Fuzzes [`toolglot_fuzz::sse`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::sse(data));
