//! Answers that end inside a call, at every byte: what a client gathers of a call is JSON only if the call is finished.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

mod client;
mod natives;
mod texts;
