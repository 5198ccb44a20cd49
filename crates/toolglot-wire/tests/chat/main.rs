//! Chat completions from end to end: what servers get wrong on one side, the strictest clients on the other.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

mod accumulate;
mod astray;
mod broken;
mod captured;
mod envelopes;
mod faults;
mod generated;
mod ids;
mod parts;
mod recalled;
mod relayed;
mod requests;
mod script;
mod text_calls;
mod whole;
