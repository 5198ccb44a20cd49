//! The proxy between scripted clients and scripted model servers.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests end the test that cannot go on")]

mod captures;
mod clients;
mod completions;
mod demands;
mod enforcing;
mod failures;
mod keys_and_limits;
mod load;
mod memory;
mod ollama;
mod operations;
mod pages;
mod passing;
mod peers;
mod prompting;
mod requests;
mod secrets;
#[cfg(feature = "redis")]
mod store;
mod support;
mod templates;
#[cfg(feature = "otlp")]
mod traces;
mod turns;
mod upstreams;
