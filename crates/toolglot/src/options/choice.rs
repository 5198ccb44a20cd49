//! The policies on which users disagree, each decided once and left to the caller.

use std::fmt;
use std::str::FromStr;

/// How calls are checked against the tools' schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Validation {
    /// Values pass as they are; what does not fit is a diagnostic.
    Lenient,
    /// Values are converted where the schema says how; what still does not fit is a diagnostic.
    #[default]
    Coerce,
    /// A call of an unknown tool, or with a parameter that is unknown, given twice, without a name or missing though
    /// required, is given back as text, with a diagnostic.
    Strict,
}

/// What text means where no schema gives its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Untyped {
    /// Exact JSON values, `True`, `False` and `None` are what they say; anything else is a string.
    #[default]
    Infer,
    /// Everything is a string.
    String,
}

/// What the bare text `null` means where the schema declares a string that may be null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NullText {
    /// Null.
    #[default]
    Null,
    /// The text.
    Text,
}

/// What a call inside a reasoning region is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallsInReasoning {
    /// A draft if the region closes later, a call if it never does; held until that is known.
    #[default]
    Wait,
    /// A call; it ends the region.
    End,
    /// Quotation, never a call.
    Quote,
}

/// Whether the prompt already opened a reasoning region, so that the output starts inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReasoningOpen {
    /// It did not.
    #[default]
    No,
    /// It did.
    Yes,
    /// It is not known: a call is held until no closing marker of reasoning can stand behind it.
    Maybe,
}

impl From<bool> for ReasoningOpen {
    fn from(open: bool) -> Self {
        if open { Self::Yes } else { Self::No }
    }
}

/// What white space between text or reasoning and the markers of a dialect is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// Part of the markers, as chat templates write it: line breaks before a marker and after one, and what is between two.
    #[default]
    Template,
    /// Text, or reasoning, exactly as it came.
    Exact,
}

/// How much evidence a call needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// Only exact markers make a call.
    Strict,
    /// Weak shapes make a call where nothing else can be meant.
    #[default]
    Balanced,
    /// Weak shapes make a call at the start of any line.
    Eager,
}

/// What becomes of a call whose tool is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTool {
    /// A call, with a diagnostic, if its markers are strong and all of it reads cleanly.
    #[default]
    Call,
    /// Text, with a diagnostic.
    Text,
}

/// Why a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The model called tools.
    ToolCalls,
    /// A token limit cut the message.
    Length,
    /// A filter cut the message.
    ContentFilter,
}

impl FinishReason {
    /// Says whether the server cut the message: what is not closed in it was not meant to end there.
    pub(crate) fn is_cut(self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter)
    }
}

/// A policy's name and the names of its choices, for options and their help.
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

/// A word that names no choice of a policy.
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
