//! The proxy between scripted clients and scripted model servers.

mod failures;
mod keys_and_limits;
mod load;
mod operations;
mod passing;
mod support;
mod turns;
