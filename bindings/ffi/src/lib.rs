//! toolglot with a C ABI: handles, bytes in, flat records and JSON out.
//!
//! C, WebAssembly, Go and JavaScript are made from these functions; `include/toolglot.h` is made from [`abi`], the only
//! module with unsafe code. A panic ends the call with [`abi::TgStatus::Panicked`] and never crosses the border.

#![deny(missing_docs)]

pub mod abi;
mod answer;
mod example;
mod fault;
mod grammar;
mod jobs;
mod message;
pub mod record;
mod session;
mod settings;
mod traffic;
