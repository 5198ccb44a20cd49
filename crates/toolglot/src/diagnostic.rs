//! Diagnostics: what happened that a caller may want to know, each with a code and a place.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

mod code;
mod repairs;

pub use code::{Class, Code, Preset, Row};
pub use repairs::{Repairs, UnknownRepair};

/// A record of something unusual in the input; never an error return.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of thing happened.
    pub code: Code,
    /// The bytes of the input it is about.
    pub span: Range<usize>,
    /// What happened here, in words, and what was made of it.
    pub message: String,
    /// The dialect that was being read, if one was.
    pub dialect: Option<Arc<str>>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
