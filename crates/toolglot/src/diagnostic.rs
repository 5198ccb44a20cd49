//! Diagnostics: events of interest to the caller, each with a code and a position.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

mod code;
mod repairs;

pub use code::{Class, Code, CodeRow, Preset};
pub use repairs::{Repairs, UnknownRepair};

/// A record of something unusual in the input; never an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The kind of event.
    pub code: Code,
    /// The bytes of the input that it concerns.
    pub span: Range<usize>,
    /// What happened and how it was handled, in words.
    pub message: String,
    /// The dialect that was being read, if any.
    pub dialect: Option<Arc<str>>,
}

impl Diagnostic {
    /// Returns a diagnostic without a dialect.
    pub(crate) fn new(code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), dialect: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// Characters of the input that a message repeats: enough to find the place, and short enough for one line of a terminal.
const SHOWN: usize = 60;

/// Returns the beginning of a text, for a message about it.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns a value's kind, with its article, for a sentence.
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
