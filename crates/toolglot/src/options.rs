//! The options of a parser: policies, repairs, limits.

use crate::diagnostic::Repairs;
use crate::evidence::{Veto, Vetoes};

mod choice;
mod limits;
mod named;

pub use choice::{
    CallsInReasoning, Evidence, FinishReason, Frame, NullText, ReasoningOpen, UnknownChoice, UnknownTool, Untyped,
    Validation,
};
pub use limits::Limits;
pub use named::OptionError;

/// The options of one parser. Every field has a default; `with_…` changes one.
///
/// # Example
/// ```
/// use toolglot::{Options, Validation};
/// let options = Options::default().with_validation(Validation::Strict).with_reasoning_open(true);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) validation: Validation,
    pub(crate) untyped: Untyped,
    pub(crate) null_text: NullText,
    pub(crate) reasoning_open: ReasoningOpen,
    pub(crate) finish_reason: Option<FinishReason>,
    pub(crate) calls_in_reasoning: CallsInReasoning,
    pub(crate) frame: Frame,
    pub(crate) evidence: Evidence,
    pub(crate) unknown_tool: UnknownTool,
    pub(crate) accept_incomplete: bool,
    pub(crate) repairs: Repairs,
    pub(crate) limits: Limits,
    pub(crate) id_seed: Option<u64>,
    /// Bare `TRUE` and `false` in any case are booleans where no schema says otherwise.
    pub(crate) any_case_booleans: bool,
    pub(crate) marked_tokens: bool,
    /// The fast paths are off: the careful readers look at each byte.
    pub(crate) careful: bool,
    /// The rows of the evidence table that are off.
    pub(crate) unheeded: Vetoes,
}

impl Options {
    /// Returns whether the server cut the message off.
    pub(crate) fn is_cut(&self) -> bool {
        self.finish_reason.is_some_and(FinishReason::is_cut)
    }

    /// Returns the repairs that may be made: under strict validation, none that decides where something ends.
    pub(crate) fn allowed_repairs(&self) -> Repairs {
        if self.validation == Validation::Strict { self.repairs.without_ends() } else { self.repairs }
    }

    /// Sets how calls are checked against the schemas of their tools.
    #[must_use]
    pub fn with_validation(self, validation: Validation) -> Self {
        Self { validation, ..self }
    }

    /// Sets how text is read if no schema gives its type.
    #[must_use]
    pub fn with_untyped(self, untyped: Untyped) -> Self {
        Self { untyped, ..self }
    }

    /// Sets what a bare `null` means for a declared nullable string.
    #[must_use]
    pub fn with_null_text(self, null_text: NullText) -> Self {
        Self { null_text, ..self }
    }

    /// Sets whether the prompt already opened the reasoning, so that the output starts inside it.
    #[must_use]
    pub fn with_reasoning_open(self, reasoning_open: impl Into<ReasoningOpen>) -> Self {
        Self { reasoning_open: reasoning_open.into(), ..self }
    }

    /// Sets the server's finish reason, if it reported one.
    #[must_use]
    pub fn with_finish_reason(self, finish_reason: Option<FinishReason>) -> Self {
        Self { finish_reason, ..self }
    }

    /// Sets how a call inside reasoning is treated.
    #[must_use]
    pub fn with_calls_in_reasoning(self, calls_in_reasoning: CallsInReasoning) -> Self {
        Self { calls_in_reasoning, ..self }
    }

    /// Sets how white space between text or reasoning and markers is treated.
    #[must_use]
    pub fn with_frame(self, frame: Frame) -> Self {
        Self { frame, ..self }
    }

    /// Sets how much evidence a call needs.
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    /// Sets how a call to an undeclared tool is treated.
    #[must_use]
    pub fn with_unknown_tool(self, unknown_tool: UnknownTool) -> Self {
        Self { unknown_tool, ..self }
    }

    /// Sets whether calls that the end of input cut off are returned as calls.
    #[must_use]
    pub fn with_accept_incomplete(self, accept_incomplete: bool) -> Self {
        Self { accept_incomplete, ..self }
    }

    /// Sets which repairs are made.
    #[must_use]
    pub fn with_repairs(self, repairs: Repairs) -> Self {
        Self { repairs, ..self }
    }

    /// Sets the limits of a message.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets whether the caller marks special tokens. If so, a marker that is a special token counts only as a token.
    ///
    /// A marker that the dialect's file lists in `special` is then recognised only if it arrives through
    /// [`Parser::push_special`](crate::Parser::push_special); spelled out in ordinary pieces, it is text, inside and
    /// outside calls. A dialect whose calls open with a special token loses its lenient spellings without one.
    /// [`Dialects::is_sealed`](crate::Dialects::is_sealed) returns what this guarantees for a set of dialects.
    #[must_use]
    pub fn with_marked_tokens(self, marked_tokens: bool) -> Self {
        Self { marked_tokens, ..self }
    }

    /// Turns the fast paths off, so that a test can compare them with the careful readers.
    #[doc(hidden)]
    #[must_use]
    pub fn without_fast_path(self) -> Self {
        Self { careful: true, ..self }
    }

    /// Turns a row of the evidence table off, so that a test can measure its effect.
    #[doc(hidden)]
    #[must_use]
    pub fn without_veto(self, veto: Veto) -> Self {
        Self { unheeded: self.unheeded.with(veto), ..self }
    }

    /// Sets the seed for generated call ids, used if the model supplies no id.
    ///
    /// The same seed gives the same ids. Without one, the ids come from a hash of the message's text
    /// ([`seed_of`](crate::seed_of)), so two messages of a conversation have different ids unless they are identical.
    /// If you show ids before the message is complete, or if the model may repeat itself verbatim, use
    /// a random number.
    #[must_use]
    pub fn with_id_seed(self, seed: u64) -> Self {
        Self { id_seed: Some(seed), ..self }
    }

    /// Returns the seed for generated call ids, if set.
    pub fn id_seed(&self) -> Option<u64> {
        self.id_seed
    }
}
