//! Tests of the Messages protocol.
