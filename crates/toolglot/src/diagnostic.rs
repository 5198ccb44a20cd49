//! Diagnostics: what happened that a caller may want to know, each with a code and a place.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

mod code;
mod repairs;

pub use code::{Class, Code, CodeRow, Preset};
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

impl Diagnostic {
    /// Returns a record of what happened where no dialect is read.
    pub(crate) fn new(code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), dialect: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// Characters of the input that a message repeats: enough to find the place, on one line of a terminal with the rest.
const SHOWN: usize = 60;

/// Returns the beginning of a text, for a message about it.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a value's kind, as it stands in a sentence.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
