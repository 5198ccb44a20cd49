//! The names of the format, and what it or a dialect cannot say.

use std::fmt;

/// What one of the two notations says and the other cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inexpressible {
    /// Where: a key of the dialect file, or a field of the template.
    pub place: String,
    /// What stands there.
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

/// The field that servers take reasoning from.
pub(super) const THINKING: &str = "thinking";

/// Other names of it, which templates in the wild have.
pub(super) const REASONING: [&str; 3] = [THINKING, "reasoning_content", "reasoning"];

pub(super) const CONTENT: &str = "content";
pub(super) const CALLS: &str = "tool_calls";
