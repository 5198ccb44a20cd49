//! The names of the format, and the error for constructs without an equivalent.

use std::fmt;

/// A construct of one format that has no equivalent in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexpressible {
    /// The key of the dialect file or the field of the template.
    pub place: String,
    /// The construct.
    pub construct: String,
    /// Why there is no equivalent.
    pub why: String,
}

impl Inexpressible {
    pub(super) fn new(place: impl Into<String>, construct: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place: place.into(), construct: construct.into(), why: why.into() }
    }
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` has no equivalent: {}", self.place, self.construct, self.why)
    }
}

impl std::error::Error for Inexpressible {}

/// The field that servers read reasoning from.
pub(super) const THINKING: &str = "thinking";

/// The names of this field in published templates.
pub(super) const REASONING: [&str; 3] = [THINKING, "reasoning_content", "reasoning"];

pub(super) const CONTENT: &str = "content";
pub(super) const CALLS: &str = "tool_calls";
