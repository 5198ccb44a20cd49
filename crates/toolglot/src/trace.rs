//! The trace: what the parser saw, tried and committed, for debugging.

use std::ops::Range;
use std::sync::Arc;

/// One step of the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The bytes of the input that the step concerns.
    pub span: Range<usize>,
    /// What the parser did.
    pub action: Action,
    /// The dialect that it concerns, if any.
    pub dialect: Option<Arc<str>>,
    /// The pattern and the reason, in words.
    pub detail: String,
}

/// What the parser did in a [`Step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// An opener occurred, and its candidates were tried.
    Opened,
    /// A candidate did not match.
    Died,
    /// A candidate won.
    Committed,
}

impl Action {
    /// Returns the action's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Died => "died",
            Self::Committed => "committed",
        }
    }
}
