//! What the parser says: events, each with the bytes of the input it stands for.

use std::ops::Range;

use crate::diagnostic::Diagnostic;

/// One thing the parser found, and the bytes of the input it consumed.
///
/// The spans of all events but diagnostics tile the input: each starts where the one before ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The bytes of the input that this event stands for.
    pub span: Range<usize>,
    /// What was found.
    pub kind: EventKind<'a>,
}

/// What an [`Event`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// Text for the reader, exactly as it came.
    Text(&'a str),
    /// Text of the model's reasoning.
    Reasoning(&'a str),
    /// Bytes that belong to the dialect: markers, closers, wrappers.
    Markup,
    /// A call begins; nothing said about it is taken back.
    CallStart {
        /// The call's number in this message, from 0.
        index: usize,
        /// The id the model wrote, where its dialect carries one before the arguments.
        id: Option<&'a str>,
        /// The tool's name, as declared.
        name: &'a str,
    },
    /// A piece of a call's arguments; joined, the pieces of a finished call are one JSON object, and those of any other are no JSON.
    Arguments {
        /// The call's number.
        index: usize,
        /// The next piece of JSON text.
        json: &'a str,
    },
    /// A call is over.
    CallEnd {
        /// The call's number.
        index: usize,
        /// The id the model wrote, wherever it stood.
        id: Option<&'a str>,
        /// How it ended.
        outcome: Outcome,
    },
    /// Something worth knowing; it consumes nothing and its span lies in other events.
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
    /// Read as its dialect writes it.
    #[default]
    Complete,
    /// Read with repairs, each of them reported.
    Repaired,
    /// The input or a limit ended it; not a finished call.
    Truncated,
    /// It went on after an error that no enabled repair covers; not a finished call.
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

    /// Says whether the call may be run.
    pub fn is_call(self) -> bool {
        self <= Self::Repaired
    }
}
