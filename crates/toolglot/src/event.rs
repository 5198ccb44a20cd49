//! Events: what the parser found, each with the bytes of the input that it covers.

use std::ops::Range;

use crate::diagnostic::Diagnostic;

/// One thing that the parser found, and the bytes of the input that it consumed.
///
/// The spans of all events except diagnostics tile the input: each starts where the previous one ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The bytes of the input that this event covers.
    pub span: Range<usize>,
    /// What was found.
    pub kind: EventKind<'a>,
}

/// The kind and content of an [`Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// Text of the answer, unchanged.
    Text(&'a str),
    /// Text of the model's reasoning.
    Reasoning(&'a str),
    /// Bytes of the dialect itself: markers, closers, wrappers.
    Markup,
    /// A call begins. This is never retracted.
    CallStart {
        /// The call's number in this message, counted from 0.
        index: usize,
        /// The id that the model wrote, if its dialect writes one before the arguments.
        id: Option<&'a str>,
        /// The tool's name, as declared.
        name: &'a str,
    },
    /// A piece of a call's arguments. The joined pieces of a finished call are one JSON object; of any other, invalid JSON.
    Arguments {
        /// The call's number.
        index: usize,
        /// The next piece of JSON text.
        json: &'a str,
    },
    /// A call ended.
    CallEnd {
        /// The call's number.
        index: usize,
        /// The id that the model wrote, at any position.
        id: Option<&'a str>,
        /// How it ended.
        outcome: Outcome,
    },
    /// A diagnostic; it consumes nothing, and its span is inside other events.
    Diagnostic(&'a Diagnostic),
}

impl EventKind<'_> {
    /// Returns the name of the event's type in output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Reasoning(_) => "reasoning",
            Self::Markup => "markup",
            Self::CallStart { .. } => "call_start",
            Self::Arguments { .. } => "arguments",
            Self::CallEnd { .. } => "call_end",
            Self::Diagnostic(_) => "diagnostic",
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// Read exactly as its dialect writes it.
    #[default]
    Complete,
    /// Read with repairs, each of which is reported.
    Repaired,
    /// Ended by the end of the input or by a limit; not a finished call.
    Truncated,
    /// Ended by an error that no enabled repair covers; not a finished call.
    Broken,
}

impl Outcome {
    /// Returns the outcome's name in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Repaired => "repaired",
            Self::Truncated => "truncated",
            Self::Broken => "broken",
        }
    }

    /// Returns whether the call is finished, and may be run.
    pub fn is_call(self) -> bool {
        self <= Self::Repaired
    }
}
