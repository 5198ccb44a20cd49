//! Prompt mode: what a server without tools gets, and that it reads back the same in every dialect.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

mod requests;
mod round;
