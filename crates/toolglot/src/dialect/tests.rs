//! Tests of the dialect notation and of the built-in files.

mod builtin;
mod compiled;
mod mistakes;
mod shelf;
