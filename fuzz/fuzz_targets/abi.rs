//! Fuzzes [`toolglot_fuzz::abi`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolglot_fuzz::abi(data));
