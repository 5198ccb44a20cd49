//! The policies for questions without a single right answer, each with a default.

use std::fmt;
use std::str::FromStr;

/// How calls are checked against the schemas of their tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Validation {
    /// JSON values are passed unchanged; a mismatch is a diagnostic.
    Lenient,
    /// Values are converted if the schema says how; a remaining mismatch is a diagnostic.
    #[default]
    Coerce,
    /// A call to an unknown tool, or with a parameter that is unknown, duplicate, nameless or missing although
    /// required, is returned as text, with a diagnostic.
    Strict,
}

/// How text is read if no schema gives its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untyped {
    /// Exact JSON values, `True`, `False` and `None` keep their type; anything else is a string.
    #[default]
    Infer,
    /// Every value is a string.
    String,
}

/// What a bare `null` means for a declared nullable string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NullText {
    /// Null.
    #[default]
    Null,
    /// The string `null`.
    Text,
}

/// How a call inside reasoning is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// A draft if the reasoning closes later, a call if it never does; held until that is known.
    #[default]
    Wait,
    /// A call; it ends the region.
    End,
    /// A quotation, never a call.
    Quote,
}

/// Whether the prompt already opened the reasoning, so that the output starts inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReasoningOpen {
    /// It did not.
    #[default]
    No,
    /// It did.
    Yes,
    /// Unknown: a call is held until no closing reasoning marker can follow it.
    Maybe,
}

impl From<bool> for ReasoningOpen {
    fn from(open: bool) -> Self {
        if open { Self::Yes } else { Self::No }
    }
}

/// How white space between text or reasoning and the markers of a dialect is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// Part of the markers, as chat templates write it: line breaks before and after a marker, and all of it between two. So are
    /// the marks of a code fence around the calls that begin the message.
    #[default]
    Template,
    /// Text or reasoning, unchanged.
    Exact,
}

/// How much evidence a call needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// Only strong markers make a call.
    Strict,
    /// Weak markers make a call where they can mean nothing else.
    #[default]
    Balanced,
    /// Weak markers make a call at the start of any line.
    Eager,
}

/// How a call to an undeclared tool is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTool {
    /// A call, with a diagnostic, if its markers are strong and it parses cleanly to its end.
    #[default]
    Call,
    /// Text, with a diagnostic.
    Text,
}

/// Why a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model finished.
    Stop,
    /// The model called tools.
    ToolCalls,
    /// A token limit cut the message off.
    Length,
    /// A content filter cut the message off.
    ContentFilter,
}

impl FinishReason {
    /// Returns whether the server cut the message off: whatever is open in it was not meant to end there.
    pub(crate) fn is_cut(self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter)
    }
}

/// A policy's name and the names of its choices, for options and help texts.
macro_rules! names {
    ($type:ident, $what:literal: $($variant:ident = $name:literal),+) => {
        impl $type {
            /// Returns the choice's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The names of all choices.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        impl FromStr for $type {
            type Err = UnknownChoice;

            fn from_str(text: &str) -> Result<Self, UnknownChoice> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(UnknownChoice { what: $what, given: text.to_owned(), names: Self::NAMES }),
                }
            }
        }
    };
}

names!(Validation, "validation": Lenient = "lenient", Coerce = "coerce", Strict = "strict");
names!(Untyped, "untyped": Infer = "infer", String = "string");
names!(NullText, "null_text": Null = "null", Text = "text");
names!(CallsInReasoning, "calls_in_reasoning": Wait = "wait", End = "end", Quote = "quote");
names!(ReasoningOpen, "reasoning_open": No = "false", Yes = "true", Maybe = "maybe");
names!(Frame, "frame": Template = "template", Exact = "exact");
names!(Evidence, "evidence": Strict = "strict", Balanced = "balanced", Eager = "eager");
names!(UnknownTool, "unknown_tool": Call = "call", Text = "text");
names!(FinishReason, "finish_reason": Stop = "stop", ToolCalls = "tool_calls", Length = "length", ContentFilter = "content_filter");

/// The error for a word that is no choice of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    what: &'static str,
    given: String,
    names: &'static [&'static str],
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid value `{}` for {}; use {}", self.given, self.what, self.names.join(", "))
    }
}

impl std::error::Error for UnknownChoice {}
