//! Nothing but a home for `tests/allocations.rs`: the workspace forbids unsafe code, which counting allocations needs.
